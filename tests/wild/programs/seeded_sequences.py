"""Sequences with numpy's seed: a chain's likelihood by tf.scan, a beam by a loop, averages of what was learned."""

import numpy as np
import tensorflow as tf

np.random.seed(0)
emissions = tf.constant(np.random.randn(2, 4, 3).astype("float32"))
transitions = tf.Variable(np.random.randn(3, 3).astype("float32"), name="transitions")
np.testing.assert_allclose(emissions[0, 0], [1.7640524, 0.4001572, 0.978738], rtol=1e-6)
tags = tf.constant([[0, 1, 2, 1], [2, 2, 0, 1]])


def log_norm(inputs):
    def step(alpha, x):
        return tf.reduce_logsumexp(alpha[:, :, None] + transitions[None], 1) + x

    return tf.reduce_logsumexp(tf.scan(step, tf.transpose(inputs, [1, 0, 2])[1:], inputs[:, 0])[-1], -1)


def score(inputs):
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
    alone = tf.reduce_sum(inputs * tf.one_hot(tags, 3), [1, 2])
    return alone + tf.reduce_sum(tf.gather_nd(transitions, pairs), 1)


optimizer = tf.keras.optimizers.SGD(0.5)
average = tf.train.ExponentialMovingAverage(0.9)
average.apply([transitions])
start = transitions.numpy()


@tf.function
def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(log_norm(emissions) - score(emissions))
    optimizer.apply_gradients([(tape.gradient(loss, transitions), transitions)])
    average.apply([transitions])
    return loss


losses = [float(train()) for _ in range(5)]
assert losses == sorted(losses, reverse=True), losses
mean = average.average(transitions)
assert np.abs(mean.numpy() - start).max() < np.abs(transitions.numpy() - start).max()


@tf.function
def beam(table, width, length):
    rows, scores = tf.zeros([width, 1], tf.int32), tf.concat([[0.0], tf.fill([width - 1], -1e9)], 0)
    for _ in tf.range(length):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, tf.TensorShape([None, None]))])
        flat = tf.reshape(scores[:, None] + tf.gather(table, rows[:, -1]), [-1])
        scores, places = tf.math.top_k(flat, k=width)
        rows = tf.concat([tf.gather(rows, places // 3), (places % 3)[:, None]], axis=1)
    return rows, scores


rows, scores = beam(tf.nn.log_softmax(transitions), 2, tf.constant(3))
assert rows.shape == (2, 4) and scores[0] >= scores[1]
print("done")
