"""Fingerprints of bytes; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(lambda: tf.fingerprint(1), "at least one dimension", id="fingerprint"),
        pytest.param(
            lambda: tf.fingerprint([1], "md5"),
            "unsupported fingerprint method; got method='md5'",
            id="method",
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
