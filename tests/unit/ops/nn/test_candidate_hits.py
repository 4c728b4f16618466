"""Sampled classes that are true ones; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            lambda: tf.nn.compute_accidental_hits([[1]], [1], 2),
            r"got true_classes of shape \[1, 1\]",
            id="classes",
        ),
        pytest.param(
            lambda: tf.random.all_candidate_sampler([[1]], 1, 0, True), "got num_sampled=0", id="candidates"
        ),
    ],
)
def test_wrong_arguments_raise(call: Callable[[], object], text: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError), match=text):
        call()
