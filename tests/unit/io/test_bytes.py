"""Serialised tensors, raw numbers, base64, compressed bytes, csv: what is wrong with them."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors


@pytest.mark.parametrize(
    "value", [np.float32([[1.5]]), np.arange(3), np.array([b"a", b""], object), np.bool_(True)]
)
def test_a_tensor_survives(value: Any) -> None:
    tensor = tf.constant(value)
    found = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), tensor.dtype)
    assert found.dtype is tensor.dtype
    np.testing.assert_array_equal(found.numpy(), tensor.numpy())


def test_compressed() -> None:
    packed = [zlib.compress(b"one"), zlib.compress(b"two")]
    assert tf.io.decode_compressed(packed, "ZLIB").numpy().tolist() == [b"one", b"two"]
    assert tf.io.decode_compressed(gzip.compress(b"one"), "GZIP").numpy() == b"one"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.io.parse_tensor([b"a"], tf.int32), errors.InvalidArgumentError, "expected one string"),
        (lambda: tf.io.parse_tensor(b"zz", tf.int32), errors.InvalidArgumentError, "as TensorProto"),
        (
            lambda: tf.io.parse_tensor(tf.io.serialize_tensor(1), tf.float32),
            errors.InvalidArgumentError,
            "type mismatch between parsed tensor",
        ),
        (lambda: tf.io.decode_raw([b"ab", b"a"], tf.uint8), errors.InvalidArgumentError, "Use fixed_length"),
        (lambda: tf.io.decode_raw(b"abc", tf.int16), errors.InvalidArgumentError, "not a multiple of 2"),
        (lambda: tf.io.decode_base64("!"), errors.InvalidArgumentError, "web-safe base64"),
        (lambda: tf.io.decode_compressed(b"a", "ZLIB"), errors.InvalidArgumentError, "expected ZLIB data"),
        (lambda: tf.io.decode_compressed(b"a", "LZ"), ValueError, "compression_type to be"),
        (lambda: tf.io.decode_csv("1", [tf.int32]), ValueError, "expected default values; got a dtype"),
        (lambda: tf.io.decode_csv("1", [[1, 2]]), errors.InvalidArgumentError, "one default value"),
        (lambda: tf.io.decode_csv("1", [[True]]), TypeError, "expected columns of"),
        (lambda: tf.io.decode_csv("1,2", [[1], [1]], select_cols=[1, 0]), ValueError, "in growing order"),
        (
            lambda: tf.io.decode_csv("1", [[1]], select_cols=[3]),
            errors.InvalidArgumentError,
            "at least 4 fields",
        ),
        (lambda: tf.io.decode_csv('"1', [[""]]), errors.InvalidArgumentError, "quotes in pairs"),
        (lambda: tf.io.decode_csv("99999999999", [[1]]), errors.InvalidArgumentError, "not a valid int32"),
    ],
)
def test_malformed_bytes_and_records_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_messages_of_tensors() -> None:
    proto = tf.make_tensor_proto([[1, 2]])
    assert proto.dtype == 3
    assert [d.size for d in proto.tensor_shape.dim] == [1, 2]
    np.testing.assert_array_equal(tf.make_ndarray(proto), np.array([[1, 2]], np.int32))
    assert tf.make_ndarray(tf.make_tensor_proto(["a", "b"])).tolist() == [b"a", b"b"]
    np.testing.assert_array_equal(
        tf.make_ndarray(tf.make_tensor_proto(3.0, shape=[2, 2])), np.full((2, 2), 3.0)
    )
    wide = tf.make_ndarray(tf.make_tensor_proto([1, 2, 3, 4], dtype=tf.int64, shape=[2, 2]))
    np.testing.assert_array_equal(wide, np.array([[1, 2], [3, 4]], np.int64))
