"""The inputs that a symbolic tensor was computed from."""

from __future__ import annotations

from typing import Any

import tapeflow as tf

U = tf.keras.utils


def test_sources_of_a_symbolic_tensor() -> None:
    a: Any
    a, b, c = (tf.keras.Input((2,)) for _ in range(3))
    joined = tf.keras.layers.Concatenate()([tf.keras.layers.Dense(2)(b), a * 2])
    found = U.get_source_inputs(joined)
    assert [any(x is y for y in found) for x in (a, b, c)] == [True, True, False]
    assert found[0] is b
    assert U.get_source_inputs(a)[0] is a
