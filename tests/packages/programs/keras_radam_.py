"""The rectified Adam optimizer, as in the README of keras-rectified-adam."""

import os

os.environ["TF_KERAS"] = "1"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras_radam import RAdam  # noqa: E402

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")
result = {}
for name, options in {
    "plain": {},
    "warmup": {"total_steps": 20, "warmup_proportion": 0.1, "min_lr": 1e-4},
}.items():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(5, activation="tanh", input_shape=(4,)), tf.keras.layers.Dense(1)]
    )
    model.set_weights(
        [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
    )
    model.compile(RAdam(learning_rate=0.01, weight_decay=0.001, **options), "mse")
    result[name] = model.fit(x, y, epochs=6, batch_size=8, shuffle=False, verbose=0).history["loss"]
print("result", result)
