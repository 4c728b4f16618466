"""Activations of a model's layers, as in the README of keract."""

import os
import tempfile

import matplotlib

matplotlib.use("Agg")
import numpy as np
from keract import (
    display_activations,
    get_activations,
    load_activations_from_json_file,
    persist_to_json_file,
)
from tensorflow.keras import Input, Model, Sequential
from tensorflow.keras.layers import Conv2D, Dense, Flatten, MaxPooling2D, concatenate

rng = np.random.default_rng(0)
result = {}
i1, i2 = Input(shape=(10,), name="i1"), Input(shape=(10,), name="i2")
a, b = Dense(1, name="fc1")(i1), Dense(1, name="fc2")(i2)
model = Model(inputs=[i1, i2], outputs=[Dense(1, name="out")(concatenate([a, b], name="concat"))])
model.set_weights([0.3 * rng.normal(size=w.shape) for w in model.get_weights()])
x = [rng.uniform(size=(4, 10)), rng.uniform(size=(4, 10))]
activations = get_activations(model, x, auto_compile=True)
assert list(activations) == ["i1", "i2", "fc1", "fc2", "concat", "out"]
result["activations"] = np.concatenate([v.ravel()[:4] for v in activations.values()]).tolist()
path = os.path.join(tempfile.mkdtemp(), "activations.json")
persist_to_json_file(activations, path)
np.testing.assert_allclose(load_activations_from_json_file(path)["concat"], activations["concat"])

images = Sequential(
    [
        Conv2D(4, 3, activation="relu", input_shape=(8, 8, 1), name="conv"),
        MaxPooling2D(name="pool"),
        Flatten(name="flat"),
        Dense(2, activation="softmax", name="soft"),
    ]
)
images.set_weights([0.3 * rng.normal(size=w.shape) for w in images.get_weights()])
found = get_activations(
    images, rng.uniform(size=(1, 8, 8, 1)), layer_names=["conv", "soft"], nodes_to_evaluate=None
)
result["soft"] = found["soft"].ravel().tolist()
display_activations({"conv": found["conv"]}, save=True, directory=os.path.dirname(path))
print("result", result)
