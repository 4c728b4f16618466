"""Element types: `DType`, every dtype of TensorFlow, and `as_dtype`.

A `DType` is interned: there is exactly one object per type, so the engine compares with `is` and
keys its caches on the object itself. `==` is more forgiving, as in TensorFlow: `tf.float32` equals
`"float32"` and `np.float32`.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NoReturn

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike


class DType:
    """The element type of a tensor.

    `DType("float32")` and `DType(1)` give the interned object; they never make a new one.

    >>> tf.float32 == "float32", tf.float32 == np.float32, tf.float32.size
    (True, True, 4)
    """

    # Plain slots, not properties: `dtype.as_numpy_dtype` is read for every op that is recorded.
    __slots__ = (
        "as_datatype_enum",
        "as_numpy_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "size",
    )

    name: str
    as_datatype_enum: int
    # The numpy scalar type; a structured np.dtype if quantized, `object` for strings.
    as_numpy_dtype: Any
    size: int
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numpy_compatible: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool

    def __new__(cls, type_enum: Any) -> DType:
        return as_dtype(type_enum)

    @property
    def base_dtype(self) -> DType:
        """The dtype itself: reference dtypes are a TensorFlow 1 idea that does not exist here."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part of a complex dtype; any other dtype itself."""
        if not self.is_complex:
            return self
        return float32 if self.size == 8 else float64

    @property
    def is_numeric(self) -> builtins.bool:
        """Whether the values are numbers, quantized ones included."""
        return self.is_floating or self.is_integer or self.is_complex or self.is_quantized

    @property
    def min(self) -> Any:
        """The lowest finite value."""
        return self._number_info("minimum").min

    @property
    def max(self) -> Any:
        """The highest finite value."""
        return self._number_info("maximum").max

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensity range of images: (0, 1) for floats, (0, max) for integers."""
        if self is float32 or self is float64:
            return 0, 1
        if self is bool:
            return 0, True
        if self.is_integer and self.as_numpy_dtype.__module__ == "numpy":
            return 0, self.max
        raise ValueError(
            "DType.limits expected float32, float64, bool or an integer of 8 bits or more; "
            f"got dtype={self!r}. Use min and max for the range of the values."
        )

    def is_compatible_with(self, other: TensorLike) -> builtins.bool:
        """Whether `other`, anything `as_dtype` takes, is this dtype."""
        return as_dtype(other) is self

    def _number_info(self, bound: str) -> Any:
        if self.is_integer:
            return ml_dtypes.iinfo(self.as_numpy_dtype)
        if self.is_floating:
            return ml_dtypes.finfo(self.as_numpy_dtype)
        raise TypeError(
            f"Cannot find {bound} value: DType.{bound[:3]} expected a floating or integer dtype; "
            f"got dtype={self!r}. Use it on a real number type."
        )

    if not TYPE_CHECKING:  # a checker would take it to mean that every attribute exists

        def __getattr__(self, name: str) -> NoReturn:
            # Only reached for names without a value: handles leave the numpy slot empty.
            if name == "as_numpy_dtype":
                raise AttributeError(
                    "DType.as_numpy_dtype expected a dtype that numpy can represent; "
                    f"got dtype={self!r}. Handles have no numpy form."
                )
            raise AttributeError(f"'DType' object has no attribute {name!r}")

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    # Defining `__eq__` removes it. Identity is the right hash for interned objects and stays in C.
    __hash__ = object.__hash__

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"DType expected no assignment; got {name}={value!r}. A dtype is a shared constant."
        )

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


# Keyed by names, numpy dtypes, numpy scalar types and the Python types TensorFlow accepts. Enum
# numbers are kept apart, since True == 1 and a numpy scalar hashes like the number it holds.
_BY_KEY: dict[Any, DType] = {}
_BY_ENUM: dict[int, DType] = {}


def as_dtype(type_value: Any) -> DType:
    """Convert `type_value` to a `DType`.

    Takes a DType, its name or alias ("float", "double", "half"), a numpy dtype or scalar type,
    a numpy array, an enum number, or `float`, `bool`, `object`. Python's `int` and `complex` are
    refused as in TensorFlow: it is not clear which width is meant.
    """
    if type(type_value) is DType:
        return type_value
    try:
        return _BY_KEY[type_value]
    except (KeyError, TypeError):  # TypeError: not hashable
        return _as_dtype_slow(type_value)


def _as_dtype_slow(value: object) -> DType:
    if type(value) is int and value in _BY_ENUM:
        return _BY_ENUM[value]
    if isinstance(value, np.dtype):
        if value.kind in "SU":
            return string
        native = value.newbyteorder("=")
        if native in _BY_KEY:
            return _BY_KEY[native]
    elif isinstance(value, type):
        if issubclass(value, (np.str_, np.bytes_, np.object_)):
            return string
    else:
        # Arrays and numpy scalars only: a tensor in the place of a dtype is most likely a mistake.
        inner = getattr(value, "dtype", None)
        if isinstance(inner, np.dtype):
            return as_dtype(inner)
    hint = _HINTS.get(value, "") if isinstance(value, type) else ""
    raise TypeError(
        "as_dtype expected a tf.DType, the name of one such as 'float32', or a numpy dtype; "
        f"got type_value={value!r}. {hint or 'Pass for example tf.float32.'}"
    )


_HINTS = {
    int: "Pass tf.int32 or tf.int64.",
    complex: "Pass tf.complex64 or tf.complex128.",
    str: "Pass tf.string.",
    bytes: "Pass tf.string.",
}


def _define(enum: int, name: str, kind: str, numpy_type: Any, size: int | None = None) -> DType:
    """Make the one object for a dtype.

    `kind` is numpy's kind code, "q" for quantized types or "h" for handles.
    """
    dtype = object.__new__(DType)
    numpy_dtype = None if numpy_type is None else np.dtype(numpy_type)
    values = {
        "name": name,
        "as_datatype_enum": enum,
        "size": size if numpy_dtype is None or size is not None else numpy_dtype.itemsize,
        "is_bool": kind == "b",
        "is_complex": kind == "c",
        "is_floating": kind == "f",
        "is_integer": kind in "iu",
        "is_numpy_compatible": kind != "h",
        "is_quantized": kind == "q",
        "is_unsigned": kind == "u",
    }
    if numpy_type is not None:
        values["as_numpy_dtype"] = numpy_type
    for slot, value in values.items():
        object.__setattr__(dtype, slot, value)
    _BY_ENUM[enum] = _BY_KEY[name] = dtype
    if numpy_dtype is not None:
        _BY_KEY[numpy_type] = _BY_KEY[numpy_dtype] = dtype
    return dtype


def _quantized(name: str, numpy_code: str) -> np.dtype:
    # A structured dtype, as in TensorFlow, so that quantized arrays do not pass for plain integers.
    return np.dtype([(name, numpy_code)])


# The numbers are those of the DataType enum in TensorFlow's types.proto, which event files store.
float32 = _define(1, "float32", "f", np.float32)
float64 = _define(2, "float64", "f", np.float64)
int32 = _define(3, "int32", "i", np.int32)
uint8 = _define(4, "uint8", "u", np.uint8)
int16 = _define(5, "int16", "i", np.int16)
int8 = _define(6, "int8", "i", np.int8)
string = _define(7, "string", "O", object, size=0)
complex64 = _define(8, "complex64", "c", np.complex64)
int64 = _define(9, "int64", "i", np.int64)
bool = _define(10, "bool", "b", np.bool_)
qint8 = _define(11, "qint8", "q", _quantized("qint8", "i1"))
quint8 = _define(12, "quint8", "q", _quantized("quint8", "u1"))
qint32 = _define(13, "qint32", "q", _quantized("qint32", "i4"))
bfloat16 = _define(14, "bfloat16", "f", ml_dtypes.bfloat16)
qint16 = _define(15, "qint16", "q", _quantized("qint16", "i2"))
quint16 = _define(16, "quint16", "q", _quantized("quint16", "u2"))
uint16 = _define(17, "uint16", "u", np.uint16)
complex128 = _define(18, "complex128", "c", np.complex128)
float16 = _define(19, "float16", "f", np.float16)
resource = _define(20, "resource", "h", None, size=0)
variant = _define(21, "variant", "h", None, size=0)
uint32 = _define(22, "uint32", "u", np.uint32)
uint64 = _define(23, "uint64", "u", np.uint64)
float8_e5m2 = _define(24, "float8_e5m2", "f", ml_dtypes.float8_e5m2)
float8_e4m3fn = _define(25, "float8_e4m3fn", "f", ml_dtypes.float8_e4m3fn)
float8_e4m3fnuz = _define(26, "float8_e4m3fnuz", "f", ml_dtypes.float8_e4m3fnuz)
float8_e4m3b11fnuz = _define(27, "float8_e4m3b11fnuz", "f", ml_dtypes.float8_e4m3b11fnuz)
float8_e5m2fnuz = _define(28, "float8_e5m2fnuz", "f", ml_dtypes.float8_e5m2fnuz)
int4 = _define(29, "int4", "i", ml_dtypes.int4)
uint4 = _define(30, "uint4", "u", ml_dtypes.uint4)
int2 = _define(31, "int2", "i", ml_dtypes.int2)
uint2 = _define(32, "uint2", "u", ml_dtypes.uint2)
float4_e2m1fn = _define(33, "float4_e2m1fn", "f", ml_dtypes.float4_e2m1fn)

half = float16
double = float64
_BY_KEY.update(
    {
        "half": float16,
        "float": float32,
        "double": float64,
        float: float32,
        builtins.bool: bool,
        np.longlong: int64,
        np.ulonglong: uint64,
    }
)
