"""Objects of the user's own as tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine.values import conversion


class Length:
    """A length in metres."""

    def __init__(self, metres: float) -> None:
        self.metres = metres


@pytest.fixture(autouse=True)
def _unregistered() -> Iterator[None]:
    before = list(conversion.converters)
    yield
    conversion.converters[:] = before


def test_ops_take_them() -> None:
    tf.register_tensor_conversion_function(
        Length, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.metres, dtype)
    )
    assert float(tf.convert_to_tensor(Length(2.0))) == 2.0
    assert tf.convert_to_tensor(Length(2.0), tf.float64).dtype == tf.float64
    assert float(tf.constant(3.0) * Length(2.0)) == 6.0
    assert float(tf.function(tf.square)(tf.convert_to_tensor(Length(3.0)))) == 9.0


def test_the_smaller_priority_goes_first_and_may_pass() -> None:
    def as_value(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(value.metres)

    def only_long(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(-1.0) if value.metres > 10 else NotImplemented

    tf.register_tensor_conversion_function((Length,), as_value)
    tf.register_tensor_conversion_function(Length, only_long, priority=10)
    assert [float(tf.convert_to_tensor(Length(n))) for n in (2.0, 20.0)] == [2.0, -1.0]


def test_wrong_arguments_raise() -> None:
    register: Any = tf.register_tensor_conversion_function
    with pytest.raises(TypeError, match="base_type must be a type or a tuple of types"):
        register("Length", lambda *args: None)
    with pytest.raises(TypeError, match="conversion_func must be callable"):
        register(Length, 3)
    with pytest.raises(TypeError, match="Cannot register conversions for Python numeric types"):
        register(float, lambda *args: None)
