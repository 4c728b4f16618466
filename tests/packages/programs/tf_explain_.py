"""Explanations of what a network looks at, as in the README of tf-explain."""

import numpy as np
import tensorflow as tf
from tf_explain.callbacks.grad_cam import GradCAMCallback
from tf_explain.core.activations import ExtractActivations
from tf_explain.core.grad_cam import GradCAM
from tf_explain.core.gradients_inputs import GradientsInputs
from tf_explain.core.integrated_gradients import IntegratedGradients
from tf_explain.core.occlusion_sensitivity import OcclusionSensitivity
from tf_explain.core.smoothgrad import SmoothGrad
from tf_explain.core.vanilla_gradients import VanillaGradients

rng = np.random.default_rng(0)
x = rng.uniform(size=(4, 12, 12, 3)).astype("float32")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 3), name="conv"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(3, activation="softmax", name="visualized_layer"),
    ]
)
model.set_weights([0.3 * np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()])


def some(picture):
    return np.asarray(picture, np.float64).ravel()[::37][:12].tolist()


result = {
    "grad cam": some(GradCAM().explain((x, None), model, class_index=1, layer_name="conv")),
    "occlusion": some(OcclusionSensitivity().explain((x, None), model, class_index=1, patch_size=4)),
    "activations": some(ExtractActivations().explain((x, None), model, layers_name=["conv"])),
}
VanillaGradients().explain((x, None), model, class_index=1)
GradientsInputs().explain((x, None), model, class_index=1)
IntegratedGradients().explain((x, None), model, class_index=1, n_steps=5)
SmoothGrad().explain((x, None), model, class_index=1, num_samples=3)
model.compile("adam", "sparse_categorical_crossentropy")
callback = GradCAMCallback((x, np.zeros(4)), class_index=0, layer_name="conv", output_dir="logs")
model.fit(x, np.zeros(4), epochs=2, verbose=0, callbacks=[callback])
print("result", result)
