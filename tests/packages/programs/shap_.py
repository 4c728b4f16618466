"""Explanations of a Keras model, as in the README of shap."""

import numpy as np
import shap
import tensorflow as tf

rng = np.random.default_rng(0)
x = rng.normal(size=(40, 5)).astype("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(6, activation="tanh", input_shape=(5,)), tf.keras.layers.Dense(1)]
)
filler = np.random.default_rng(1)
model.set_weights([0.5 * filler.normal(size=w.shape) for w in model.get_weights()])
model.compile("adam", "mse")
expected = model.predict(x, verbose=0)
result = {}

kernel = shap.KernelExplainer(lambda data: model.predict(data, verbose=0)[:, 0], x[:10])
values = kernel.shap_values(x[:2], nsamples=200, silent=True)
np.testing.assert_allclose(values.sum(1) + kernel.expected_value, expected[:2, 0], atol=1e-4)
result["kernel"] = values.tolist()

gradient = shap.GradientExplainer(model, x[:20])
values = np.asarray(gradient.shap_values(x[:2], nsamples=500, rseed=0))
np.testing.assert_allclose(values.reshape(2, 5).sum(1), (expected[:2] - expected[:20].mean())[:, 0], atol=0.2)

masker = shap.maskers.Independent(x, max_samples=10)
permutation = shap.Explainer(lambda data: model(data).numpy()[:, 0], masker, algorithm="permutation", seed=0)
explained = permutation(x[:2], silent=True)
np.testing.assert_allclose(explained.values.sum(1) + explained.base_values, expected[:2, 0], atol=1e-4)
result["permutation"] = explained.values.tolist()
print("result", result)
