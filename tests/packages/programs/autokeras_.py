"""A search over networks for pictures, tables and numbers, as in the README of autokeras."""

import tempfile

import autokeras as ak
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
images = rng.uniform(size=(40, 8, 8, 1)).astype("float32")
labels = (images.mean(axis=(1, 2, 3)) > 0.5).astype(int)
folder = tempfile.mkdtemp()

clf = ak.ImageClassifier(overwrite=True, max_trials=1, directory=folder, seed=1)
clf.fit(images, labels, epochs=1, verbose=0)
assert clf.predict(images[:3], verbose=0).shape == (3, 1)
assert len(clf.evaluate(images, labels, verbose=0)) == 2
model = clf.export_model()
assert isinstance(model, tf.keras.Model)

table = np.stack([rng.normal(size=40), rng.integers(0, 3, 40)], axis=1)
reg = ak.StructuredDataRegressor(max_trials=1, overwrite=True, directory=folder, project_name="table")
reg.fit(table, table[:, 0], epochs=2, verbose=0)
assert reg.predict(table, verbose=0).shape == (40, 1)

node = ak.ImageInput()
output = ak.ClassificationHead()(ak.ConvBlock(num_blocks=1)(ak.Normalization()(node)))
auto = ak.AutoModel(
    inputs=node, outputs=output, overwrite=True, max_trials=1, directory=folder, project_name="auto"
)
auto.fit(images, labels, epochs=1, verbose=0)
assert auto.predict(images[:3], verbose=0).shape == (3, 1)

texts = np.array(["good film", "bad film", "good", "bad"] * 5)
text = ak.TextClassifier(max_trials=1, overwrite=True, directory=folder, project_name="text")
text.fit(texts, np.array([1, 0, 1, 0] * 5), epochs=1, batch_size=5, verbose=0)
assert text.predict(texts[:2], verbose=0).shape == (2, 1)
print("result", {"trials": [1]})
