from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tapeflow.summary.event_files.tensors import TYPE_NUMBERS, array_of, tensor_bytes
from tapeflow.summary.protos import message


def parsed(value: object) -> object:
    return array_of(message("TensorProto").FromString(tensor_bytes(value)))


@pytest.mark.parametrize("name", list(TYPE_NUMBERS))
def test_round_trip(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name)) if name == "bfloat16" else np.dtype(name)
    for shape in ((), (3,), (2, 0), (2, 3)):
        array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        found = parsed(array)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, array)


def test_big_endian_and_strided_arrays() -> None:
    array = np.arange(12, dtype=">i4").reshape(3, 4)[:, ::2]
    np.testing.assert_array_equal(parsed(array), array)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("hé", "hé".encode()),
        (b"ends in \0", b"ends in \0"),
        (["a", "b"], [b"a", b"b"]),
        (np.array([[b"x\0", "y"]], dtype=object), [[b"x\0", b"y"]]),
        (np.array([], dtype=object), []),
    ],
)
def test_strings(value: object, expected: object) -> None:
    assert parsed(value).tolist() == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": 1, "float_val": [1.5, 2.5]},
        {"dtype": 2, "double_val": [1.5, 2.5]},
        {"dtype": 3, "int_val": [1, 2]},
        {"dtype": 4, "int_val": [1, 2]},
        {"dtype": 9, "int64_val": [1, 2]},
        {"dtype": 10, "bool_val": [True, False]},
        {"dtype": 19, "half_val": [0x3C00, 0x4000]},
        {"dtype": 8, "scomplex_val": [1, 2, 3, 4]},
    ],
)
def test_values_in_fields_of_their_own(fields: dict) -> None:
    proto = message("TensorProto")(**fields)
    proto.tensor_shape.dim.add(size=2)
    expected = {10: [1, 0], 8: [1 + 2j, 3 + 4j], 1: [1.5, 2.5], 2: [1.5, 2.5]}.get(fields["dtype"], [1, 2])
    np.testing.assert_array_equal(array_of(proto), expected)


def test_one_value_stands_for_all() -> None:
    proto = message("TensorProto")(dtype=1, float_val=[7])
    proto.tensor_shape.dim.add(size=3)
    np.testing.assert_array_equal(array_of(proto), [7, 7, 7])


@pytest.mark.parametrize("fields", [{"dtype": 1, "tensor_content": b"123"}, {"dtype": 20}, {"dtype": 7}])
def test_malformed_tensors_raise(fields: dict) -> None:
    with pytest.raises(ValueError, match="."):
        array_of(message("TensorProto")(**fields))


def test_a_gigantic_shape_is_refused_not_allocated() -> None:
    proto = message("TensorProto")(dtype=1, float_val=[7])
    for _ in range(3):
        proto.tensor_shape.dim.add(size=1 << 40)
    with pytest.raises(ValueError, match="a tensor of shape"):
        array_of(proto)


def test_other_dtypes_and_elements_are_refused() -> None:
    with pytest.raises(
        TypeError, match="expected numbers, booleans or strings; got an array of dtype datetime64"
    ):
        tensor_bytes(np.array(["2020-01-01"], "datetime64[D]"))
    with pytest.raises(TypeError, match="got an element None"):
        tensor_bytes(np.array([None], dtype=object))
