"""Parts of strings: `tf.strings.strip`, `substr`, `regex_replace` and `regex_full_match`.

Patterns are RE2's, in TensorFlow. Python's `re` is used here, with RE2's classes of characters put in its
terms; look-around and back references, which RE2 has not, work too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_array
from tapeflow.ops.strings.text import read_strings, string_tensor

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7F",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Strings without the white space at their ends.

    >>> tf.strings.strip(" a \\n").numpy()
    b'a'
    """
    array = read_strings(input, "tf.strings.strip")
    return string_tensor([s.strip() for s in array.reshape(-1)], array.shape)


@lru_cache(maxsize=256)
def _compiled(pattern: bytes, where: str) -> re.Pattern[str]:
    text = pattern.decode("utf-8", "surrogateescape")
    text = re.sub(r"\[:(\w+):\]", lambda m: _CLASSES.get(m[1], m[0]), text)
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", text)
    try:
        return re.compile(text, re.ASCII)
    except re.error as error:
        raise invalid(
            f"{where} expected a regular expression: invalid pattern: {text}, error: {error}."
        ) from None


def _pattern(pattern: Any, where: str) -> re.Pattern[str]:
    return _compiled(read_strings(pattern, where, "pattern").item(), where)


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string, from beginning to end, matches the pattern.

    >>> tf.strings.regex_full_match(["TapeFlow", "tape"], "T.*").numpy()
    array([ True, False])
    """
    where = "tf.strings.regex_full_match"
    array, compiled = read_strings(input, where), _pattern(pattern, where)
    found = [compiled.fullmatch(_decoded(s)) is not None for s in array.reshape(-1)]
    return convert_to_tensor(np.array(found, bool).reshape(array.shape))


def regex_replace(
    input: TensorLike, pattern: TensorLike, rewrite: str, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """Strings in which what matches the pattern is replaced; `\\\\1` stands for its first group.

    >>> tf.strings.regex_replace("a1b22", "[0-9]+", "#").numpy()
    b'a#b#'
    """
    where = "tf.strings.regex_replace"
    array, compiled = read_strings(input, where), _pattern(pattern, where)
    text = read_strings(rewrite, where, "rewrite").item().decode("utf-8", "surrogateescape")
    parts = re.split(r"\\(\d|\\)", text)
    groups = [int(p) for p in parts[1::2] if p != "\\"]
    if groups and max(groups) > compiled.groups:
        raise invalid(
            f"{where} expected a rewrite of groups that the pattern has, {compiled.groups}; got "
            f"rewrite={text!r}."
        )

    def rewritten(match: re.Match[str]) -> str:
        pieces = [
            p if i % 2 == 0 else "\\" if p == "\\" else match[int(p)] or "" for i, p in enumerate(parts)
        ]
        return "".join(pieces)

    count = 0 if replace_global else 1
    found = [compiled.sub(rewritten, _decoded(s), count=count) for s in array.reshape(-1)]
    return string_tensor([f.encode("utf-8", "surrogateescape") for f in found], array.shape)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """`len` bytes, or characters with `unit="UTF8_CHAR"`, of each string from `pos` on.

    >>> tf.strings.substr("TapeFlow", 4, 2).numpy()
    b'Fl'
    """
    where = "tf.strings.substr"
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise invalid(f"{where} expected unit to be 'BYTE' or 'UTF8_CHAR'; got unit={unit!r}.")
    array = read_strings(input, where)
    starts, counts = read_array(pos, where, "pos"), read_array(len, where, "len")
    if starts.shape != counts.shape:
        raise invalid(
            f"{where} expected pos and len of one shape; got {list(starts.shape)} and {list(counts.shape)}."
        )
    try:
        texts, firsts, lengths = np.broadcast_arrays(array, starts, counts)
    except ValueError:
        raise invalid(
            f"{where} expected pos and len that broadcast with the input; got shapes {list(array.shape)} and "
            f"{list(starts.shape)}."
        ) from None
    triples = zip(texts.reshape(-1), firsts.reshape(-1).tolist(), lengths.reshape(-1).tolist(), strict=True)
    return string_tensor([_part(s, a, n, unit == "BYTE", where) for s, a, n in triples], texts.shape)


def _part(text: bytes, start: int, count: int, is_bytes: bool, where: str) -> bytes:
    units: Any = text if is_bytes else _decoded(text)
    size = sum(1 for _ in units)
    if not -size <= start <= size:
        raise invalid(
            f"{where} expected a pos within the string: pos {start} out of range for string {text!r}."
        )
    begin = start + size if start < 0 else start
    found = units[begin : begin + max(count, 0)]
    return found if is_bytes else found.encode("utf-8", "surrogateescape")
