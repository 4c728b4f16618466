"""Strings taken apart: `tf.strings.split`, `bytes_split` and `ngrams`.

A string gives a vector of strings; a tensor of strings gives a ragged tensor, a row for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.strings.text import read_strings, string_tensor


def split(input: TensorLike, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Tensor:
    """The parts of each string between separators, or between spaces if there is no separator.

    >>> tf.strings.split(["a b", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    where = "tf.strings.split"
    given = b"" if sep is None else read_strings(sep, where, "sep").item()

    def parts(text: bytes) -> Sequence[bytes]:
        return text.split(given or None, maxsplit) if given or text.strip() else []

    return rows_of(read_strings(input, where), parts)


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each string.

    >>> tf.strings.bytes_split("abc").numpy().tolist()
    [b'a', b'b', b'c']
    """
    return rows_of(
        read_strings(input, "tf.strings.bytes_split"), lambda t: [t[i : i + 1] for i in range(len(t))]
    )


def rows_of(array: np.ndarray, parts: Callable[[bytes], Sequence[Any]], dtype: Any = None) -> Any:
    """A row of parts for each string; a vector for a single one."""
    rows = [list(parts(text)) for text in array.reshape(-1)]
    flat = [v for row in rows for v in row]
    values = string_tensor(flat, (len(flat),)) if dtype is None else convert_to_tensor(np.array(flat, dtype))
    if not array.ndim:
        return values
    lengths = np.array([len(r) for r in rows], np.int64)
    found = RaggedTensor(values, partition.splits_of_lengths(lengths))
    for length in array.shape[:0:-1]:
        splits = np.arange(len(found._places) // max(length, 1) + 1, dtype=np.int64) * length
        found = RaggedTensor(found, splits[splits <= len(found._places) - 1])
    return found


def ngrams(
    data: TensorLike,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Join neighbouring strings to n-grams, of one or several widths.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
    [b'a b', b'b c']

    Args:
        data: strings; their last dimension is gone over.
        ngram_width: the number of strings to join, or a list of such numbers.
        separator: what stands between them.
        pad_values: what stands before the first and behind the last; one string or two.
        padding_width: how often it stands there at most; one less than the width unless given.
        preserve_short_sequences: whether rows too short for any n-gram are kept as one.
        name: ignored.
    """
    where = "tf.strings.ngrams"
    widths = [int(w) for w in np.atleast_1d(ngram_width)]
    if min(widths, default=0) < 1:
        raise ValueError(f"{where} expected a positive ngram_width: all must be >= 1; got {ngram_width!r}.")
    ends = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
    left, right = (b"", b"") if ends is None else (_as_bytes(ends[0]), _as_bytes(ends[1]))
    between = _as_bytes(separator)

    def made(row: Sequence[bytes]) -> list[bytes]:
        found: list[bytes] = []
        for width in widths:
            pad = 0 if ends is None else width - 1 if padding_width is None else min(padding_width, width - 1)
            whole = [left] * pad + list(row) + [right] * pad
            found += [between.join(whole[i : i + width]) for i in range(len(whole) - width + 1)]
        if not found and preserve_short_sequences and len(row):
            found = [between.join(row)]
        return found

    if isinstance(data, RaggedTensor) and data.ragged_rank > 1:
        return data.with_values(ngrams(data._values, ngram_width, separator, pad_values, padding_width,
                                       preserve_short_sequences))  # fmt: skip
    if isinstance(data, RaggedTensor):
        flat, splits = read_strings(data.flat_values, where, "data"), data._places
        rows = [made(flat[a:b].tolist()) for a, b in itertools.pairwise(splits)]
        values = [v for r in rows for v in r]
        places = partition.splits_of_lengths(np.array([len(r) for r in rows], np.int64))
        return RaggedTensor(string_tensor(values, (len(values),)), places)
    array = read_strings(data, where, "data")
    if not array.ndim:
        raise invalid(f"{where} expected data with at least one dimension; got a scalar.")
    rows = [made(row.tolist()) for row in array.reshape(-1, array.shape[-1])]
    width = len(rows[0]) if rows else 0
    return string_tensor([v for r in rows for v in r], (*array.shape[:-1], width))


def _as_bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)
