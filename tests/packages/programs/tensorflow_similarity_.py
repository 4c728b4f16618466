"""Metric learning and nearest neighbours, as in the README of tensorflow-similarity."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow_similarity.distances import CosineDistance
from tensorflow_similarity.layers import MetricEmbedding
from tensorflow_similarity.losses import CircleLoss, MultiSimilarityLoss, PNLoss, TripletLoss
from tensorflow_similarity.models import SimilarityModel
from tensorflow_similarity.samplers import MultiShotMemorySampler

rng = np.random.default_rng(0)
x = rng.uniform(size=(60, 8, 8, 1)).astype("float32")
y = np.repeat(np.arange(6), 10).astype("int32")
x += y[:, None, None, None] / 3
sampler = MultiShotMemorySampler(
    x, y, classes_per_batch=4, examples_per_class_per_batch=3, class_list=list(range(5)), steps_per_epoch=4
)
inputs = layers.Input(shape=(8, 8, 1))
h = layers.Conv2D(4, 3, activation="relu")(inputs)
h = layers.Flatten()(h)
outputs = MetricEmbedding(5)(h)
model = SimilarityModel(inputs, outputs)
draw = np.random.default_rng(1)
model.set_weights([0.3 * draw.normal(size=w.shape) for w in model.get_weights()])
model.compile("adam", loss=MultiSimilarityLoss(), distance=CosineDistance(), search="nmslib")
result = {"predicted": model.predict(x[:3], verbose=0).ravel().tolist()}
embedded = tf.math.l2_normalize(rng.normal(size=(8, 5)).astype("float32"), axis=1)
labels = tf.constant([0, 0, 1, 1, 2, 2, 3, 3])
for name, loss in {
    "circle": CircleLoss(),
    "multi": MultiSimilarityLoss(),
    "pn": PNLoss(),
    "triplet": TripletLoss(),
}.items():
    result[name] = [float(loss(labels, embedded))]
history = model.fit(sampler, epochs=2, verbose=0)
assert np.isfinite(history.history["loss"]).all()
model.reset_index()
model.index(x[::2], y[::2], data=x[::2], verbose=0)
found = model.single_lookup(x[0], k=3)
assert len(found) == 3 and found[0].label == 0
assert found[0].distance < 1e-4
model.calibrate(x, y, verbose=0)
matched = model.match(x[:5], cutpoint="optimal", no_match_label=-1)
assert len(matched) == 5
print("result", result)
