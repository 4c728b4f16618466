"""Whoever compiles for every size is told once: at which line, which axis, and what helps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.programs.program import clear_programs


def told(step: Any, sizes: list[int]) -> list[warnings.WarningMessage]:
    clear_programs()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in sizes:
            float(step(tf.constant(np.ones((3, n), np.float32))))  # here
    return [w for w in caught if "compiled again for every new size" in str(w.message)]


def model() -> tuple[tf.Variable, Any]:
    v = tf.Variable(2.0)

    def step(x: Any, inner: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(inner(v * x))
        v.assign_sub(0.01 * tape.gradient(loss, v))
        return loss

    return v, step


def test_sizes_that_cannot_share_a_program() -> None:
    _, step = model()

    def fourier(x: Any) -> Any:
        return step(x, lambda y: tf.abs(tf.signal.rfft(y)))

    (warning,) = told(fourier, [*range(5, 16), *range(5, 16)])
    assert warning.filename == __file__
    assert str(warning.message).startswith(
        "What runs here is compiled again for every new size, which is slow: axis 1 of an input of shape (3, "
    )
    assert "has had sizes such as 5, 6, 7, " in str(warning.message)
    assert "a Fourier transform of a length that varies" in str(warning.message)
    assert "bucket_by_sequence_length" in str(warning.message)


def test_nothing_is_said_of_sizes_that_share_one() -> None:
    _, step = model()
    assert not told(lambda x: step(x, tf.sin), list(range(5, 12)))


def test_nothing_is_said_of_a_few_sizes() -> None:
    _, step = model()
    assert not told(lambda x: step(x, lambda y: tf.abs(tf.signal.rfft(y))), [5, 6, 7, 8] * 5)


def test_fit() -> None:
    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.scale = tf.Variable(1.0)

        def call(self, x: Any) -> Any:
            return tf.reduce_sum(tf.abs(tf.signal.rfft(self.scale * x)), 1, keepdims=True)

    made = Model()
    made.compile("sgd", "mse")
    batches = [(np.ones((2, n), np.float32), np.ones((2, 1), np.float32)) for n in range(5, 16)]
    signature = (tf.TensorSpec((None, None)), tf.TensorSpec((None, 1)))
    dataset = tf.data.Dataset.from_generator(lambda: iter(batches), output_signature=signature)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made.fit(dataset, verbose=0)
    (said,) = [str(w.message) for w in caught if "compiled again" in str(w.message)]
    assert "axis 1 of an input of shape (2, " in said
    assert "float32" in said
