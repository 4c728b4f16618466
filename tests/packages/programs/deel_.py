"""Lipschitz networks, as in the README of deel-lip."""

import numpy as np
import tensorflow as tf
from deel.lip.activations import GroupSort
from deel.lip.layers import ScaledL2NormPooling2D, SpectralConv2D, SpectralDense
from deel.lip.losses import HKR, TauCategoricalCrossentropy
from deel.lip.metrics import CategoricalProvableAvgRobustness
from deel.lip.model import Sequential
from tensorflow.keras.layers import Flatten, Input

rng = np.random.default_rng(0)
x = rng.uniform(size=(24, 8, 8, 1)).astype("float32")
y = np.eye(3, dtype="float32")[rng.integers(0, 3, 24)]
model = Sequential(
    [
        Input(shape=(8, 8, 1)),
        SpectralConv2D(filters=4, kernel_size=(3, 3), activation=GroupSort(2), use_bias=True),
        ScaledL2NormPooling2D(pool_size=(2, 2), data_format="channels_last"),
        Flatten(),
        SpectralDense(3, activation=None, use_bias=False),
    ],
    k_coef_lip=1.0,
    name="hkr_model",
)
model.compile(
    loss=TauCategoricalCrossentropy(tau=10.0),
    optimizer=tf.keras.optimizers.Adam(0.01),
    metrics=["accuracy", CategoricalProvableAvgRobustness()],
)
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0).history
assert history["loss"][-1] < history["loss"][0]
plain = model.vanilla_export()
np.testing.assert_allclose(plain.predict(x, verbose=0), model.predict(x, verbose=0), atol=1e-4)
kernel = plain.layers[-1].get_weights()[0]
norms = np.linalg.svd(kernel, compute_uv=False)
assert norms.max() < 1.01 and norms.min() > 0.9, norms
result = {"sorted": np.ravel(GroupSort(2)(tf.constant([[3.0, 1.0, -2.0, 4.0]]))).tolist()}
binary = HKR(alpha=5.0, min_margin=0.5)
result["hkr"] = [float(binary(tf.constant([[1.0], [0.0], [1.0]]), tf.constant([[0.3], [-0.2], [-0.4]])))]
print("result", result)
