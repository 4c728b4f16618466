"""Several batches a step, as in the README of gradient-accumulator."""

import numpy as np
import tensorflow as tf
from gradient_accumulator import GradientAccumulateModel, GradientAccumulateOptimizer

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")


def base():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(5, activation="tanh", input_shape=(4,)), tf.keras.layers.Dense(1)]
    )
    model.set_weights(
        [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
    )
    return model


model = base()
model = GradientAccumulateModel(accum_steps=4, inputs=model.input, outputs=model.output)
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
result = {"model": model.fit(x, y, epochs=4, batch_size=4, shuffle=False, verbose=0).history["loss"]}
model = base()
model.compile(
    GradientAccumulateOptimizer(optimizer=tf.keras.optimizers.legacy.SGD(0.1), accum_steps=4), "mse"
)
result["optimizer"] = model.fit(x, y, epochs=4, batch_size=4, shuffle=False, verbose=0).history["loss"]
print("result", result)
