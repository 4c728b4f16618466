"""Work that is done once or a few times, so that its price is compiling: scripts, notebooks, searches, first steps."""

from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)
CLASSES, VOCABULARY, WIDTH = 10, 50, 32


def small_ops(tf: Any) -> Callable[[], object]:
    """Print 150 small results of ten ops, of 15 shapes."""

    def run() -> list[str]:
        printed = []
        for n in range(2, 17):
            a, b = (
                tf.constant(RANDOM.random((n, 3), np.float32)),
                tf.constant(RANDOM.random((3, n), np.float32)),
            )
            found = (
                a @ b,
                tf.reduce_sum(a, 0),
                tf.nn.softmax(a),
                tf.concat([a, a], 1),
                tf.transpose(a) + b,
                tf.sqrt(a) * 2,
                tf.argmax(a, 1),
                tf.reshape(a, (-1,)),
                tf.linalg.norm(a),
                tf.exp(a) - tf.math.log(a),
            )
            printed += [str(value) for value in found]
        return printed

    return run


def small_gradients(tf: Any) -> Callable[[], object]:
    """Print 30 gradients of 30 shapes."""

    def run() -> list[str]:
        printed = []
        for n in range(2, 32):
            x = tf.Variable(RANDOM.random((n, 3), np.float32))
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.sin(x) * x**2)
            printed.append(str(tape.gradient(y, x)))
        return printed

    return run


def expression(tf: Any) -> Callable[[], object]:
    """Compute one expression of 500 ops."""

    def run() -> np.ndarray:
        x = tf.constant(RANDOM.random(8, np.float32))
        for i in range(250):
            x = tf.sin(x) * (1.0 + i / 1000) if i % 2 else x + tf.cos(x)
        return x.numpy()

    return run


def widths(tf: Any) -> Callable[[], object]:
    """Train ten networks of different width for two epochs each."""
    layers = tf.keras.layers
    x, y = RANDOM.random((256, 20), np.float32), RANDOM.random((256, 1), np.float32)

    def run() -> None:
        for width in range(16, 96, 8):
            hidden = [layers.Dense(width, "relu"), layers.Dense(width, "relu")]
            model = tf.keras.Sequential([*hidden, layers.Dense(1)])
            model.compile("adam", "mse")
            model.fit(x, y, epochs=2, verbose=0)

    return run


def first_fit(tf: Any, kind: str) -> Callable[[], object]:
    """Take the first step of `fit`."""
    layers = tf.keras.layers
    shape = {"mlp": (784,), "cnn": (28, 28, 1), "lstm": (20, 16)}[kind]
    x, y = RANDOM.random((32, *shape), np.float32), RANDOM.integers(0, CLASSES, 32)

    def run() -> None:
        inner = {
            "mlp": [layers.Dense(64, "relu"), layers.Dense(64, "relu")],
            "cnn": [
                layers.Conv2D(8, 3, activation="relu"),
                layers.MaxPooling2D(),
                layers.Conv2D(16, 3, activation="relu"),
                layers.Flatten(),
            ],
            "lstm": [layers.LSTM(32)],
        }[kind]
        model = tf.keras.Sequential([*inner, layers.Dense(CLASSES)])
        model.compile(
            "adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
        )
        model.fit(x, y, verbose=0)

    return run


def tiny(tf: Any) -> Callable[[], object]:
    """Evaluate, predict, fit and a tape loop of a tiny model, each for the first time."""
    layers = tf.keras.layers
    x, y = RANDOM.random((16, 4), np.float32), RANDOM.random((16, 1), np.float32)

    def run() -> None:
        model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
        model.compile("adam", "mse")
        model.evaluate(x, y, verbose=0)
        model.predict(x, verbose=0)
        model.fit(x, y, verbose=0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            float(loss)

    return run


def greedy(tf: Any) -> Callable[[], object]:
    """Decode 60 words, each with attention over those before it."""
    layers = tf.keras.layers
    embedding, hidden, logits = (
        layers.Embedding(VOCABULARY, WIDTH),
        layers.Dense(WIDTH, "relu"),
        layers.Dense(VOCABULARY),
    )
    attention = layers.MultiHeadAttention(2, WIDTH // 2)

    def run() -> np.ndarray:
        words = tf.constant([[1]], tf.int64)
        for _ in range(60):
            x = embedding(words)
            x = x + attention(x, x)
            last = logits(hidden(x))[:, -1]
            words = tf.concat([words, tf.argmax(last, -1)[:, tf.newaxis]], 1)
        return words.numpy()

    return run


def beam(tf: Any) -> Callable[[], object]:
    """Search with four beams over 40 steps."""
    transitions = tf.constant(RANDOM.random((VOCABULARY, VOCABULARY), np.float32))

    def run() -> np.ndarray:
        words, scores = tf.zeros((4, 1), tf.int32), tf.zeros(4)
        for _ in range(40):
            found = scores[:, tf.newaxis] + tf.nn.log_softmax(tf.gather(transitions, words[:, -1]))
            scores, best = tf.math.top_k(tf.reshape(found, (-1,)), 4)
            kept = tf.gather(words, best // VOCABULARY)
            words = tf.concat([kept, (best % VOCABULARY)[:, tf.newaxis]], 1)
        return words.numpy()

    return run


def integrated_gradients(tf: Any) -> Callable[[], object]:
    """Add up the gradients along a path of 50 pictures."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Conv2D(8, 3, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(5)]
    )
    picture = tf.constant(RANDOM.random((1, 32, 32, 3), np.float32))

    def run() -> np.ndarray:
        total = tf.zeros_like(picture)
        for share in np.linspace(0, 1, 50):
            x = picture * float(share)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = model(x)[0, 2]
            total += tape.gradient(y, x)
        return total.numpy()

    return run


WORK: dict[str, Callable[[Any], Callable[[], object]]] = {
    "small_ops": small_ops,
    "small_gradients": small_gradients,
    "expression": expression,
    "widths": widths,
    "first_mlp": lambda tf: first_fit(tf, "mlp"),
    "first_cnn": lambda tf: first_fit(tf, "cnn"),
    "first_lstm": lambda tf: first_fit(tf, "lstm"),
    "tiny": tiny,
    "greedy": greedy,
    "beam": beam,
    "integrated_gradients": integrated_gradients,
}
