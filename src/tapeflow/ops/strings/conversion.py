"""Between numbers and text: `tf.strings.as_string` and `tf.strings.to_number`.

Numbers are written as C's `printf` writes them and read as C's `strtod` and `strtol` read them, rounded
once. Both happen on the host, which is where strings live.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import (
    DType,
    as_dtype,
    float32,
    float64,
    int32,
    int64,
    string,
    uint32,
    uint64,
)
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.strings.deferred import defer
from tapeflow.ops.strings.text import read_strings, string_tensor

_FILLS = ("", " ", "0", "+", "-")


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each element as text.

    Args:
        input: numbers, bools or strings.
        precision: digits after the point, for floating-point and complex numbers.
        scientific: write an exponent.
        shortest: write an exponent or not, whichever is shorter.
        width: the least number of characters.
        fill: what to pad with if `width` is given: "0" for zeros, "-" for spaces on the right, "+" and " "
            for a place for the sign.
        name: ignored.

    >>> tf.strings.as_string([0.5, 2.25], precision=2).numpy().tolist()
    [b'0.50', b'2.25']
    """
    where = "tf.strings.as_string"
    tensor = convert_to_tensor(input)
    dtype = tensor.dtype
    is_fractional = dtype.is_floating or dtype.is_complex
    if precision > -1 and not is_fractional and dtype is not string:
        raise invalid(
            f"{where} expected no precision for dtype {dtype.name}; got precision={precision} and input "
            f"{describe(tensor)}. Leave it out."
        )
    if (scientific or shortest) and not is_fractional:
        raise invalid(
            f"{where} expected neither scientific nor shortest for dtype {dtype.name}; got input "
            f"{describe(tensor)}. Leave them out."
        )
    if scientific and shortest:
        raise invalid(f"{where} expected one of scientific and shortest; got both.")
    if fill not in _FILLS:
        raise invalid(f"{where} expected fill to be one of {list(_FILLS)}; got fill={fill!r}.")
    wide = fill + (str(width) if width > -1 else "")
    exact = f".{precision}" if precision > -1 else ""
    write = _writer(dtype, wide, exact + ("e" if scientific else "g" if shortest else "f"))
    defer(tensor)
    array = np.asarray(tensor.numpy(), object if dtype is string else None)
    return string_tensor([write(v) for v in array.reshape(-1)], array.shape)


def _writer(dtype: DType, wide: str, kind: str) -> Callable[[Any], bytes]:
    """What turns one element into text."""
    if dtype.is_bool:
        return lambda value: b"true" if value else b"false"
    if dtype is string:
        form = f"%{wide.lstrip('0+ ')}s".encode()
        return lambda value: form % value
    if dtype.is_integer:
        wide = wide.lstrip("+ ") if dtype.is_unsigned else wide  # C shows no sign where there is none
        return lambda value: (f"%{wide}d" % int(value)).encode()
    if dtype.is_complex:
        return lambda value: (
            f"({_float_text(value.real, wide, kind)},{_float_text(value.imag, wide, kind)})".encode()
        )
    return lambda value: _float_text(value, wide, kind).encode()


def _float_text(value: Any, wide: str, kind: str) -> str:
    number = float(value)
    if not np.isfinite(number) and wide.startswith("0"):
        wide = wide[1:]  # C pads what is no number with spaces
    return f"%{wide}{kind}" % number


_SPACE = b" \t\n\v\f\r"
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_HEXADECIMAL = re.compile(rb"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?\d+)?")
_SPECIAL = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(rb"[+-]?\d+")


def to_number(input: TensorLike, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """Each string as a number; spaces around it do not matter.

    >>> tf.strings.to_number(["1.5", " 2e3 "]).numpy()
    array([1.5e+00, 2.0e+03], dtype=float32)
    """
    where = "tf.strings.to_number"
    dtype = as_dtype(out_type)
    if dtype not in (float32, float64, int32, int64, uint32, uint64):
        raise invalid(
            f"{where} expected out_type to be float32, float64, int32, int64, uint32 or uint64; got "
            f"out_type={dtype.name}. Use tf.cast afterwards."
        )
    array = read_strings(input, where)
    read = _read_whole if dtype.is_integer else _read_float
    numbers = []
    for text in array.reshape(-1):
        number = read(text.strip(_SPACE), dtype)
        if number is None:
            raise invalid(
                f"{where} expected the text of a number that fits {dtype.name}; could not correctly convert "
                f"string: {text.decode('utf-8', errors='replace')!r}. Clean the strings first."
            )
        numbers.append(number)
    return convert_to_tensor(np.array(numbers, dtype.as_numpy_dtype).reshape(array.shape))


def _read_whole(text: bytes, dtype: DType) -> int | None:
    if not _WHOLE.fullmatch(text) or (dtype.is_unsigned and text.startswith(b"-")):
        return None
    number = int(text)
    return number if dtype.min <= number <= dtype.max else None


def _read_float(text: bytes, dtype: DType) -> Any:
    if _SPECIAL.fullmatch(text):
        return float(text)
    if _DECIMAL.fullmatch(text):
        number = float(text)
    elif _HEXADECIMAL.fullmatch(text):
        number = float.fromhex(text.decode())
    else:
        return None
    return number if dtype is float64 else _single(text, number)


def _single(text: bytes, number: float) -> np.float32:
    """`text` rounded to float32 once, not first to float64 and then again."""
    with np.errstate(over="ignore"):
        rounded = np.float32(number)
    towards = np.float32(np.inf if number > float(rounded) else -np.inf)
    other = np.nextafter(rounded, towards)
    is_between = _as_double(rounded) + _as_double(other) == 2 * number
    if not is_between or float(rounded) == number or b"x" in text.lower():
        return rounded
    exact, middle = Fraction(text.decode()), Fraction(number)
    if exact == middle:
        return rounded
    return max(rounded, other) if exact > middle else min(rounded, other)


def _as_double(value: np.float32) -> float:
    """A float32 as float64, with the number that would come next in place of infinity."""
    return math.copysign(2.0**128, value) if np.isinf(value) else float(value)
