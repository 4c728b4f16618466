"""Strings."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, array, forwards, implements, integer, ints

_PLAIN: dict[str, Any] = {
    "EncodeBase64": tf.io.encode_base64,
    "DecodeBase64": tf.io.decode_base64,
    "DecodeJSONExample": tf.io.decode_json_example,
    "SerializeTensor": tf.io.serialize_tensor,
}
for _op, _function in _PLAIN.items():
    forwards(_op, _function)


@implements("StringLower", "StringUpper")
def _case(node: Node, text: Tensor) -> Any:
    return (tf.strings.lower if node.op == "StringLower" else tf.strings.upper)(text, node.text("encoding"))


@implements("StringStrip")
def _strip(_: Node, text: Tensor) -> Any:
    return tf.strings.strip(text)


@implements("StringLength")
def _length(node: Node, text: Tensor) -> Any:
    return tf.strings.length(text, node.text("unit", "BYTE"))


@implements("StringJoin")
def _join(node: Node, *parts: Tensor) -> Any:
    return tf.strings.join(list(parts), node.text("separator"))


@implements("ReduceJoin")
def _reduce_join(node: Node, text: Tensor, axes: Tensor) -> Any:
    return tf.strings.reduce_join(text, ints(axes), node.flag("keep_dims"), node.text("separator"))


@implements("UnsortedSegmentJoin")
def _segment_join(node: Node, text: Tensor, rows: Tensor, count: Tensor) -> Any:
    return tf.strings.unsorted_segment_join(text, rows, integer(count), node.text("separator"))


@implements("RegexReplace")
def _regex_replace(node: Node, text: Tensor, pattern: Tensor, rewrite: Tensor) -> Any:
    return tf.strings.regex_replace(text, _one(pattern), _one(rewrite), node.flag("replace_global", True))


@implements("StaticRegexReplace")
def _static_regex_replace(node: Node, text: Tensor) -> Any:
    return tf.strings.regex_replace(
        text, node.text("pattern"), node.text("rewrite"), node.flag("replace_global", True)
    )


@implements("RegexFullMatch")
def _regex_match(_: Node, text: Tensor, pattern: Tensor) -> Any:
    return tf.strings.regex_full_match(text, _one(pattern))


@implements("StaticRegexFullMatch")
def _static_regex_match(node: Node, text: Tensor) -> Any:
    return tf.strings.regex_full_match(text, node.text("pattern"))


def _one(text: Any) -> str:
    return np.asarray(text.numpy(), object).reshape(-1)[0].decode("utf-8", "surrogateescape")


@implements("Substr")
def _substr(node: Node, text: Tensor, start: Tensor, count: Tensor) -> Any:
    return tf.strings.substr(text, start, count, node.text("unit", "BYTE"))


@implements("StringToHashBucketFast", "StringToHashBucket")
def _hash(node: Node, text: Tensor) -> Any:
    function = tf.strings.to_hash_bucket_fast if node.op.endswith("Fast") else tf.strings.to_hash_bucket
    return function(text, node.number("num_buckets"))


@implements("StringToHashBucketStrong")
def _strong_hash(node: Node, text: Tensor) -> Any:
    return tf.strings.to_hash_bucket_strong(text, node.number("num_buckets"), node.ints("key"))


@implements("Fingerprint")
def _fingerprint(_: Node, data: Tensor, method: Tensor) -> Any:
    return tf.fingerprint(data, _one(method))


@implements("StringToNumber")
def _to_number(node: Node, text: Tensor) -> Any:
    return tf.strings.to_number(text, node.dtype("out_type", tf.float32))


@implements("AsString")
def _as_string(node: Node, x: Tensor) -> Any:
    return tf.strings.as_string(
        x,
        node.number("precision", -1),
        node.flag("scientific"),
        node.flag("shortest"),
        node.number("width", -1),
        node.text("fill"),
    )


def _sparse_rows(found: Any) -> tuple[Any, Any, Any]:
    sparse = found.to_sparse()
    return sparse.indices, sparse.values, sparse.dense_shape


@implements("StringSplitV2", outputs=("indices", "values", "shape"))
def _split(node: Node, text: Tensor, separator: Tensor) -> Any:
    return _sparse_rows(tf.strings.split(text, _one(separator), node.number("maxsplit", -1)))


@implements("StringSplit", outputs=("indices", "values", "shape"))
def _old_split(node: Node, text: Tensor, delimiters: Tensor) -> Any:
    marks = np.asarray(delimiters.numpy(), object).reshape(-1)[0]
    skips = node.flag("skip_empty", True)
    rows = []
    for line in np.asarray(text.numpy(), object).reshape(-1).tolist():
        words = re.split(b"[" + re.escape(marks) + b"]", line) if marks else [bytes([b]) for b in line]
        rows.append([w for w in words if w or not skips])
    return _sparse_rows(tf.ragged.constant(rows, tf.string, ragged_rank=1))


@implements("StringNGrams", outputs=("ngrams", "ngrams_splits"))
def _ngrams(node: Node, text: Tensor, splits: Tensor) -> Any:
    rows = tf.RaggedTensor.from_row_splits(text, splits, validate=False)
    width = node.number("pad_width")
    found = tf.strings.ngrams(
        rows,
        tuple(node.ints("ngram_widths")),
        node.text("separator"),
        (node.text("left_pad"), node.text("right_pad")) if width else None,
        None if width <= 0 else width,
        node.flag("preserve_short_sequences"),
    )
    return found.flat_values, tf.cast(found.row_splits, splits.dtype)


@implements("UnicodeDecode", outputs=("row_splits", "char_values"))
def _unicode_decode(node: Node, text: Tensor) -> Any:
    found = tf.strings.unicode_decode(tf.reshape(text, [-1]), **_unicode(node))
    return tf.cast(found.row_splits, node.dtype("Tsplits", tf.int64)), found.flat_values


@implements("UnicodeDecodeWithOffsets", outputs=("row_splits", "char_values", "char_to_byte_starts"))
def _unicode_decode_offsets(node: Node, text: Tensor) -> Any:
    found, starts = tf.strings.unicode_decode_with_offsets(tf.reshape(text, [-1]), **_unicode(node))
    splits = tf.cast(found.row_splits, node.dtype("Tsplits", tf.int64))
    return splits, found.flat_values, starts.flat_values


def _unicode(node: Node) -> dict[str, Any]:
    return {
        "input_encoding": node.text("input_encoding"),
        "errors": node.text("errors", "replace"),
        "replacement_char": node.number("replacement_char", 65533),
        "replace_control_characters": node.flag("replace_control_characters"),
    }


@implements("UnicodeEncode")
def _unicode_encode(node: Node, points: Tensor, splits: Tensor) -> Any:
    rows = tf.RaggedTensor.from_row_splits(points, splits, validate=False)
    encoding, errors = node.text("output_encoding"), node.text("errors", "replace")
    return tf.strings.unicode_encode(rows, encoding, errors, node.number("replacement_char", 65533))


@implements("UnicodeTranscode")
def _unicode_transcode(node: Node, text: Tensor) -> Any:
    return tf.strings.unicode_transcode(text, output_encoding=node.text("output_encoding"), **_unicode(node))


@implements("UnicodeScript")
def _unicode_script(_: Node, points: Tensor) -> Any:
    return tf.strings.unicode_script(points)


@implements("DecodeRaw")
def _decode_raw(node: Node, data: Tensor) -> Any:
    return tf.io.decode_raw(data, node.dtype("out_type"), node.flag("little_endian", True))


@implements("DecodePaddedRaw")
def _decode_padded(node: Node, data: Tensor, length: Tensor) -> Any:
    return tf.io.decode_raw(
        data, node.dtype("out_type"), node.flag("little_endian", True), fixed_length=integer(length)
    )


@implements("DecodeCompressed")
def _decode_compressed(node: Node, data: Tensor) -> Any:
    return tf.io.decode_compressed(data, node.text("compression_type"))


@implements("ParseTensor")
def _parse_tensor(node: Node, data: Tensor) -> Any:
    return tf.io.parse_tensor(data, node.dtype("out_type"))


@implements("DecodeCSV")
def _decode_csv(node: Node, lines: Tensor, *defaults: Tensor) -> Any:
    return list(
        tf.io.decode_csv(
            lines,
            [array(d).reshape(-1).tolist() if d.dtype != tf.string else d for d in defaults],
            node.text("field_delim", ","),
            node.flag("use_quote_delim", True),
            node.text("na_value"),
            node.ints("select_cols") or None,
        )
    )
