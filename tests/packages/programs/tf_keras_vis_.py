"""Saliency, Grad-CAM and activation maximization, as in the README of tf-keras-vis."""

import numpy as np
import tensorflow as tf
from tf_keras_vis.activation_maximization import ActivationMaximization
from tf_keras_vis.gradcam import Gradcam
from tf_keras_vis.gradcam_plus_plus import GradcamPlusPlus
from tf_keras_vis.saliency import Saliency
from tf_keras_vis.scorecam import Scorecam
from tf_keras_vis.utils.model_modifiers import ReplaceToLinear
from tf_keras_vis.utils.scores import CategoricalScore

rng = np.random.default_rng(0)
inputs = tf.keras.Input((16, 16, 3))
x = tf.keras.layers.Conv2D(4, 3, activation="relu", name="conv")(inputs)
x = tf.keras.layers.GlobalAveragePooling2D()(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(3, activation="softmax")(x))
model.set_weights([0.5 * rng.normal(size=w.shape) for w in model.get_weights()])
images = rng.uniform(size=(2, 16, 16, 3)).astype("float32")
score = CategoricalScore([0, 2])
result = {}
for name, kind, options in [
    ("saliency", Saliency, {"keepdims": False}),
    ("gradcam", Gradcam, {"penultimate_layer": "conv"}),
    ("gradcampp", GradcamPlusPlus, {"penultimate_layer": "conv"}),
    ("scorecam", Scorecam, {"penultimate_layer": "conv"}),
]:
    seen = kind(model, model_modifier=ReplaceToLinear(), clone=True)(score, images, **options)
    assert np.asarray(seen).shape == (2, 16, 16)
    result[name] = np.asarray(seen)[:, 5, 5:8].ravel().tolist()
smooth = Saliency(model)(score, images, smooth_samples=4, smooth_noise=0.2)
assert smooth.shape == (2, 16, 16)
found = ActivationMaximization(model, model_modifier=ReplaceToLinear())(CategoricalScore(1), steps=5)
assert found.shape == (1, 16, 16, 3)
print("result", result)
