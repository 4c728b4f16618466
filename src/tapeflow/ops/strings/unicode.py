"""Code points: `tf.strings.unicode_decode`, `unicode_encode`, `unicode_split`, `unicode_transcode`."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_array
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.strings.splitting import rows_of
from tapeflow.ops.strings.text import read_strings, string_tensor

_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_ERRORS = ("replace", "strict", "ignore")


def _codec(encoding: str, where: str, name: str) -> str:
    if encoding in _ENCODINGS:
        return _ENCODINGS[encoding]
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise invalid(
            f"{where} expected {name} to be UTF-8, UTF-16-BE or UTF-32-BE; got {encoding!r}."
        ) from None


def _points(
    text: bytes, codec: str, errors: str, replacement: int, controls: bool, where: str
) -> list[tuple[int, int]]:
    """Each code point and where it begins; what cannot be decoded is replaced, left out or an error."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        try:
            good, bad = text[at:].decode(codec), 0
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise invalid(
                    f"{where} expected valid input for errors='strict': invalid formatting on input string; got "
                    f"{text!r}."
                ) from None
            good, bad = text[at : at + error.start].decode(codec), max(error.end - error.start, 1)
        for character in good:
            point = ord(character)
            is_control = controls and (point < 32 or 127 <= point < 160)
            found.append((replacement if is_control else point, at))
            at += len(character.encode(codec))
        if bad:
            if errors == "replace":
                found.append((replacement, at))
            at += bad
    return found


def _decoder(
    where: str, encoding: str, errors: str, replacement: int, controls: bool
) -> Callable[[bytes], list[tuple[int, int]]]:
    codec = _codec(encoding, where, "input_encoding")
    if errors not in _ERRORS:
        raise invalid(f"{where} expected errors to be one of {list(_ERRORS)}; got errors={errors!r}.")
    return lambda text: _points(text, codec, errors, replacement, controls, where)


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """The code points of each string.

    >>> tf.strings.unicode_decode("é!", "UTF-8").numpy().tolist()
    [233, 33]
    """
    where = "tf.strings.unicode_decode"
    decode = _decoder(where, input_encoding, errors, replacement_char, replace_control_characters)
    return rows_of(read_strings(input, where), lambda t: [p for p, _ in decode(t)], np.int32)


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of each string, and at which byte each begins."""
    where = "tf.strings.unicode_decode_with_offsets"
    decode = _decoder(where, input_encoding, errors, replacement_char, replace_control_characters)
    array = read_strings(input, where)
    points = rows_of(array, lambda t: [p for p, _ in decode(t)], np.int32)
    return points, rows_of(array, lambda t: [at for _, at in decode(t)], np.int64)


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """The characters of each string, as strings.

    >>> tf.strings.unicode_split("né", "UTF-8").numpy().tolist()
    [b'n', b'\\xc3\\xa9']
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of each string, and at which byte each begins."""
    where = "tf.strings.unicode_split"
    decode = _decoder(where, input_encoding, errors, replacement_char, False)
    codec = _codec(input_encoding, where, "input_encoding")
    array = read_strings(input, where)
    characters = rows_of(array, lambda t: [chr(p).encode(codec) for p, _ in decode(t)])
    return characters, rows_of(array, lambda t: [at for _, at in decode(t)], np.int64)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Encode the code points in the last dimension as strings.

    >>> tf.strings.unicode_encode([233, 33], "UTF-8").numpy()
    b'\\xc3\\xa9!'
    """
    where = "tf.strings.unicode_encode"
    codec = _codec(output_encoding, where, "output_encoding")
    if errors not in _ERRORS:
        raise invalid(f"{where} expected errors to be one of {list(_ERRORS)}; got errors={errors!r}.")

    def text(points: np.ndarray) -> bytes:
        found = []
        for point in points.tolist():
            if 0 <= point < 0x110000 and not 0xD800 <= point < 0xE000:
                found.append(chr(point))
            elif errors == "strict":
                raise invalid(
                    f"{where} expected code points: invalid value for errors='strict'; got {point}."
                )
            elif errors == "replace":
                found.append(chr(replacement_char))
        return "".join(found).encode(codec)

    if isinstance(input, RaggedTensor):
        if isinstance(input._values, RaggedTensor):
            return input.with_values(unicode_encode(input._values, output_encoding, errors, replacement_char))
        points, splits = read_array(input._values, where, "input"), input._places
        rows = [text(points[a:b]) for a, b in itertools.pairwise(splits)]
        return string_tensor(rows, (len(rows),))
    array = read_array(input, where, "input")
    if not array.ndim:
        raise ValueError(f"{where} expected code points with at least one dimension; got a scalar.")
    rows = [text(row) for row in array.reshape(-1, array.shape[-1])]
    return string_tensor(rows, array.shape[:-1])


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Strings in another encoding."""
    where = "tf.strings.unicode_transcode"
    decode = _decoder(where, input_encoding, errors, replacement_char, replace_control_characters)
    codec = _codec(output_encoding, where, "output_encoding")
    array = read_strings(input, where)
    found = ["".join([chr(p) for p, _ in decode(t)]).encode(codec) for t in array.reshape(-1)]
    return string_tensor(found, array.shape)
