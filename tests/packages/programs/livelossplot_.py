"""Plots and logs of a training, as in the README of livelossplot."""

import matplotlib

matplotlib.use("Agg")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from livelossplot import PlotLossesKeras  # noqa: E402
from livelossplot.outputs import MatplotlibPlot  # noqa: E402

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.set_weights([np.ones((4, 1)), np.zeros(1)])
model.compile("sgd", "mse", metrics=["mae"])
callback = PlotLossesKeras(outputs=["ExtremaPrinter", MatplotlibPlot(figpath="loss.png")])
history = model.fit(
    x, y, validation_split=0.25, epochs=3, shuffle=False, verbose=0, callbacks=[callback]
).history
logged = callback.liveplot.logger.log_history
result = {name: [entry.value for entry in entries] for name, entries in sorted(logged.items())}
print()  # what is drawn ends without a new line
print("result", result)
