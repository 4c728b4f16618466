"""Attributions and metrics of them, as in the README of xplique."""

import numpy as np
import tensorflow as tf
from xplique.attributions import (
    GradCAM,
    GradCAMPP,
    GradientInput,
    GuidedBackprop,
    IntegratedGradients,
    KernelShap,
    Occlusion,
    Rise,
    Saliency,
    SmoothGrad,
)
from xplique.concepts import Cav
from xplique.metrics import Deletion, MuFidelity

rng = np.random.default_rng(0)
x = rng.uniform(size=(4, 12, 12, 3)).astype("float32")
y = np.eye(3, dtype="float32")[[0, 1, 2, 1]]
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 3), name="conv"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(3),
    ]
)
model.set_weights([0.3 * np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()])


def some(picture):
    return np.asarray(picture, np.float64).ravel()[::37][:12].tolist()


result = {}
for explainer in (
    Saliency(model),
    GradientInput(model),
    GuidedBackprop(model),
    IntegratedGradients(model, steps=5),
    GradCAM(model),
    GradCAMPP(model),
    Occlusion(model, patch_size=4, patch_stride=4),
):
    result[type(explainer).__name__] = some(explainer(x, y))
assert SmoothGrad(model, nb_samples=4)(x, y).shape[:3] == (4, 12, 12)
assert Rise(model, nb_samples=8)(x, y).shape[:3] == (4, 12, 12)
assert KernelShap(model, nb_samples=8)(x, y).shape[0] == 4
deletion = Deletion(model, x, y, steps=4)
result["deletion"] = [float(deletion(Saliency(model)(x, y)))]
assert np.isfinite(MuFidelity(model, x, y, nb_samples=6, grid_size=4)(Saliency(model)(x, y)))
cav = Cav(model, "conv", classifier="SGD", test_fraction=0.3)(
    x, rng.uniform(size=(4, 12, 12, 3)).astype("float32")
)
assert np.isfinite(cav).all()
print("result", result)
