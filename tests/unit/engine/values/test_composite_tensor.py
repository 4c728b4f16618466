"""Values made of tensors, and `tf.nest` asked to take them apart."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.compat.inner import composites
from tapeflow.engine.values.composite_tensor import (
    BatchableTypeSpec,
    CompositeTensor,
    VariableSpec,
    convert_variables_to_tensors,
)


class Interval(CompositeTensor):
    def __init__(self, low: Any, high: Any, unit: str = "m") -> None:
        self.low, self.high, self.unit = low, high, unit

    @property
    def _type_spec(self) -> IntervalSpec:
        return IntervalSpec(self.unit)

    def _convert_variables_to_tensors(self) -> Interval:
        return Interval(tf.convert_to_tensor(self.low), tf.convert_to_tensor(self.high), self.unit)


class IntervalSpec(BatchableTypeSpec):
    def __init__(self, unit: str) -> None:
        self.unit = unit

    @property
    def value_type(self) -> type:
        return Interval

    def _to_components(self, value: Any) -> Any:
        return {"low": value.low, "high": value.high}

    def _from_components(self, components: Any) -> Interval:
        return Interval(components["low"], components["high"], self.unit)

    def _serialize(self) -> tuple[Any, ...]:
        return (self.unit,)


def test_a_composite_is_one_value_unless_asked() -> None:
    interval = Interval(1, 2, "s")
    assert tf.nest.flatten([interval, 3]) == [interval, 3]
    assert not tf.nest.is_nested(interval)
    assert tf.nest.flatten([interval, 3], expand_composites=True) == [2, 1, 3]
    doubled = tf.nest.map_structure(lambda x: 2 * x, interval, expand_composites=True)
    assert (doubled.low, doubled.high, doubled.unit) == (2, 4, "s")
    packed = tf.nest.pack_sequence_as([interval], [9, 8], expand_composites=True)
    assert (packed[0].low, packed[0].high) == (8, 9)
    tf.nest.assert_same_structure(interval, Interval(3, 4), expand_composites=True)


def test_specs_compare_by_what_they_serialize() -> None:
    assert IntervalSpec("m") == IntervalSpec("m") != IntervalSpec("s")
    assert hash(IntervalSpec("m")) == hash(IntervalSpec("m"))
    assert IntervalSpec("m").is_compatible_with(Interval(1, 2))
    assert not IntervalSpec("m").is_compatible_with(Interval(1, 2, "s"))
    assert IntervalSpec("m").most_specific_common_supertype([IntervalSpec("s")]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        IntervalSpec("m").most_specific_compatible_type(IntervalSpec("s"))
    assert repr(IntervalSpec("m")) == "IntervalSpec('m',)"


def test_variables_are_read() -> None:
    variable = tf.Variable(1.0)
    read = convert_variables_to_tensors([variable, Interval(variable, 2.0)])
    assert isinstance(read[0], tf.Tensor)
    assert isinstance(read[1].low, tf.Tensor)
    assert VariableSpec([2], trainable=False) != VariableSpec([2])
    assert repr(VariableSpec([2])) == "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True)"


def test_specs_have_names_of_their_own() -> None:
    composites.register("tests.IntervalSpec")(IntervalSpec)
    assert composites.lookup("tests.IntervalSpec") is IntervalSpec
    assert composites.get_name(IntervalSpec) == "tests.IntervalSpec"
    with pytest.raises(ValueError, match="has already been registered"):
        composites.register("tests.IntervalSpec")(BatchableTypeSpec)
    with pytest.raises(ValueError, match="has been registered with name"):
        composites.lookup("tests.Other")
    with pytest.raises(TypeError, match="a subclass of"):
        composites.register("tests.int")(int)  # pyright: ignore[reportArgumentType]
