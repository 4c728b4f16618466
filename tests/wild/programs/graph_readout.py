"""Graphs of different sizes in one batch, read out by a layer whose shapes depend on the data; columns of strings."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

BATCH = 4


def graph(i):
    rng = np.random.RandomState(i)
    nodes = 2 + i % 3
    return rng.rand(nodes, 5).astype("float32"), np.array(
        [(a, b) for a in range(nodes) for b in range(nodes)]
    )


nodes, pairs = zip(*[graph(i) for i in range(8)])
features = tf.ragged.constant([n.tolist() for n in nodes], dtype=tf.float32)
edges = tf.ragged.constant([p.tolist() for p in pairs], dtype=tf.int64)
labels = (np.arange(8) % 2).astype("float32")


def merged(graphs, y):
    nodes, pairs = graphs
    sizes, counts = nodes.row_lengths(), pairs.row_lengths()
    owner = tf.repeat(tf.range(len(sizes)), sizes)
    shift = tf.repeat(tf.cumsum(sizes, exclusive=True), counts)
    pairs = pairs.merge_dims(0, 1).to_tensor() + shift[:, tf.newaxis]
    return (nodes.merge_dims(0, 1).to_tensor(), pairs, owner), y


class Messages(layers.Layer):
    def build(self, input_shape):
        width = input_shape[0][-1]
        self.kernel = self.add_weight(shape=(width, width), initializer="glorot_uniform", name="kernel")
        self.cell = layers.GRUCell(width)
        self.built = True

    def call(self, inputs):
        nodes, pairs = inputs
        sent = tf.matmul(tf.gather(nodes, pairs[:, 1]), self.kernel)
        got = tf.math.unsorted_segment_sum(sent, pairs[:, 0], num_segments=tf.shape(nodes)[0])
        return self.cell(got, nodes)[0]


class Readout(layers.Layer):
    def call(self, inputs):
        nodes, owner = inputs
        parts = tf.dynamic_partition(nodes, owner, BATCH)
        largest = tf.reduce_max([tf.shape(p)[0] for p in parts])
        padded = tf.stack([tf.pad(p, [(0, largest - tf.shape(p)[0]), (0, 0)]) for p in parts])
        filled = tf.squeeze(tf.where(tf.reduce_sum(padded, (1, 2)) != 0), axis=-1)
        return tf.reduce_mean(tf.gather(padded, filled, axis=0), axis=1)


a = layers.Input((5), dtype="float32", name="nodes")
b = layers.Input((2), dtype="int32", name="pairs")
c = layers.Input((), dtype="int32", name="owner")
hidden = layers.Dense(8, activation="relu")(Readout()([Messages()([a, b]), c]))
model = keras.Model([a, b, c], layers.Dense(1, activation="sigmoid")(hidden))
model.compile("adam", "binary_crossentropy", metrics=[keras.metrics.AUC(name="auc")])
dataset = (
    tf.data.Dataset.from_tensor_slices(((features, edges), labels)).batch(BATCH).map(merged, -1).prefetch(-1)
)
history = model.fit(dataset, epochs=2, verbose=0, class_weight={0: 2.0, 1: 0.5}).history
print(sorted(history), np.isfinite(history["loss"]).all(), model.predict(dataset, verbose=0).shape)

words = tf.data.Dataset.from_tensor_slices(["cat", "dog", "cow", "a", "in", "horse"])
letters = words.map(lambda w: tf.strings.unicode_split(w, "UTF-8")).padded_batch(2)
print([batch.shape.as_list() for batch in letters])

inputs = {"age": keras.Input((), name="age"), "job": keras.Input((), name="job", dtype=tf.string)}
job = tf.expand_dims(inputs["job"], -1)
job = layers.StringLookup(vocabulary=["cook", "smith"], mask_token=None, output_mode="multi_hot")(job)
wide = layers.concatenate([tf.expand_dims(inputs["age"], -1), job])
print(wide.shape)
model = keras.Model(inputs, layers.Dense(1)(wide))
model.compile("sgd", "mse")
rows = {"age": np.array([0.1, 0.2, 0.3, 0.4]), "job": np.array(["cook", "smith", "cook", "bard"])}
print(len(model.fit(rows, np.ones(4), verbose=0).history["loss"]))

levels = [tf.math.ceil(tf.constant(20) / 2**i) for i in (3, 4)]
print([tf.tile(tf.zeros([1, 2]), [n, 1]).shape.as_list() for n in levels])
log = np.zeros(3, np.int32)
log[0] = tf.squeeze(tf.constant([[7]]), axis=1).numpy()[0]
print(log.tolist())
print("done")
