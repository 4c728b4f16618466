"""Ops of strings, as nodes: TensorFlow's own, lookups in tables, and texts split into words."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value, kind_of
from tapeflow.ops.graphs.nodes.interfaces import interface
from tapeflow.ops.graphs.nodes.lowering import RecordedOp, op_rule


@op_rule("StringOp")
def _string_op(body: FunctionBody, op: RecordedOp, *values: Value) -> Value:
    attributes = dict(op.statics)
    node = attributes.pop("node")
    is_list = interface(node).inputs[0].number != ""
    inputs: list[Any] = [list(values)] if is_list else list(values)
    return body.emit(node, inputs, op.shapes[0], op.kinds[0], **attributes)


@op_rule("Add")
def _add(body: FunctionBody, op: RecordedOp, x: Value, y: Value) -> Value | None:
    if x.kind != kind_of("string"):
        return None
    return body.emit("StringJoin", [[x, y]], op.shapes[0], separator="")


@op_rule("FindTerms")
def _find_terms(body: FunctionBody, op: RecordedOp, texts: Value) -> Value:
    statics, shape = op.statics, op.shapes[0]
    unknown, buckets = statics["unknown"], statics["buckets"]
    if buckets == 1:
        return _looked_up(body, texts, statics, unknown)
    place = _looked_up(body, texts, statics, -1)
    is_known = body.emit("GreaterEqual", [place, body.constant(0, "int64")], shape)
    if not buckets:
        said = "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values."
        axes = body.constant(list(range(len(texts.sizes))), np.int32)
        are_known = body.emit("All", [is_known, axes], (), keep_dims=False)
        body.emit("Assert", [are_known, [body.constant(np.array(said, object))]], [])
        body.updates.append(body.nodes[-1].name)
        return place
    bucket = body.emit("StringToHashBucketFast", [texts], shape, num_buckets=buckets)
    other = body.emit("AddV2", [bucket, body.constant(unknown, "int64")], shape)
    return body.emit("SelectV2", [is_known, place, other], shape)


@op_rule("SplitStrings")
def _split_strings(body: FunctionBody, op: RecordedOp, texts: Value) -> tuple[Value, Value]:
    _check_open(op.shapes[0][0])
    return _parts(body, texts, op.statics["sep"], op.statics["maxsplit"])


def _check_open(size: Any) -> None:
    """Raise if a number of words, which nobody knows, was the same in all records."""
    if isinstance(size, int):
        raise CannotLower("gives as many words as the texts have; let the number of texts be open, None")


@op_rule("RaggedToTensor")
def _ragged_to_tensor(
    body: FunctionBody, op: RecordedOp, values: Value, filling: Value, splits: Value
) -> Value:
    sizes = op.statics["sizes"]
    rows, width = (None if size < 0 else size for size in sizes[:2])
    rows = op.shapes[0][0] if rows is None else rows
    return body.emit(
        "RaggedTensorToTensor",
        [body.constant(list(sizes), np.int64), values, filling, [splits]],
        (rows, width, *values.sizes[1:]),
        row_partition_types=["ROW_SPLITS"],
    )


@op_rule("SplitAndFind")
def _split_and_find(body: FunctionBody, op: RecordedOp, texts: Value) -> Value:
    statics, rows = op.statics, texts.sizes[0]
    words, splits = _words(body, texts, statics["split"])
    if statics["widths"] is not None:
        words, splits = body.emit(
            "StringNGrams",
            [words, splits],
            [(None,), (rows + 1,)],
            separator=" ",
            ngram_widths=list(statics["widths"]),
            left_pad="",
            right_pad="",
            pad_width=0,
            preserve_short_sequences=False,
        )
    places = _looked_up(body, words, statics, statics["unknown"])
    length = statics["length"]
    size = body.constant([-1, -1 if length is None else length], np.int64)
    filling = body.constant(statics["filling"], "int64")
    return body.emit(
        "RaggedTensorToTensor",
        [size, places, filling, [splits]],
        (rows, length),
        row_partition_types=["ROW_SPLITS"],
    )


def _words(body: FunctionBody, texts: Value, split: str | None) -> tuple[Value, Value]:
    """The words of all texts one after the other, and where those of each text begin."""
    rows = texts.sizes[0]
    if split is None:
        return texts, _numbers_up_to(
            body, body.emit("AddV2", [body.size(rows), body.constant(1, "int32")], ())
        )
    if split == "character":
        splits, points = body.emit(
            "UnicodeDecode", [texts], [(rows + 1,), (None,)], input_encoding="UTF-8", Tsplits=kind_of("int64")
        )
        count = body.emit("Size", [points], (), "int32", out_type=kind_of("int32"))
        each = _numbers_up_to(body, body.emit("AddV2", [count, body.constant(1, "int32")], ()))
        words = body.emit("UnicodeEncode", [points, each], (None,), output_encoding="UTF-8")
        return words, splits
    return _parts(body, texts, b"", -1)


def _parts(body: FunctionBody, texts: Value, sep: bytes, maxsplit: int) -> tuple[Value, Value]:
    """The parts of all texts between separators, and where those of each text begin."""
    rows = texts.sizes[0]
    places, words, _ = body.emit(
        "StringSplitV2",
        [texts, body.constant(np.array(sep, object))],
        [(None, 2), (None,), (2,)],
        maxsplit=maxsplit,
    )
    ends = [body.constant(pair, np.int32) for pair in ([0, 0], [0, 1], [1, 1])]
    row_of_word = body.emit(
        "StridedSlice", [places, *ends], (None,), begin_mask=1, end_mask=1, shrink_axis_mask=2
    )
    wanted = _numbers_up_to(body, body.emit("AddV2", [body.size(rows), body.constant(1, "int32")], ()))
    zero = body.constant(0, "int32")
    found = body.emit(
        "LowerBound",
        [
            body.emit("ExpandDims", [row_of_word, zero], (1, None)),
            body.emit("ExpandDims", [wanted, zero], (1, rows + 1)),
        ],
        (1, rows + 1),
        "int64",
        out_type=kind_of("int64"),
    )
    return words, body.emit("Squeeze", [found], (rows + 1,), squeeze_dims=[0])


def _numbers_up_to(body: FunctionBody, count: Value) -> Value:
    """The numbers from 0 to below a count, as int64."""
    made = body.emit("Range", [body.constant(0, "int32"), count, body.constant(1, "int32")], (None,))
    return body.cast(made, "int64")


def _looked_up(body: FunctionBody, texts: Value, statics: dict[str, Any], unknown: int) -> Value:
    """The place of each string, from a table that the first call fills."""
    terms, places = statics["terms"], np.array(statics["places"], np.int64)
    digest = hashlib.sha256(places.tobytes() + b"\0".join(terms)).hexdigest()
    kinds = {"key_dtype": kind_of("string"), "value_dtype": kind_of("int64")}
    table = body.emit("HashTableV2", [], (), **kinds, shared_name=f"terms_{digest}")
    keys = body.constant(np.array(terms, object))
    body.emit("InitializeTableV2", [table, keys, body.constant(places)], [])
    filled = body.nodes[-1].name
    found = body.emit("LookupTableFindV2", [table, texts, body.constant(unknown, "int64")], texts.shape)
    body.nodes[-1].input.append(f"^{filled}")
    return found
