"""Automatic differentiation: tapes, their options, higher orders, and gradients that are not there."""

import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
print(tape.gradient(y, x))

w, b = tf.Variable([[1.0, -1.0], [0.5, 2.0]], name="w"), tf.Variable(tf.zeros(2), name="b")
inputs = tf.constant([[1.0, 2.0]])
with tf.GradientTape(persistent=True) as tape:
    y = inputs @ w + b
    loss = tf.reduce_mean(y**2)
print(*tape.gradient(loss, [w, b]), sep="\n")
print(tape.gradient(loss, {"w": w, "b": b})["b"].numpy())

x0, x1 = tf.Variable(2.0), tf.Variable(2.0, trainable=False)
x2, x3 = tf.Variable(2.0) + 1.0, tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x0**2 + x1**2 + x2**2 + x3**2
print(tape.gradient(y, [x0, x1, x2, x3]))
print([v.name for v in tape.watched_variables()])

t = tf.constant(3.0)
with tf.GradientTape() as outer:
    outer.watch(t)
    with tf.GradientTape() as inner:
        inner.watch(t)
        y = t * t * t
    first = inner.gradient(y, t)
print(first.numpy(), outer.gradient(first, t).numpy())

with tf.GradientTape(persistent=True) as tape:
    y = x * x
    with tape.stop_recording():
        z = x * x
    q = tf.stop_gradient(x) * x
print(tape.gradient(y, x), tape.gradient(z, x), tape.gradient(q, x))
print(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))

v = tf.linspace(-1.0, 1.0, 3)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(v)
    y = tf.nn.sigmoid(v)
print(tape.gradient(y, v), tape.jacobian(y, v))
batch = tf.reshape(tf.range(6.0), [3, 2])
with tf.GradientTape() as tape:
    tape.watch(batch)
    y = batch**2
print(tape.batch_jacobian(y, batch))


@tf.custom_gradient
def clipped(u):
    def grad(upstream):
        return tf.clip_by_norm(upstream, 0.5)

    return u, grad


with tf.GradientTape() as tape:
    y = clipped(x * x)
print(tape.gradient(y, x))


@tf.custom_gradient
def half_known(u, v):
    def grad(upstream):
        return upstream * v, None

    return u * v, grad


with tf.GradientTape() as tape:
    y = half_known(x, x0)
print(tape.gradient(y, [x, x0]))
with tf.GradientTape() as tape:
    y = x
    x.assign_add(1.0)
    z = x * 2.0
print(tape.gradient(z, x), x)
try:
    tape.gradient(z, x)
except RuntimeError as error:
    print("RuntimeError", "persistent" in str(error))
i = tf.constant(10)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(i, tf.float32) * tf.cast(tf.cast(x, tf.int32), tf.float32)
print(tape.gradient(y, x))
