"""A module trained by hand on a line, and a small network on fixed data."""

import numpy as np
import tensorflow as tf


class Line(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(5.0, name="w")
        self.b = tf.Variable(0.0, name="b")
        self.frozen = tf.Variable(1.0, trainable=False, name="frozen")

    def __call__(self, x):
        return self.w * x * self.frozen + self.b


model = Line(name="line")
print([v.name for v in model.variables], [v.name for v in model.trainable_variables], model.name)
xs = tf.linspace(-2.0, 2.0, 21)
ys = 3.0 * xs + 2.0
for epoch in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(ys - model(xs)))
    dw, db = tape.gradient(loss, [model.w, model.b])
    model.w.assign_sub(0.1 * dw)
    model.b.assign_sub(0.1 * db)
    if epoch % 3 == 0:
        print(f"Epoch {epoch:2d}: w={model.w.numpy():.4f} b={model.b.numpy():.4f} loss={loss:.4f}")

rng = np.random.default_rng(0)
features = tf.constant(rng.normal(size=(32, 4)), tf.float32)
labels = tf.cast(features[:, 0] * features[:, 1] > 0, tf.int32)
w1 = tf.Variable(rng.normal(size=(4, 8)).astype("float32") * 0.5)
b1 = tf.Variable(tf.zeros(8))
w2 = tf.Variable(rng.normal(size=(8, 2)).astype("float32") * 0.5)
variables = [w1, b1, w2]


@tf.function
def step():
    with tf.GradientTape() as tape:
        logits = tf.nn.tanh(features @ w1 + b1) @ w2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    gradients = tape.gradient(loss, variables)
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(0.5 * gradient)
    return loss, norm, tf.reduce_mean(tf.cast(tf.argmax(logits, 1, tf.int32) == labels, tf.float32))


for i in range(30):
    loss, norm, accuracy = step()
    if i % 10 == 9:
        print(f"step {i} loss {loss:.3f} norm {norm:.3f} accuracy {accuracy:.2f}")
