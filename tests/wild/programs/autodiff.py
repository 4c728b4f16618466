"""Automatic differentiation: sources, targets, persistence, and what cuts a gradient."""

import numpy as np
import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
assert tape.gradient(y, x).numpy() == 6.0

w = tf.Variable(tf.random.normal((3, 2)), name="w")
b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
inputs = [[1.0, 2.0, 3.0]]
with tf.GradientTape(persistent=True) as tape:
    out = inputs @ w + b
    loss = tf.reduce_mean(out**2)
dl_dw, dl_db = tape.gradient(loss, [w, b])
assert dl_dw.shape == w.shape and np.allclose(dl_db, out[0])
assert np.allclose(tape.gradient(loss, {"w": w, "b": b})["b"], dl_db)
del tape

layer = tf.keras.layers.Dense(2, activation="relu")
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(layer(tf.constant(inputs)) ** 2)
grads = tape.gradient(loss, layer.trainable_variables)
for variable, grad in zip(layer.trainable_variables, grads):
    print(f"{variable.name}, shape: {grad.shape}")
assert [v.name.split("/")[-1] for v in layer.trainable_variables] == ["kernel:0", "bias:0"]

x0, x1 = tf.Variable(3.0, name="x0"), tf.Variable(3.0, name="x1", trainable=False)
x2, x3 = tf.Variable(2.0, name="x2") + 1.0, tf.constant(3.0, name="x3")
with tf.GradientTape() as tape:
    y = (x0**2) + (x1**2) + (x2**2)
assert [g is None for g in tape.gradient(y, [x0, x1, x2, x3])] == [False, True, True, True]

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**2
    z = y**2
assert tape.gradient(z, y).numpy() == 18.0

x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    y0, y1 = x**2, 1 / x
assert tape.gradient(y0, x).numpy() == 4.0 and tape.gradient(y1, x).numpy() == -0.25
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
assert tape.gradient(y, x).numpy() == 7.0

x = tf.linspace(-10.0, 10.0, 21)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)
s = 1 / (1 + np.exp(-np.linspace(-10, 10, 21)))
np.testing.assert_allclose(tape.gradient(y, x), s * (1 - s), atol=1e-6)

v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    result = v0 if tf.constant(1.0) > 0.0 else v1**2
assert tape.gradient(result, v0).numpy() == 1.0 and tape.gradient(result, v1) is None

x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
with tf.GradientTape() as tape:
    x2 = x**2
    y = tf.reduce_mean(np.mean(x2, axis=0), axis=0)  # leaves TensorFlow
assert tape.gradient(y, x) is None

x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
with tf.GradientTape() as tape:
    z = y**2
assert tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy().tolist() == [0.0, 0.0]
print("done")
