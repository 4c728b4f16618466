"""Programs with Python control flow over tensors, as a TensorFlow user writes them.

Each takes the module to write it with, so TapeFlow and TensorFlow run the same lines, and returns a function without
arguments that runs it once and gives a number.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[], float]


def collatz(tf: Any) -> Program:
    """`while` with an `if`: 261 steps."""

    @tf.function
    def steps_from(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    start = tf.constant(6171)
    return lambda: float(steps_from(start).numpy())


def power_iteration(tf: Any) -> Program:
    """`for _ in tf.range(500)`: a matrix times a vector, normalised."""
    rng = np.random.default_rng(0)
    matrix = tf.constant(rng.normal(size=(64, 64)).astype("float32"))
    vector = tf.constant(np.ones(64, "float32"))

    @tf.function
    def iterate(v):
        for _ in tf.range(500):
            v = tf.linalg.matvec(matrix, v)
            v = v / tf.norm(v)
        return tf.reduce_sum(tf.abs(v))

    return lambda: float(iterate(vector).numpy())


def gru(tf: Any) -> Program:
    """A GRU cell over 50 steps into a TensorArray."""
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(50, 32, 16)).astype("float32"))
    wx = tf.Variable(rng.normal(size=(16, 96)).astype("float32") * 0.1)
    wh = tf.Variable(rng.normal(size=(32, 96)).astype("float32") * 0.1)

    @tf.function
    def unroll(x):
        h = tf.zeros((32, 32))
        outputs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for t in tf.range(50):
            a, b = tf.matmul(x[t], wx), tf.matmul(h, wh)
            z = tf.sigmoid(a[:, :32] + b[:, :32])
            r = tf.sigmoid(a[:, 32:64] + b[:, 32:64])
            candidate = tf.tanh(a[:, 64:] + r * b[:, 64:])
            h = z * h + (1.0 - z) * candidate
            outputs = outputs.write(t, h)
        return tf.reduce_mean(tf.square(outputs.stack()))

    return lambda: float(unroll(x).numpy())


def search(tf: Any) -> Program:
    """`for i in tf.range(1000)` with `if ...: break`."""

    @tf.function
    def first_above(x, limit):
        total = 0.0
        for i in tf.range(1000):
            total += x[i]
            if total > limit:
                break
        return total

    x = tf.constant(np.linspace(0.0, 1.0, 1000).astype("float32"))
    limit = tf.constant(400.0)
    return lambda: float(first_above(x, limit).numpy())


def loop_gradient(tf: Any) -> Program:
    """The gradient through `for _ in tf.range(100)`."""
    w = tf.Variable(np.full((16, 16), 0.05, "float32"))
    x = tf.constant(np.ones((4, 16), "float32"))

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            h = x
            for _ in tf.range(100):
                h = tf.tanh(tf.matmul(h, w) + x)
            loss = tf.reduce_sum(h * h)
        return tape.gradient(loss, w)

    return lambda: float(np.abs(gradient(x).numpy()).sum())


def augmentation(tf: Any) -> Program:
    """`Dataset.map` with `if tf.random.uniform(()) < 0.1:`, 3,000 images."""
    images = np.random.default_rng(0).random((3000, 32, 32, 3)).astype("float32")

    def augment(image):
        if tf.random.uniform(()) < 0.1:
            image = tf.image.flip_left_right(image)
        if tf.random.uniform(()) < 0.1:
            image = 1.0 - image
        return image

    dataset = tf.data.Dataset.from_tensor_slices(images).map(augment).batch(100)
    return lambda: float(sum(1 for _ in dataset.as_numpy_iterator()))


def hand_rnn(tf: Any) -> Program:
    """A Keras model whose `call` loops over the steps of a sequence, trained."""
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(32, 20, 8)).astype("float32"))
    y = tf.constant(rng.normal(size=(32, 1)).astype("float32"))
    wx, wh, wo = [
        tf.Variable(rng.normal(size=shape).astype("float32") * 0.1) for shape in ((8, 32), (32, 32), (32, 1))
    ]

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            h = tf.zeros((32, 32))
            for row in tf.transpose(x, [1, 0, 2]):
                h = tf.tanh(tf.matmul(row, wx) + tf.matmul(h, wh))
            loss = tf.reduce_mean(tf.square(tf.matmul(h, wo) - y))
        for variable, gradient in zip((wx, wh, wo), tape.gradient(loss, (wx, wh, wo)), strict=True):
            variable.assign_sub(1e-4 * gradient)
        return loss

    return lambda: float(step(x, y).numpy())


def ode(tf: Any) -> Program:
    """A Runge-Kutta solver with a step that adapts to the error."""

    @tf.function
    def solve(y, end):
        t, h = tf.zeros(()), tf.constant(0.01)
        while t < end:
            k1 = y * (1.0 - y)
            k2 = (y + h * k1) * (1.0 - y - h * k1)
            error = tf.reduce_max(tf.abs(h * (k2 - k1) / 2.0))
            if error < 1e-4:
                y = y + h * (k1 + k2) / 2.0
                t = t + h
                h = h * 1.2
            else:
                h = h * 0.5
        return tf.reduce_sum(y)

    start, end = tf.constant(np.linspace(0.01, 0.5, 32).astype("float32")), tf.constant(10.0)
    return lambda: float(solve(start, end).numpy())


def metropolis(tf: Any) -> Program:
    """2,000 steps of a Metropolis sampler."""

    @tf.function
    def sample(x):
        accepted = 0
        for _ in tf.range(2000):
            proposal = x + tf.random.normal((2,)) * 0.5
            gain = tf.reduce_sum(x * x) / 2.0 - tf.reduce_sum(proposal * proposal) / 2.0
            if tf.math.log(tf.random.uniform(())) < gain:
                x = proposal
                accepted += 1
        return tf.cast(accepted, tf.float32) / 2000.0

    start = tf.zeros((2,))
    return lambda: float(sample(start).numpy() > 0.3)


def beam_search(tf: Any) -> Program:
    """Beams of 4 over 30 steps, until all have ended."""
    rng = np.random.default_rng(0)
    scores = tf.constant(rng.normal(size=(50, 50)).astype("float32"))

    @tf.function
    def decode(start):
        tokens = tf.fill((4,), start)
        totals = tf.constant([0.0, -1e9, -1e9, -1e9])
        length = 0
        for _ in tf.range(30):
            found = totals[:, None] + tf.nn.log_softmax(tf.gather(scores, tokens))
            totals, places = tf.math.top_k(tf.reshape(found, (-1,)), 4)
            tokens = places % 50
            length += 1
            if tf.reduce_all(tokens == 0):
                break
        return totals[0] + tf.cast(length, tf.float32)

    start = tf.constant(1)
    return lambda: float(decode(start).numpy())


def actor_critic(tf: Any) -> Program:
    """An episode in a tensor environment and the step that learns from it."""
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(4, 2)).astype("float32") * 0.1)
    v = tf.Variable(rng.normal(size=(4, 1)).astype("float32") * 0.1)

    @tf.function
    def episode(state):
        with tf.GradientTape() as tape:
            total, loss = 0.0, 0.0
            for _ in tf.range(100):
                logits = tf.matmul(state[None], w)
                value = tf.matmul(state[None], v)[0, 0]
                action = tf.cast(logits[0, 1] > logits[0, 0], tf.float32)
                log_probability = tf.nn.log_softmax(logits)[0, 0]
                state = tf.tanh(state * 1.05 + (action - 0.5) * 0.1)
                reward = 1.0 - tf.abs(state[0])
                loss += -log_probability * tf.stop_gradient(reward - value) + tf.square(reward - value)
                total += reward
                if tf.abs(state[0]) > 0.99:
                    break
        for variable, gradient in zip((w, v), tape.gradient(loss, (w, v)), strict=True):
            variable.assign_sub(1e-6 * gradient)
        return total

    start = tf.constant([0.1, 0.2, -0.1, 0.05])
    return lambda: float(episode(start).numpy())


def gradient_penalty(tf: Any) -> Program:
    """The critic's five steps of a WGAN with a gradient penalty."""
    rng = np.random.default_rng(0)
    w1 = tf.Variable(rng.normal(size=(8, 32)).astype("float32") * 0.2)
    w2 = tf.Variable(rng.normal(size=(32, 1)).astype("float32") * 0.2)
    real = tf.constant(rng.normal(size=(64, 8)).astype("float32"))
    fake = tf.constant(rng.normal(size=(64, 8)).astype("float32") + 1.0)

    def critic(x):
        return tf.matmul(tf.tanh(tf.matmul(x, w1)), w2)

    @tf.function
    def train(real, fake):
        loss = 0.0
        for _ in tf.range(5):
            with tf.GradientTape() as outer:
                mixed = (real + fake) / 2.0
                with tf.GradientTape() as inner:
                    inner.watch(mixed)
                    scored = critic(mixed)
                slopes = tf.norm(inner.gradient(scored, mixed), axis=1)
                penalty = tf.reduce_mean(tf.square(slopes - 1.0))
                loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
            for variable, gradient in zip((w1, w2), outer.gradient(loss, (w1, w2)), strict=True):
                variable.assign_sub(1e-5 * gradient)
        return loss

    return lambda: float(train(real, fake).numpy())


PROGRAMS = {
    function.__name__: function
    for function in (
        *(collatz, power_iteration, gru, search, loop_gradient, augmentation),
        *(hand_rnn, gradient_penalty, ode, metropolis, beam_search, actor_critic),
    )
}
