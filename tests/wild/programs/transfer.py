"""Transfer: a trained base frozen under a new head, then fine-tuned; weights moved between models."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

rng = np.random.default_rng(0)
centres = rng.normal(size=(6, 16)).astype("float32")


def blobs(classes, count):
    y = rng.integers(0, classes, count)
    return centres[y] + 0.3 * rng.normal(size=(count, 16)).astype("float32"), y


x, y = blobs(6, 300)
base = keras.Sequential(
    [keras.layers.Dense(16, activation="relu"), keras.layers.BatchNormalization()], name="base"
)
model = keras.Sequential([keras.Input((16,)), base, keras.layers.Dense(6)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(x, y, epochs=10, verbose=0)

base.trainable = False
assert len(base.trainable_weights) == 0 and len(base.non_trainable_weights) == 6
inputs = keras.Input(shape=(16,))
h = base(inputs, training=False)
h = keras.layers.Dropout(0.1)(h)
outputs = keras.layers.Dense(1)(h)
head = keras.Model(inputs, outputs)
head.compile(
    optimizer=keras.optimizers.Adam(0.05),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
)
target = (y >= 3).astype("float32")
before = [w.copy() for w in base.get_weights()]
history = head.fit(x, target, epochs=8, verbose=0)
for old, new in zip(before, base.get_weights()):
    np.testing.assert_array_equal(old, new)

base.trainable = True
head.compile(
    keras.optimizers.Adam(1e-3), keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"]
)
assert len(head.trainable_weights) == 6
head.fit(x, target, epochs=2, verbose=0)
assert any(not np.array_equal(a, b) for a, b in zip(before, base.get_weights()))

twin = keras.models.clone_model(head)
twin.set_weights(head.get_weights())
np.testing.assert_allclose(twin.predict(x[:5], verbose=0), head.predict(x[:5], verbose=0), rtol=1e-5)
folder = tempfile.mkdtemp()
path = os.path.join(folder, "weights.h5")
head.save_weights(path)
fresh = keras.models.model_from_json(head.to_json())
fresh.load_weights(path)
np.testing.assert_allclose(fresh.predict(x[:5], verbose=0), head.predict(x[:5], verbose=0), rtol=1e-5)
for suffix in (".keras", ".h5", ""):
    whole = os.path.join(folder, f"model{suffix}")
    head.save(whole)
    again = keras.models.load_model(whole)
    np.testing.assert_allclose(again.predict(x[:5], verbose=0), head.predict(x[:5], verbose=0), rtol=1e-5)

features = keras.Model(inputs=head.inputs, outputs=[layer.output for layer in head.layers[2:]])
shapes = [f.shape for f in features(x[:2])]
assert shapes[0] == (2, 16) and shapes[-1] == (2, 1)
print("done")
