"""tf.strings.join, length, lower, upper: TensorFlow's results and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import strings

Invalid = tf.errors.InvalidArgumentError


def elements(result: Any) -> Any:
    assert result.dtype == tf.string
    return np.asarray(result.numpy(), object).tolist()


@pytest.mark.parametrize(
    ("inputs", "separator", "expected"),
    [
        (["a", "b"], "", b"ab"),
        ([tf.constant(["a", "b"]), "x", ["p", "q"]], "-", [b"a-x-p", b"b-x-q"]),
        ([], "", b""),
        (["a"], "-", b"a"),
        (tf.constant(["a", "b"]), ", ", b"a, b"),
        ([[["a"]], "b"], "", [[b"ab"]]),
        (["a", "b"], None, b"ab"),
        ([tf.constant(["a"])[:0], "b"], "", []),
        (["é", b"\xff"], b"\x00", "é".encode() + b"\x00\xff"),
    ],
)
def test_join(inputs: Any, separator: Any, expected: Any) -> None:
    assert elements(strings.join(inputs, separator)) == expected


def test_join_refuses() -> None:
    with pytest.raises(Invalid, match=r"input shapes do not match; got \[2\] vs. \[3\]"):
        strings.join([["a", "b"], ["p", "q", "r"]])
    with pytest.raises(TypeError, match=r"strings for inputs\[1\]; got inputs\[1\] \(shape \[\], int32\)"):
        strings.join(["a", 1])
    with pytest.raises(Invalid, match=r"tf.strings.join expected strings for inputs\[0\]"):
        strings.join([tf.constant(1)])
    with pytest.raises(TypeError, match=r"expected a list of string tensors; got inputs='ab'"):
        strings.join("ab")
    with pytest.raises(TypeError, match=r"expected a Python string as separator"):
        strings.join(["a"], tf.constant("-"))  # pyright: ignore[reportArgumentType]


def test_length() -> None:
    texts = ["abc", "", "é", "日本", b"\xff\xfe", b"\xe6\x97", b"a\x80b"]
    found = strings.length(texts)
    assert found.dtype == tf.int32
    assert found.numpy().tolist() == [3, 0, 2, 6, 2, 2, 3]
    assert strings.length(texts, unit="UTF8_CHAR").numpy().tolist() == [3, 0, 1, 2, 2, 1, 2]
    assert strings.length("abc").shape == ()
    assert strings.length(tf.constant(["a"])[:0]).shape == (0,)
    with pytest.raises(Invalid, match=r"unit to be 'BYTE' or 'UTF8_CHAR'; got unit='X'"):
        strings.length("a", unit="X")
    with pytest.raises(TypeError, match=r"tf.strings.length expected strings for input"):
        strings.length(1)


def test_letters() -> None:
    assert elements(strings.lower(["ABC", "ÀÉ", b"\xff\xc3A\x00Z"])) == [
        b"abc",
        "ÀÉ".encode(),
        b"\xff\xc3a\x00z",
    ]
    assert elements(strings.upper([["abc"], ["àß"]])) == [[b"ABC"], ["àß".encode()]]
    assert elements(strings.lower(["ÀÉ", "İ", "ΑΣ"], encoding="utf-8")) == [
        "àé".encode(),
        b"i\xcc\x87",
        "ας".encode(),
    ]
    assert elements(strings.upper(["àß", "ŉ"], encoding="utf-8")) == ["ÀSS".encode(), "ʼN".encode()]
    assert elements(strings.lower(b"\xff\xc3A", encoding="utf-8")) == "��a".encode()
    with pytest.raises(Invalid, match=r"encoding to be '' or 'utf-8'; got encoding='latin1'"):
        strings.lower("a", encoding="latin1")
    with pytest.raises(Invalid, match=r"tf.strings.upper expected strings for input; got input \(shape"):
        strings.upper(tf.constant(1.5))


def test_format() -> None:
    found = strings.format("loss {} at {}", [tf.constant(0.5), tf.range(3)])
    assert elements(found) == b"loss 0.5 at [0 1 2]"
