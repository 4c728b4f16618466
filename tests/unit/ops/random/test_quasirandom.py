"""Numbers that fill a cube evenly; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(lambda: tf.math.sobol_sample(0, 2), "dim from 1 to 2048.*got dim=0", id="sobol"),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
