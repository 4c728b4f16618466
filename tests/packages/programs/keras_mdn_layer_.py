"""Mixture density networks, as in the README of keras-mdn-layer."""

import keras_mdn_layer as mdn
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (64, 1)).astype("float32")
y = np.sin(3 * x) + 0.1 * rng.normal(size=(64, 1)).astype("float32")
model = tf.keras.Sequential()
model.add(tf.keras.layers.Dense(8, input_shape=(1,), activation="relu"))
model.add(mdn.MDN(1, 3))
model.set_weights(
    [0.4 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile(loss=mdn.get_mixture_loss_func(1, 3), optimizer=tf.keras.optimizers.Adam(0.01))
result = {"loss": model.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0).history["loss"]}
found = model.predict(x[:4], verbose=0)
result["predicted"] = np.ravel(found).tolist()
samples = np.apply_along_axis(mdn.sample_from_output, 1, found, 1, 3, temp=1.0)
assert samples.shape[0] == 4
print("result", result)
