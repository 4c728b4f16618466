"""Tables: what fixtures of TensorFlow do not show, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine import errors

lookup = tf.lookup


def _table() -> Any:
    return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)


def _dense() -> Any:
    return lookup.experimental.DenseHashTable(tf.int64, tf.int64, 0, empty_key=-1, deleted_key=-2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda p: lookup.KeyValueTensorInitializer(["a"], [1, 2]), ValueError, "as many keys as values"),
        (lambda p: _table().lookup(tf.constant([1])), TypeError, "dtype of argument `keys` must be string"),
        (
            lambda p: lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), 0),
            errors.FailedPreconditionError,
            "different value for same key",
        ),
        (
            lambda p: lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a"], [1]), [0]),
            ValueError,
            "one default value",
        ),
        (lambda p: lookup.StaticVocabularyTable(None, 0), ValueError, "`oov_buckets` must be > 0"),
        (
            lambda p: lookup.StaticVocabularyTable(lookup.KeyValueTensorInitializer(["a"], [1]), 1),
            TypeError,
            "values of int64",
        ),
        (
            lambda p: lookup.TextFileInitializer(p, tf.string, 0, tf.int32, -1),
            ValueError,
            "int64 for line numbers",
        ),
        (
            lambda p: lookup.TextFileInitializer(p, tf.int64, -2, tf.int64, -1),
            ValueError,
            "string for whole lines",
        ),
        (
            lambda p: lookup.TextFileInitializer(p / "none", tf.string, -2, tf.int64, -1).pairs(),
            errors.NotFoundError,
            "No such file",
        ),
        (
            lambda p: lookup.TextFileInitializer(p / "v", tf.string, 0, tf.int64, 5).pairs(),
            errors.InvalidArgumentError,
            "expected at least 6, got 1",
        ),
        (
            lambda p: lookup.TextFileInitializer(p / "v", tf.int64, 0, tf.int64, -1).pairs(),
            errors.InvalidArgumentError,
            "is not a valid one",
        ),
        (
            lambda p: lookup.TextFileInitializer(p / "v", tf.string, -2, tf.int64, -1, vocab_size=9).pairs(),
            errors.InvalidArgumentError,
            "expected 9 lines",
        ),
        (
            lambda p: _dense().insert(tf.constant([-1], tf.int64), tf.constant([1], tf.int64)),
            errors.InvalidArgumentError,
            "other than empty_key and deleted_key",
        ),
        (
            lambda p: _dense().insert(tf.constant([1], tf.int64), tf.constant([1, 2], tf.int64)),
            errors.InvalidArgumentError,
            "one for each key",
        ),
        (
            lambda p: lookup.experimental.DenseHashTable(tf.int64, tf.int64, 0, 1, 1),
            errors.InvalidArgumentError,
            "different empty_key and deleted_key",
        ),
    ],
)
def test_wrong_keys_values_and_files_raise(tmp_path: Path, call: Any, error: Any, text: str) -> None:
    (tmp_path / "v").write_text("x\n")
    with pytest.raises(error, match=text):
        call(tmp_path)
