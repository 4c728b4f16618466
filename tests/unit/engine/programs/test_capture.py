"""Tests for tapeflow.engine.programs.capture: what JAX says of its compiling."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.engine.backend import jax
from tapeflow.engine.programs.capture import compile_seconds


def test_the_parts_of_compiling_are_told_apart() -> None:
    add = jax.jit(lambda x: x + 1)
    x = tf.ones((3, 5)).numpy()
    with compile_seconds() as first:
        add(x)
    assert min(first.values()) > 0
    told = dict(first)
    with compile_seconds() as second:
        add(x)
    assert set(second.values()) == {0.0}
    add(x[:2])
    assert first == told  # nobody listens any more
