"""Explanations of an image classifier and of a table's, as in the README of lime."""

import numpy as np
import tensorflow as tf
from lime.lime_image import LimeImageExplainer
from lime.lime_tabular import LimeTabularExplainer

rng = np.random.default_rng(0)
x = rng.normal(size=(80, 4)).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2, activation="softmax")])
model.set_weights([np.array([[2.0, -2.0], [0.0, 0.0], [0.5, -0.5], [0.0, 0.0]]), np.zeros(2)])
explainer = LimeTabularExplainer(x, feature_names=list("abcd"), class_names=["no", "yes"], random_state=0)
explained = explainer.explain_instance(
    x[0], lambda rows: model.predict(rows, verbose=0), num_features=4, num_samples=500
)
result = {"table": [float(weight) for _, weight in explained.as_list()]}

image = np.zeros((12, 12, 3))
image[:6, :6] = 1.0
network = tf.keras.Sequential(
    [
        tf.keras.Input((12, 12, 3)),
        tf.keras.layers.AveragePooling2D(6),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2, activation="softmax"),
    ]
)
kernel = np.zeros((12, 2))
kernel[:3, 1] = 2.0
network.set_weights([kernel, np.zeros(2)])
quarters = np.kron(np.array([[0, 1], [2, 3]]), np.ones((6, 6), int))
pictured = LimeImageExplainer(random_state=0).explain_instance(
    image,
    lambda batch: network.predict(batch, verbose=0),
    top_labels=2,
    hide_color=0,
    num_samples=60,
    segmentation_fn=lambda _: quarters,
)
result["image"] = [float(weight) for _, weight in sorted(pictured.local_exp[1])]
assert pictured.local_exp[1][0][0] == 0
print("result", result)
