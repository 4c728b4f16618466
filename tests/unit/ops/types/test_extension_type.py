"""Extension types: fields, equality, structure, functions, datasets, and ops that are taught to take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Optional

import numpy as np
import pytest

import tapeflow as tf

experimental = tf.experimental


class Masked(experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Toy(experimental.ExtensionType):
    name: str
    price: tf.Tensor
    discount: float = 0.0


class Box(experimental.ExtensionType):
    toys: tuple[Toy, ...]
    sizes: Mapping[str, tf.Tensor]
    lid: Optional[tf.Tensor] = None  # noqa: UP045 - both spellings are taken
    label: str | None = None


class Scalar(experimental.ExtensionType):
    value: tf.Tensor

    def __init__(self, half: Any) -> None:
        self.value = half * 2

    def __validate__(self) -> None:
        if self.value.shape.rank:
            raise ValueError("a scalar is wanted")


MASKED = Masked([1, 2, 3], [True, False, True])


@pytest.fixture
def taught() -> Iterator[None]:
    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def one(api: Any, x: Masked) -> Masked:
        return Masked(api(x.values), x.mask)

    @experimental.dispatch_for_binary_elementwise_apis(Masked | tf.Tensor, Masked | tf.Tensor)
    def two(api: Any, x: Any, y: Any) -> Masked:
        pair = [v if isinstance(v, Masked) else Masked(v, tf.ones_like(v, tf.bool)) for v in (x, y)]
        return Masked(api(pair[0].values, pair[1].values), tf.logical_and(pair[0].mask, pair[1].mask))

    @experimental.dispatch_for_api(tf.stack)
    def stacked(values: list[Masked], axis: Any = 0) -> Masked:
        return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))

    @experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": Masked})
    def total(input_tensor: Any, axis: Any = None) -> Any:
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0), axis)

    @experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def compared(api: Any, x: Masked, y: Masked) -> Any:
        return api(tf.boolean_mask(x.values, x.mask), tf.boolean_mask(y.values, y.mask))

    functions = (one, two, stacked, total, compared)
    yield
    for function in functions:
        experimental.unregister_dispatch_for(function)


def test_fields_are_converted_and_shown() -> None:
    assert (MASKED.values.dtype, MASKED.mask.dtype) == (tf.int32, tf.bool)
    toy = Toy("ball", 3, discount=0.5)
    assert repr(toy) == "Toy(name='ball', price=<tf.Tensor: shape=(), dtype=int32, numpy=3>, discount=0.5)"
    box = Box([toy], {"width": 4}, label=None)
    assert (box.toys[0].name, int(box.sizes["width"]), box.lid) == ("ball", 4, None)
    assert int(Box([], {}, lid=7).lid) == 7  # pyright: ignore[reportArgumentType]
    assert int(Scalar(3).value) == 6


def test_a_class_may_be_defined_in_a_function() -> None:
    class Inner(experimental.ExtensionType):
        kind: ClassVar[str] = "inner"
        value: tf.Tensor

    class Outer(Inner):
        inner: Inner | None = None

    assert int(Outer(1, Inner(2)).inner.value) == 2  # pyright: ignore[reportOptionalMemberAccess]
    assert Outer._fields == ("value", "inner")


def test_equality_looks_at_everything() -> None:
    assert bool(Masked([1, 2, 3], [True, False, True]) == MASKED)
    assert bool(Masked([1, 2, 4], [True, False, True]) != MASKED)
    assert not bool(Masked([1.0, 2, 3], [True, False, True]) == MASKED)
    assert Toy("a", 1) != MASKED
    box = Box([Toy("a", 1)], {"w": 1})
    assert bool(box == Box([Toy("a", 1)], {"w": 1}))
    assert not bool(box == Box([Toy("a", 2)], {"w": 1}))
    assert not bool(box == Box([Toy("a", 1)], {"h": 1}))
    with pytest.raises(TypeError, match="unhashable"):
        hash(MASKED)


def test_wrong_arguments_raise() -> None:
    with pytest.raises(TypeError, match=r"Masked expected the fields \['values', 'mask'\]; missing"):
        Masked([1])  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="Toy.name expected a value of type str; got 3 of type int"):
        Toy(3, 1)
    with pytest.raises(TypeError, match=r"Box.toys\[0\] expected a value of type Toy; got 'x'"):
        Box(["x"], {})
    with pytest.raises(TypeError, match="Masked.values expected a tf.Tensor; got"):
        Masked(object(), True)
    with pytest.raises(AttributeError, match="cannot mutate attribute 'mask' outside"):
        MASKED.mask = [True]
    with pytest.raises(AttributeError, match="cannot mutate attribute 'mask'"):
        del MASKED.mask
    with pytest.raises(ValueError, match="a scalar is wanted"):
        Scalar(tf.constant([1]))
    with pytest.raises(TypeError, match="Masked and nothing that takes it"):
        tf.exp(MASKED)
    with pytest.raises(TypeError, match="A tensor was expected; got a Masked"):
        bool(MASKED)

    class Unset(experimental.ExtensionType):
        value: int

        def __init__(self) -> None: ...

    with pytest.raises(TypeError, match=r"set every field; got none for \['value'\]"):
        Unset()
    with pytest.raises(TypeError, match="known where it is defined; got one that is not: name 'Unknown'"):

        class Stranger(experimental.ExtensionType):
            value: Unknown  # noqa: F821 # pyright: ignore[reportUndefinedVariable]

    with pytest.raises(ValueError, match=r"\['numpy'\] are reserved"):

        class Taken(experimental.ExtensionType):
            numpy: tf.Tensor

    with pytest.raises(ValueError, match="annotations of parameters of tf.concat.*got \\['tensors'\\]"):
        experimental.dispatch_for_api(tf.concat, {"tensors": Masked})(lambda tensors: None)
    with pytest.raises(ValueError, match="was not registered"):
        experimental.unregister_dispatch_for(lambda: None)


def test_specs() -> None:
    spec = tf.type_spec_from_value(MASKED)
    assert spec == Masked.Spec(tf.TensorSpec([3], tf.int32), mask=tf.TensorSpec([3], tf.bool))
    assert hash(spec) == hash(tf.type_spec_from_value(MASKED))
    assert repr(spec).startswith("Masked.Spec(values=TensorSpec(shape=(3,)")
    wide = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    assert wide.is_compatible_with(MASKED)
    assert not wide.is_compatible_with(Toy("a", 1))
    specs = (spec, tf.TensorSpec([]), tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([2]))
    assert all(isinstance(s, tf.TypeSpec) for s in specs)


class Sized(experimental.ExtensionType):
    values: tf.Tensor
    after: Optional["Sized"] = None  # noqa: UP037, UP045 - a name inside another annotation

    class Spec:
        def __init__(self, shape: Any) -> None:
            self.values = tf.TensorSpec(shape, tf.int32)
            self.after = None

        @property
        def shape(self) -> tf.TensorShape:
            return self.values.shape


def test_spec_with_a_constructor_of_its_own() -> None:
    wide = Sized.Spec([None])
    value = Sized([1, 2])
    assert isinstance(wide, tf.TypeSpec)
    assert wide.is_compatible_with(value)
    assert tf.type_spec_from_value(value) == Sized.Spec([2])
    assert tf.type_spec_from_value(value).shape == [2]
    double = tf.function(lambda v: v.values * 2, input_signature=[wide])
    assert double(value).numpy().tolist() == [2, 4]
    with pytest.raises(TypeError, match="expected an argument that fits"):
        double(Sized([[1]]))


def test_a_field_of_its_own_class() -> None:
    chain = Sized([1], Sized([2]))
    assert chain.after is not None
    assert chain.after.after is None
    with pytest.raises(TypeError, match="after expected a value of type"):
        Sized([1], 3)


def test_functions_tapes_and_structures_go_into_them() -> None:
    calls = []

    @tf.function
    def cheaper(toy: Toy) -> Toy:
        calls.append(toy.name)
        return Toy(toy.name + "!", toy.price * (1 - toy.discount), toy.discount)

    x = tf.Variable(8.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            found = cheaper(Toy("a", x * 1, 0.5))
        assert (found.name, float(found.price)) == ("a!", 4.0)
        assert float(tape.gradient(found.price, x)) == 0.5
    assert cheaper(Toy("b", tf.constant(2.0))).name == "b!"
    assert calls == ["a", "b"]
    doubled = tf.nest.map_structure(lambda t: t * 2 if t.dtype.is_integer else t, MASKED)
    assert doubled.values.numpy().tolist() == [2, 4, 6]
    assert len(tf.nest.flatten(MASKED)) == 2


def test_datasets_batch_them() -> None:
    data = tf.data.Dataset.from_tensor_slices(MASKED).map(lambda m: Masked(m.values + 1, m.mask)).batch(2)
    first, second = data
    assert isinstance(first, Masked)
    assert (first.values.numpy().tolist(), second.mask.numpy().tolist()) == ([2, 3], [True])


@pytest.mark.usefixtures("taught")
def test_ops_are_taught() -> None:
    assert tf.abs(Masked([-1], [True])).values.numpy().tolist() == [1]
    assert tf.cast(MASKED, tf.float32).values.dtype == tf.float32
    np.testing.assert_array_equal(tf.add(MASKED, 5).values, [6, 7, 8])
    np.testing.assert_array_equal(tf.math.multiply(2, MASKED).values, [2, 4, 6])
    np.testing.assert_array_equal((tf.constant(2) - MASKED).values, [1, 0, -1])
    assert tf.stack([MASKED, MASKED], axis=1).mask.shape == (3, 2)
    assert int(tf.reduce_sum(MASKED)) == 4
    tf.debugging.assert_equal(MASKED, Masked([1, 7, 3], MASKED.mask))
    with pytest.raises(TypeError, match="tf.stack expected tensors"):
        tf.stack([MASKED, tf.constant([1])])
    with pytest.raises(TypeError, match="tf.concat expected tensors"):
        tf.concat([MASKED, MASKED], 0)
