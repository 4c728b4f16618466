"""The AdaBound optimizer, as in the README of keras-adabound."""

import os

os.environ["TF_KERAS"] = "1"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras_adabound import AdaBound  # noqa: E402

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(5, activation="tanh", input_shape=(4,)), tf.keras.layers.Dense(1)]
)
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile(AdaBound(learning_rate=1e-3, final_lr=0.1), "mse")
result = {"loss": model.fit(x, y, epochs=6, batch_size=8, shuffle=False, verbose=0).history["loss"]}
print("result", result)
