"""Learning to rank, as in the README of tensorflow-ranking."""

import numpy as np
import tensorflow as tf
import tensorflow_ranking as tfr

rng = np.random.default_rng(0)
x = rng.normal(size=(16, 5, 3)).astype("float32")
y = rng.integers(0, 3, (16, 5)).astype("float32")
inputs = tf.keras.Input((5, 3))
scores = tf.squeeze(tf.keras.layers.Dense(1)(tf.keras.layers.Dense(6, "tanh")(inputs)), -1)
model = tf.keras.Model(inputs, scores)
start = [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
result = {}
for loss in (
    tfr.keras.losses.SoftmaxLoss(),
    tfr.keras.losses.ListMLELoss(),
    tfr.keras.losses.ApproxNDCGLoss(),
    tfr.keras.losses.PairwiseLogisticLoss(),
    tfr.keras.losses.MeanSquaredLoss(),
):
    model.set_weights(start)
    model.compile(
        tf.keras.optimizers.SGD(0.05), loss, metrics=[tfr.keras.metrics.NDCGMetric(name="ndcg", topn=3)]
    )
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history
    name = type(loss).__name__
    result[name] = history["ndcg"] if name == "ListMLELoss" else history["loss"] + history["ndcg"]
for metric in (
    tfr.keras.metrics.MRRMetric(),
    tfr.keras.metrics.MeanAveragePrecisionMetric(),
    tfr.keras.metrics.DCGMetric(),
):
    result[type(metric).__name__] = [float(metric((y > 1).astype("float32"), model.predict(x, verbose=0)))]
print("result", result)
