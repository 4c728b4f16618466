"""A table from CSV: pandas, normalisation, categorical columns, make_csv_dataset."""

import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(3)

rng = np.random.default_rng(0)
count = 200
frame = pd.DataFrame(
    {
        "sex": rng.choice(["male", "female"], count),
        "age": rng.integers(1, 80, count).astype(float),
        "fare": rng.gamma(2.0, 20.0, count),
        "cabin": rng.choice(["A", "B", "C"], count),
    }
)
frame["survived"] = ((frame["sex"] == "female") ^ (rng.random(count) < 0.1)).astype(int)
path = os.path.join(tempfile.mkdtemp(), "people.csv")
frame.to_csv(path, index=False)

table = pd.read_csv(path)
labels = table.pop("survived")
inputs = {}
for name, column in table.items():
    dtype = tf.string if column.dtype == object or str(column.dtype).startswith("str") else tf.float32
    inputs[name] = tf.keras.Input(shape=(1,), name=name, dtype=dtype)
numeric = {name: i for name, i in inputs.items() if i.dtype == tf.float32}
x = layers.Concatenate()(list(numeric.values()))
norm = layers.Normalization()
norm.adapt(np.array(table[list(numeric)]))
processed = [norm(x)]
for name, given in inputs.items():
    if given.dtype == tf.float32:
        continue
    lookup = layers.StringLookup(vocabulary=np.unique(table[name]))
    one_hot = layers.CategoryEncoding(num_tokens=lookup.vocabulary_size())
    processed.append(one_hot(lookup(given)))
cat = layers.Concatenate()(processed)
preprocessing = tf.keras.Model(inputs, cat)
features = {name: np.array(value) for name, value in table.items()}
first = preprocessing({name: values[:1] for name, values in features.items()})
assert first.shape == (1, 2 + 3 + 4)

body = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(1)])
result = body(preprocessing(inputs))
model = tf.keras.Model(inputs, result)
model.compile(
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True), optimizer="adam", metrics=["accuracy"]
)
history = model.fit(x=features, y=labels, epochs=15, verbose=0)
print("loss", history.history["loss"][0], "->", history.history["loss"][-1])
assert history.history["loss"][-1] < history.history["loss"][0]

batches = tf.data.experimental.make_csv_dataset(
    path, batch_size=5, label_name="survived", num_epochs=1, ignore_errors=True
)
for batch, label in batches.take(1):
    for key, value in batch.items():
        print(f"{key:20s}: {value}")
    assert label.shape == (5,) and set(batch) == {"sex", "age", "fare", "cabin"}

text = open(path).read().split("\n")[1:-1]
kinds = [str(), float(), float(), str(), int()]
parsed = tf.io.decode_csv(text, record_defaults=kinds)
assert len(parsed) == 5 and parsed[0].shape == (count,)
simple = tf.data.experimental.CsvDataset(path, record_defaults=kinds, header=True)
assert len(next(iter(simple))) == 5
dataset = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(count).batch(32)
model.fit(dataset, epochs=2, verbose=0)
print("done")
