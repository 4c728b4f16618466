"""Graph networks over ragged tensors, as in the README of kgcnn."""

import numpy as np
import tensorflow as tf
from kgcnn.layers.gather import GatherNodes
from kgcnn.layers.modules import ActivationEmbedding, Dense, LazyConcatenate
from kgcnn.layers.pooling import PoolingLocalMessages, PoolingNodes

nodes = tf.ragged.constant(
    [[[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.1], [0.2, 0.9], [0.4, 0.4]]], ragged_rank=1, inner_shape=(2,)
)
edges = tf.ragged.constant(
    [[[0, 1], [1, 0]], [[0, 1], [1, 2], [2, 0]]], ragged_rank=1, inner_shape=(2,), dtype="int64"
)
n = tf.keras.layers.Input(shape=(None, 2), name="node_input", dtype="float32", ragged=True)
ei = tf.keras.layers.Input(shape=(None, 2), name="edge_index_input", dtype="int64", ragged=True)
gathered = GatherNodes()([n, ei])
messages = Dense(4, activation="relu")(gathered)
pooled = PoolingLocalMessages()([n, messages, ei])
joined = LazyConcatenate()([n, pooled])
out = Dense(1, activation="sigmoid")(PoolingNodes(pooling_method="mean")(joined))
model = tf.keras.models.Model(inputs=[n, ei], outputs=out)
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
result = {"predicted": np.ravel(model.predict([nodes, edges], verbose=0)).tolist()}
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
result["loss"] = model.fit(
    [nodes, edges], np.array([[0.2], [0.8]]), batch_size=2, epochs=3, shuffle=False, verbose=0
).history["loss"]
print("result", result)
