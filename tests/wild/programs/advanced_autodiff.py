"""Higher derivatives, jacobians, custom gradients, gradient penalties."""

import numpy as np
import tensorflow as tf

x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as t:
    x_sq = x * x
    with t.stop_recording():
        y_sq = y * y
    z = x_sq + y_sq
grad = t.gradient(z, {"x": x, "y": y})
assert grad["x"].numpy() == 4.0 and grad["y"] is None

with tf.GradientTape() as t:
    z = x**2 + tf.stop_gradient(y**2)
assert t.gradient(z, y) is None


@tf.custom_gradient
def clip_gradients(value):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)

    return value, backward


v = tf.Variable(2.0)
with tf.GradientTape() as t:
    output = clip_gradients(v * v)
assert t.gradient(output, v).numpy() == 2.0

x = tf.Variable(1.0)
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = x * x * x
    dy_dx = t1.gradient(y, x)
assert dy_dx.numpy() == 3.0 and t2.gradient(dy_dx, x).numpy() == 6.0

inputs = tf.random.normal([7, 5])
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
with tf.GradientTape() as t2:
    with tf.GradientTape(watch_accessed_variables=False) as t1:
        t1.watch(inputs)
        out = tf.reduce_sum(layer(inputs) ** 2)
    g1 = t1.gradient(out, inputs)
    magnitude = tf.norm(g1)
dg1 = t2.gradient(magnitude, layer.trainable_variables)
assert [d.shape for d in dg1] == [(5, 10), (10,)]

x = tf.linspace(-10.0, 10.0, 201)
delta = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + delta)
assert tape.jacobian(y, delta).shape == (201,)

with tf.GradientTape(persistent=True) as tape:
    tape.watch(inputs)
    y = layer(inputs)
j = tape.jacobian(y, layer.kernel)
assert j.shape == (7, 10, 5, 10)
np.testing.assert_allclose(
    tf.reduce_sum(j, axis=[0, 1]), tape.gradient(y, layer.kernel), rtol=1e-4, atol=1e-5
)
per_example = tape.batch_jacobian(y, inputs)
assert per_example.shape == (7, 10, 5)
full = tape.jacobian(y, inputs)
np.testing.assert_allclose(tf.einsum("bxby->bxy", full), per_example, rtol=1e-5, atol=1e-6)

# A Newton step with a hessian.
w = tf.Variable([[1.0], [-2.0]])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        loss = tf.reduce_sum(tf.constant([[3.0], [0.5]]) * w**2) + tf.reduce_sum(w)
    g = t1.gradient(loss, w)
h = tf.reshape(t2.jacobian(g, w), [2, 2])
w.assign_sub(tf.linalg.solve(h, g))
np.testing.assert_allclose(w, [[-1 / 6], [-1.0]], rtol=1e-5)
print("done")
