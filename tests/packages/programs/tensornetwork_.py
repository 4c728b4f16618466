"""Contractions of networks of tensors, as in the README of tensornetwork."""

import numpy as np
import tensornetwork as tn
import tensorflow as tf

tn.set_default_backend("tensorflow")
rng = np.random.default_rng(0)
a = tn.Node(tf.constant(rng.normal(size=(4, 5)).astype("float32")))
b = tn.Node(tf.constant(rng.normal(size=(5, 6)).astype("float32")))
a[1] ^ b[0]
result = {"matmul": np.ravel((a @ b).tensor)[:8].tolist()}
nodes = [tn.Node(tf.constant(rng.normal(size=(3, 3)).astype("float32"))) for _ in range(4)]
for left, right in zip(nodes, nodes[1:] + nodes[:1]):
    left[1] ^ right[0]
result["ring"] = [float(tn.contractors.greedy(nodes).tensor)]
with tf.GradientTape() as tape:
    w = tf.Variable(rng.normal(size=(3, 3)).astype("float32"))
    loss = tf.reduce_sum(tn.ncon([w, w, w], [(-1, 1), (1, 2), (2, -2)]))
result["ncon"] = [float(loss), *np.ravel(tape.gradient(loss, w)).tolist()]


class TNLayer(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.a = self.add_weight("a", shape=(4, 4, 2), initializer="ones")
        self.b = self.add_weight("b", shape=(4, 4, 2), initializer="ones")
        self.bias = self.add_weight("bias", shape=(4, 4), initializer="zeros")

    def call(self, inputs):
        def f(vector, a_var, b_var, bias_var):
            a, b = tn.Node(a_var), tn.Node(b_var)
            x_node = tn.Node(tf.reshape(vector, (4, 4)))
            a[1] ^ x_node[0]
            b[1] ^ x_node[1]
            a[2] ^ b[2]
            c = a @ x_node
            return (c @ b).tensor + bias_var

        return tf.nn.relu(
            tf.reshape(tf.vectorized_map(lambda vec: f(vec, self.a, self.b, self.bias), inputs), (-1, 16))
        )


model = tf.keras.Sequential([tf.keras.Input(shape=(16,)), TNLayer(), tf.keras.layers.Dense(1)])
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = rng.normal(size=(12, 16)).astype("float32")
result["layer"] = model.fit(x, x[:, :1], batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"]
print("result", result)
