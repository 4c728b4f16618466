"""`tf.strings`: errors and corners; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine import errors

strings = tf.strings


def test_bytes_that_are_no_text() -> None:
    broken = b"a\xffb"
    assert strings.unicode_decode(broken, "UTF-8").numpy().tolist() == [97, 65533, 98]
    assert strings.unicode_decode(broken, "UTF-8", errors="ignore").numpy().tolist() == [97, 98]
    assert strings.unicode_split_with_offsets(broken, "UTF-8")[1].numpy().tolist() == [0, 1, 2]
    assert strings.regex_replace(broken, "b", "c").numpy() == b"a\xffc"
    assert (
        strings.unicode_transcode("a\x01", "UTF-8", "UTF-8", replace_control_characters=True).numpy()
        == "a�".encode()
    )


def test_a_pattern_of_classes_and_groups() -> None:
    assert strings.regex_replace("a-b!", "[[:punct:]]", "").numpy() == b"ab"
    assert strings.regex_replace("ab12", r"([a-z]+)(\d+)", r"\2\\\1\0").numpy() == rb"12\abab12"
    assert strings.regex_replace("aaa", "a", "b", replace_global=False).numpy() == b"baa"
    assert bool(strings.regex_full_match("é", "."))


def test_ngrams_of_rows() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"], []])
    assert strings.ngrams(rows, 2).to_list() == [[b"a b"], [], []]
    assert strings.ngrams(rows, 2, preserve_short_sequences=True).to_list() == [[b"a b"], [b"c"], []]
    assert strings.ngrams(["a", "b"], 3, pad_values="#", padding_width=1).numpy().tolist() == [
        b"# a b",
        b"a b #",
    ]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: strings.split(1), TypeError, "expected strings for input"),
        (lambda: strings.ngrams("a", 2), errors.InvalidArgumentError, "at least one dimension"),
        (lambda: strings.ngrams(["a"], 0), ValueError, "all must be >= 1"),
        (lambda: strings.regex_full_match("a", "("), errors.InvalidArgumentError, "invalid pattern"),
        (
            lambda: strings.regex_replace("a", "a", r"\1"),
            errors.InvalidArgumentError,
            "groups that the pattern has",
        ),
        (lambda: strings.substr("ab", 5, 1), errors.InvalidArgumentError, "pos 5 out of range"),
        (lambda: strings.substr("ab", [1], 1), errors.InvalidArgumentError, "pos and len of one shape"),
        (
            lambda: strings.substr(["a", "b"], [1, 1, 1], [1, 1, 1]),
            errors.InvalidArgumentError,
            "that broadcast",
        ),
        (lambda: strings.substr("ab", 0, 1, unit="x"), errors.InvalidArgumentError, "unit to be 'BYTE'"),
        (
            lambda: strings.to_hash_bucket_fast("a", 0),
            errors.InvalidArgumentError,
            "num_buckets of at least 1",
        ),
        (
            lambda: strings.to_hash_bucket_strong("a", 3, [1]),
            errors.InvalidArgumentError,
            "key must have 2 elements",
        ),
        (
            lambda: strings.unicode_decode("a", "KLINGON"),
            errors.InvalidArgumentError,
            "input_encoding to be UTF-8",
        ),
        (
            lambda: strings.unicode_decode("a", "UTF-8", errors="x"),
            errors.InvalidArgumentError,
            "errors to be one of",
        ),
        (
            lambda: strings.unicode_decode(b"\xff", "UTF-8", errors="strict"),
            errors.InvalidArgumentError,
            "invalid formatting on input string",
        ),
        (lambda: strings.unicode_encode(65, "UTF-8"), ValueError, "at least one dimension"),
        (
            lambda: strings.unicode_encode([-1], "UTF-8", errors="strict"),
            errors.InvalidArgumentError,
            "expected code points",
        ),
        (
            lambda: strings.unsorted_segment_join(["a"], [0, 1], 2),
            errors.InvalidArgumentError,
            "one id for each string",
        ),
        (lambda: strings.unsorted_segment_join(["a"], [5], 2), errors.InvalidArgumentError, "ids below 2"),
        (
            lambda: strings.reduce_join(tf.ragged.constant([["a"]]), axis=0),
            ValueError,
            "the innermost axis of a ragged tensor",
        ),
    ],
)
def test_wrong_arguments_of_string_ops_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()
