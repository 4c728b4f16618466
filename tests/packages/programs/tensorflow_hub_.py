"""Modules of local folders, as in the README of tensorflow-hub: `KerasLayer`, `load`, `resolve`."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub

rng = np.random.default_rng(0)
result = {}
folder = os.path.join(tempfile.mkdtemp(), "module")


class Half(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(rng.normal(size=(4, 3)).astype("float32"), name="w")
        self.trainable_variables_ = [self.w]
        self.variables_ = [self.w]
        self.regularization_losses = []

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def __call__(self, x):
        return tf.nn.tanh(x @ self.w)


module = Half()
tf.saved_model.save(module, folder)
x = rng.normal(size=(6, 4)).astype("float32")
loaded = hub.load(folder)
result["loaded"] = loaded(x).numpy().ravel()[:5].tolist()
assert hub.resolve(folder) == folder
layer = hub.KerasLayer(folder, input_shape=[4], output_shape=[3])
result["layer"] = layer(x).numpy().ravel()[:5].tolist()

inputs = tf.keras.Input([4])
hidden = tf.keras.layers.Dense(5, activation="relu")
model = tf.keras.Model(inputs, hidden(inputs))
hidden.set_weights([0.3 * rng.normal(size=(4, 5)), np.zeros(5)])
saved = os.path.join(tempfile.mkdtemp(), "keras")
model.save(saved)
classifier = tf.keras.Sequential(
    [
        hub.KerasLayer(saved, trainable=True, input_shape=(4,), dtype=tf.float32, name="module"),
        tf.keras.layers.Dense(2),
    ]
)
classifier.build([None, 4])
classifier.layers[-1].set_weights([0.3 * rng.normal(size=(5, 2)), np.zeros(2)])
assert len(classifier.trainable_weights) == 4
classifier.compile(
    "sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
history = classifier.fit(x, np.array([0, 1, 0, 1, 0, 1]), epochs=3, shuffle=False, verbose=0).history
result["loss"] = history["loss"]
config = classifier.layers[0].get_config()
assert config["handle"] == saved
whole = os.path.join(tempfile.mkdtemp(), "whole.h5")
classifier.save(whole)
again = tf.keras.models.load_model(whole, custom_objects={"KerasLayer": hub.KerasLayer})
result["again"] = again.predict(x, verbose=0).ravel()[:4].tolist()
assert os.path.exists(os.path.join(folder, "saved_model.pb"))
print("result", result)
