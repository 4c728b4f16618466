"""dtypes: the tables below were read off TensorFlow 2.21."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from tapeflow.engine.values import dtypes
from tapeflow.engine.values.dtypes import DType, as_dtype

# name, enum, size, numpy type
NUMBERS = [
    ("float32", 1, 4, np.float32),
    ("float64", 2, 8, np.float64),
    ("int32", 3, 4, np.int32),
    ("uint8", 4, 1, np.uint8),
    ("int16", 5, 2, np.int16),
    ("int8", 6, 1, np.int8),
    ("complex64", 8, 8, np.complex64),
    ("int64", 9, 8, np.int64),
    ("bool", 10, 1, np.bool_),
    ("bfloat16", 14, 2, ml_dtypes.bfloat16),
    ("uint16", 17, 2, np.uint16),
    ("complex128", 18, 16, np.complex128),
    ("float16", 19, 2, np.float16),
    ("uint32", 22, 4, np.uint32),
    ("uint64", 23, 8, np.uint64),
    ("float8_e5m2", 24, 1, ml_dtypes.float8_e5m2),
    ("float8_e4m3fn", 25, 1, ml_dtypes.float8_e4m3fn),
    ("float8_e4m3fnuz", 26, 1, ml_dtypes.float8_e4m3fnuz),
    ("float8_e4m3b11fnuz", 27, 1, ml_dtypes.float8_e4m3b11fnuz),
    ("float8_e5m2fnuz", 28, 1, ml_dtypes.float8_e5m2fnuz),
    ("int4", 29, 1, ml_dtypes.int4),
    ("uint4", 30, 1, ml_dtypes.uint4),
    ("int2", 31, 1, ml_dtypes.int2),
    ("uint2", 32, 1, ml_dtypes.uint2),
    ("float4_e2m1fn", 33, 1, ml_dtypes.float4_e2m1fn),
]
# name, enum, size, numpy kind and width of the one field
QUANTIZED = [
    ("qint8", 11, 1, "i1"),
    ("quint8", 12, 1, "u1"),
    ("qint32", 13, 4, "i4"),
    ("qint16", 15, 2, "i2"),
    ("quint16", 16, 2, "u2"),
]
HANDLES = [("resource", 20), ("variant", 21)]
FLOATS = {"float16", "bfloat16", "float32", "float64", "float4_e2m1fn"} | {
    name for name, *_ in NUMBERS if name.startswith("float8")
}
SIGNED = {"int2", "int4", "int8", "int16", "int32", "int64"}
UNSIGNED = {"uint2", "uint4", "uint8", "uint16", "uint32", "uint64"}


@pytest.mark.parametrize(("name", "enum", "size", "numpy_type"), NUMBERS)
def test_number_types(name: str, enum: int, size: int, numpy_type: type) -> None:
    dtype = getattr(dtypes, name)
    assert (dtype.name, dtype.as_datatype_enum, dtype.size) == (name, enum, size)
    assert dtype.as_numpy_dtype is numpy_type
    assert dtype.is_floating is (name in FLOATS)
    assert dtype.is_integer is (name in SIGNED | UNSIGNED)
    assert dtype.is_unsigned is (name in UNSIGNED)
    assert dtype.is_complex is name.startswith("complex")
    assert dtype.is_bool is (name == "bool")
    assert dtype.is_numeric is (name != "bool")
    assert dtype.is_numpy_compatible
    assert not dtype.is_quantized
    for spelling in (name, enum, numpy_type, np.dtype(numpy_type), np.zeros(2, numpy_type)):
        assert as_dtype(spelling) is dtype
        assert DType(spelling) is dtype


@pytest.mark.parametrize(("name", "enum", "size", "field"), QUANTIZED)
def test_quantized_types(name: str, enum: int, size: int, field: str) -> None:
    dtype = as_dtype(name)
    assert (dtype.as_datatype_enum, dtype.size) == (enum, size)
    assert dtype.as_numpy_dtype == np.dtype([(name, field)])
    assert dtype.is_quantized
    assert dtype.is_numeric
    assert not dtype.is_integer
    assert not dtype.is_unsigned
    assert as_dtype(np.dtype([(name, field)])) is dtype


@pytest.mark.parametrize(("name", "enum"), HANDLES)
def test_handles_have_no_numpy_type(name: str, enum: int) -> None:
    dtype = as_dtype(enum)
    assert (dtype.name, dtype.size, dtype.is_numpy_compatible) == (name, 0, False)
    with pytest.raises(AttributeError, match=rf"numpy can represent; got dtype=tf\.{name}\. Handles"):
        _ = dtype.as_numpy_dtype


def test_string() -> None:
    assert dtypes.string.as_numpy_dtype is object
    assert (dtypes.string.as_datatype_enum, dtypes.string.size) == (7, 0)
    for spelling in (object, np.dtype("S3"), np.dtype("U3"), np.str_, np.bytes_, np.object_, np.array(["a"])):
        assert as_dtype(spelling) is dtypes.string


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("half", dtypes.float16),
        ("float", dtypes.float32),
        ("double", dtypes.float64),
        (float, dtypes.float32),
        (bool, dtypes.bool),
        (np.dtype(">f4"), dtypes.float32),
        (np.longlong, dtypes.int64),
        (np.ulonglong, dtypes.uint64),
        (np.dtype("longlong"), dtypes.int64),
        (np.intc, dtypes.int32),
        (np.float32(1.0), dtypes.float32),
    ],
)
def test_aliases(spelling: object, expected: DType) -> None:
    assert as_dtype(spelling) is expected


def test_jax_scalar_types_are_understood() -> None:
    jnp = pytest.importorskip("jax.numpy")
    assert as_dtype(jnp.float32) is dtypes.float32
    assert as_dtype(jnp.bfloat16) is dtypes.bfloat16
    assert as_dtype(jnp.zeros(2, jnp.int32).dtype) is dtypes.int32


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (int, "Pass tf.int32 or tf.int64."),
        (complex, "Pass tf.complex64 or tf.complex128."),
        (str, "Pass tf.string."),
        ("foo", "Pass for example tf.float32."),
        ("f4", "Pass for example tf.float32."),
        (None, "Pass for example tf.float32."),
        (True, "Pass for example tf.float32."),
        (3.5, "Pass for example tf.float32."),
        ([], "Pass for example tf.float32."),
        (999, "Pass for example tf.float32."),
        (np.dtype("M8[s]"), "Pass for example tf.float32."),
        (np.void, "Pass for example tf.float32."),
    ],
)
def test_what_is_no_dtype(value: object, hint: str) -> None:
    with pytest.raises(TypeError, match=r"as_dtype expected a tf.DType, the name of one") as caught:
        as_dtype(value)
    assert f"got type_value={value!r}. {hint}" in str(caught.value)


def test_a_tensor_is_no_dtype() -> None:
    class FakeTensor:
        dtype = dtypes.float32

    with pytest.raises(TypeError, match="as_dtype expected"):
        as_dtype(FakeTensor())
    assert dtypes.float32 != FakeTensor()


def test_equality_is_forgiving_and_hashing_is_not() -> None:
    float32 = dtypes.float32
    assert float32 == "float32"
    assert float32 == np.float32
    assert float32 == np.dtype("float32")
    assert float32 == float  # noqa: E721
    assert float32 != "int32"
    assert float32 != "foo"
    assert float32 != None  # noqa: E711
    assert float32 != dtypes.float64
    assert dtypes.int32 != int  # noqa: E721
    assert {float32: 1}[as_dtype("float32")] == 1


def test_repr_and_str() -> None:
    assert repr(dtypes.float32) == "tf.float32"
    assert str(dtypes.bool) == "<dtype: 'bool'>"


def test_one_object_per_dtype() -> None:
    assert pickle.loads(pickle.dumps(dtypes.bfloat16)) is dtypes.bfloat16
    assert copy.deepcopy(dtypes.int64) is dtypes.int64
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64


def test_real_and_base_dtypes() -> None:
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert dtypes.int8.real_dtype is dtypes.int8
    assert dtypes.int8.base_dtype is dtypes.int8


def test_is_compatible_with() -> None:
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(np.int32)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (dtypes.float16, -65504, 65504),
        (dtypes.float32, np.finfo(np.float32).min, np.finfo(np.float32).max),
        (dtypes.bfloat16, -float.fromhex("0x1.FEp127"), float.fromhex("0x1.FEp127")),
        (dtypes.float8_e4m3fn, -448, 448),
        (dtypes.float8_e5m2, -57344, 57344),
        (dtypes.float4_e2m1fn, -6, 6),
        (dtypes.int2, -2, 1),
        (dtypes.uint4, 0, 15),
        (dtypes.int32, -(2**31), 2**31 - 1),
        (dtypes.uint64, 0, 2**64 - 1),
    ],
)
def test_min_and_max(dtype: DType, low: float, high: float) -> None:
    assert float(dtype.min) == low
    assert dtype.max == high


@pytest.mark.parametrize("name", ["bool", "string", "complex64", "qint8", "resource"])
def test_no_min_and_max(name: str) -> None:
    rule = r"expected a floating or integer dtype; got dtype=tf\."
    with pytest.raises(TypeError, match=f"Cannot find minimum value: DType.min {rule}{name}"):
        _ = as_dtype(name).min
    with pytest.raises(TypeError, match=f"Cannot find maximum value: DType.max {rule}{name}"):
        _ = as_dtype(name).max


def test_limits() -> None:
    assert dtypes.float32.limits == (0, 1)
    assert dtypes.float64.limits == (0, 1)
    assert dtypes.uint8.limits == (0, 255)
    assert dtypes.int16.limits == (0, 32767)
    assert dtypes.bool.limits == (0, True)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "int4", "string", "complex64", "variant"])
def test_no_limits(name: str) -> None:
    with pytest.raises(ValueError, match=rf"DType.limits expected .*; got dtype=tf\.{name}\. Use"):
        _ = as_dtype(name).limits


def test_a_dtype_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="DType expected no assignment; got name='x'"):
        dtypes.float32.name = "x"
    with pytest.raises(AttributeError, match="'DType' object has no attribute 'sise'"):
        _ = dtypes.float32.sise  # pyright: ignore[reportAttributeAccessIssue]
