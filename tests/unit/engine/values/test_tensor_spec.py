"""TensorSpec: results as TensorFlow 2.21 gives them."""

import pickle

import numpy as np
import pytest

from tapeflow.engine.values import dtypes
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor_spec import TensorSpec


class FakeTensor:
    def __init__(self, shape: list[int], dtype: dtypes.DType) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtype


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (TensorSpec([2, 3]), "TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)"),
        (TensorSpec(None), "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"),
        (TensorSpec(2, "int64", name="a"), "TensorSpec(shape=(2,), dtype=tf.int64, name='a')"),
        (TensorSpec([], np.int8), "TensorSpec(shape=(), dtype=tf.int8, name=None)"),
    ],
)
def test_printing(spec: TensorSpec, text: str) -> None:
    assert repr(spec) == str(spec) == text


def test_attributes_are_converted_and_fixed() -> None:
    spec = TensorSpec([None, 2], "int32", name="x")
    assert spec.shape == TensorShape([None, 2])
    assert spec.dtype is dtypes.int32
    assert spec.name == "x"
    with pytest.raises(AttributeError):
        spec.shape = TensorShape([3])  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match=r"as_dtype expected .* got type_value='foo'"):
        TensorSpec([2], "foo")


def test_from_tensor_and_from_spec() -> None:
    tensor = FakeTensor([2], dtypes.int32)
    assert TensorSpec.from_tensor(tensor) == TensorSpec([2], dtypes.int32)
    assert TensorSpec.from_tensor(tensor, name="q").name == "q"
    assert TensorSpec.from_tensor(np.zeros((2, 1))) == TensorSpec([2, 1], dtypes.float64)
    named = TensorSpec([2], dtypes.int32, "n")
    assert TensorSpec.from_spec(named) == named
    assert TensorSpec.from_spec(named, name="m") == TensorSpec([2], dtypes.int32, "m")


@pytest.mark.parametrize("value", [[1, 2], "a", 3])
def test_from_what_is_no_tensor(value: object) -> None:
    with pytest.raises(ValueError, match=r"from_tensor expected a tensor; got tensor=.* Convert it"):
        TensorSpec.from_tensor(value)


def test_equality() -> None:
    assert TensorSpec([2]) == TensorSpec((2,), np.float32)
    assert hash(TensorSpec([2])) == hash(TensorSpec([2]))
    assert TensorSpec([2]) != TensorSpec([3])
    assert TensorSpec([2]) != TensorSpec([2], name="a")
    assert TensorSpec([2]) != TensorSpec([2], "int32")
    assert TensorSpec([2]) != 3


def test_compatibility() -> None:
    spec = TensorSpec([None, 2], name="x")
    assert spec.is_compatible_with(FakeTensor([5, 2], dtypes.float32))
    assert not spec.is_compatible_with(FakeTensor([5, 3], dtypes.float32))
    assert not spec.is_compatible_with(FakeTensor([5, 2], dtypes.int32))
    assert spec.is_compatible_with(TensorSpec([3, None]))
    for value in (np.zeros((5, 2), np.float32), [[1.0, 2.0]], "a", None):
        assert not spec.is_compatible_with(value)


def test_subtypes() -> None:
    assert TensorSpec([2]).is_subtype_of(TensorSpec([None]))
    assert not TensorSpec([None]).is_subtype_of(TensorSpec([2]))
    assert not TensorSpec([2]).is_subtype_of(TensorSpec([2], "int32"))
    assert not TensorSpec([2]).is_subtype_of(3)


def test_most_specific_compatible_type() -> None:
    assert TensorSpec([2]).most_specific_compatible_type(TensorSpec([3])) == TensorSpec([None])
    with pytest.raises(ValueError, match=r"of dtype tf\.float32; got other=TensorSpec\(shape=\(3,\)"):
        TensorSpec([2]).most_specific_compatible_type(TensorSpec([3], "int32"))


def test_pickling() -> None:
    spec = TensorSpec([2, None], "int32", "z")
    assert pickle.loads(pickle.dumps(spec)) == spec
