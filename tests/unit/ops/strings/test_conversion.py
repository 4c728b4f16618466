"""tf.strings.as_string and tf.strings.to_number: every expected value is TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.strings import as_string, to_number

Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1, {}, b"1"),
        (np.int8(-3), {}, b"-3"),
        (np.uint64(2**63), {}, b"9223372036854775808"),
        (True, {}, b"true"),
        (False, {"width": 8}, b"false"),
        ("a", {}, b"a"),
        ("abc", {"width": 6, "fill": "0"}, b"   abc"),
        ("abc", {"width": 6, "fill": "-"}, b"abc   "),
        ("abc", {"precision": 1}, b"abc"),
        (1.5, {}, b"1.500000"),
        (123456789.0, {}, b"123456792.000000"),
        (1e-7, {}, b"0.000000"),
        (-0.0, {}, b"-0.000000"),
        (np.float64(0.1), {}, b"0.100000"),
        (np.float16(0.1), {}, b"0.099976"),
        (3.14159, {"precision": 2}, b"3.14"),
        (2.5, {"precision": 0}, b"2"),
        (3.14159, {"scientific": True}, b"3.141590e+00"),
        (123456789.0, {"shortest": True}, b"1.23457e+08"),
        (1 / 3, {"shortest": True, "precision": 3}, b"0.333"),
        (3.14159, {"width": 12}, b"    3.141590"),
        (3.14159, {"width": 12, "fill": "0"}, b"00003.141590"),
        (3.14159, {"fill": "+"}, b"+3.141590"),
        (42, {"width": 8, "fill": "-"}, b"42      "),
        (42, {"width": 8, "fill": "+"}, b"     +42"),
        (42, {"fill": " "}, b" 42"),
        (np.uint8(7), {"width": 3, "fill": "+"}, b"  7"),
        (float("nan"), {}, b"nan"),
        (float("nan"), {"width": 6, "fill": "0"}, b"   nan"),
        (-float("inf"), {"precision": 2}, b"-inf"),
        (np.complex64(1.5 - 2.25j), {}, b"(1.500000,-2.250000)"),
        (np.complex64(1.5 + 2.25j), {"precision": 1}, b"(1.5,2.2)"),
        ([[1, 2], [3, 4]], {}, [[b"1", b"2"], [b"3", b"4"]]),
    ],
)
def test_as_string(value: Any, options: dict[str, Any], expected: Any) -> None:
    found = as_string(value, **options)
    assert found.dtype == tf.string
    assert np.asarray(found.numpy(), object).tolist() == expected


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (42, {"precision": 2}, "expected no precision for dtype int32; got precision=2"),
        (True, {"precision": 2}, "expected no precision for dtype bool"),
        (42, {"scientific": True}, "expected neither scientific nor shortest for dtype int32"),
        (42, {"shortest": True}, "expected neither scientific nor shortest for dtype int32"),
        (4.2, {"shortest": True, "scientific": True}, "expected one of scientific and shortest; got both"),
        (42, {"width": 8, "fill": "x"}, "expected fill to be one of .* got fill='x'"),
        (42, {"width": 8, "fill": "00"}, "expected fill to be one of .* got fill='00'"),
    ],
)
def test_as_string_refuses(value: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(Invalid, match=text):
        as_string(value, **options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1.0),
        (" \t1.5\n", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+5", 5.0),
        ("-0", -0.0),
        ("0x10", 16.0),
        ("-0X1.8p1", -3.0),
        ("1e400", np.inf),
        ("1e-400", 0.0),
        ("-Infinity", -np.inf),
        ("iNf", np.inf),
        ("NaN", np.nan),
        ("16777217", 16777216.0),
        # Just above the middle of two float32 numbers: rounding to float64 first would lose it.
        ("1.00000005960464477539062500001", np.nextafter(np.float32(1), np.float32(2))),
        ("1.000000059604644775390625", 1.0),
        ("-1.00000017881393432617187499", -np.nextafter(np.float32(1), np.float32(2))),
        ("3.4028235677973365e38", np.finfo(np.float32).max),
        ("3.4028235677973367e38", np.inf),
    ],
)
def test_to_number(text: str, expected: float) -> None:
    found = to_number(text)
    assert found.dtype == tf.float32
    np.testing.assert_array_equal(found.numpy(), np.float32(expected))
    assert np.signbit(found.numpy()) == np.signbit(np.float32(expected))


@given(st.floats(width=32, allow_nan=False))
def test_what_is_written_is_read_again(value: float) -> None:
    assert to_number(repr(float(value))).numpy() == np.float32(value)
    assert to_number(repr(float(value)), tf.float64).numpy() == value


@pytest.mark.parametrize(
    ("dtype", "text", "expected"),
    [
        (tf.float64, "0.1", 0.1),
        (tf.int32, " -2147483648 ", -(2**31)),
        (tf.int32, "007", 7),
        (tf.int64, "+9223372036854775807", 2**63 - 1),
        (tf.uint32, "4294967295", 2**32 - 1),
        (tf.uint64, "18446744073709551615", 2**64 - 1),
    ],
)
def test_other_dtypes(dtype: Any, text: str, expected: Any) -> None:
    found = to_number(text, dtype)
    assert found.dtype == dtype
    assert found.numpy() == expected


def test_to_number_keeps_shapes() -> None:
    assert to_number([["1"], ["2"]]).numpy().tolist() == [[1.0], [2.0]]
    assert to_number(tf.constant(["a"])[:0]).shape == (0,)


@pytest.mark.parametrize(
    "text", ["", "abc", "1.5abc", "1_000", "1 2", "1,5", "infi", "1e", "0x", ".", "٣", "1\x00", "0b1"]
)
@pytest.mark.parametrize("dtype", [tf.float32, tf.int32], ids=repr)
def test_what_is_no_number(text: str, dtype: Any) -> None:
    with pytest.raises(Invalid, match=r"could not correctly convert string: .* Clean the strings"):
        to_number(text, dtype)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("2147483648", tf.int32),
        ("9223372036854775808", tf.int64),
        ("-1", tf.uint32),
        ("-0", tf.uint64),
        ("1.0", tf.int32),
        ("1e3", tf.int64),
        ("0x10", tf.int32),
    ],
)
def test_what_is_no_such_integer(text: str, dtype: Any) -> None:
    with pytest.raises(Invalid, match=r"the text of a number that fits u?int\d+"):
        to_number(text, dtype)


def test_dtypes_and_inputs_refused() -> None:
    with pytest.raises(Invalid, match=r"expected out_type to be float32, .* got out_type=float16"):
        to_number("1", tf.float16)
    with pytest.raises(TypeError, match=r"tf.strings.to_number expected strings for input"):
        to_number(1)
