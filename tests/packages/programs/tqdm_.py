"""Progress bars of a training, as in the README of tqdm: `tqdm.keras`."""

import io

import numpy as np
import tensorflow as tf
from tqdm.keras import TqdmCallback

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
shown = io.StringIO()
model.fit(x, y, epochs=3, batch_size=8, verbose=0, callbacks=[TqdmCallback(verbose=2, file=shown)])
text = shown.getvalue()
assert "3/3" in text and "loss=" in text and "batch/s" in text, text
model.fit(x, y, epochs=2, verbose=0, callbacks=[TqdmCallback(verbose=0, file=io.StringIO())])
print("result", {})
