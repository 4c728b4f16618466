"""`tf.print`, `tf.strings.format`, and the two ops that do nothing: `tf.group` and `tf.no_op`."""

from __future__ import annotations

import os
import pprint
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.recording.recorder import effect
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.debugging.tensor_text import readable, tensor_text

_FILE = "file://"
_SUMMARIZE = 3


def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int | None = _SUMMARIZE,
    sep: str = " ",
    end: str = os.linesep,
    name: str | None = None,
) -> None:
    """Print tensors, strings, numbers and nested structures of them.

    In eager code it prints at once. Inside a `tf.function` it is part of what is recorded: it prints,
    with the values of the day and in order, at every call.

    Args:
        inputs: what to print, one after the other.
        output_stream: `sys.stderr` (the default), `sys.stdout`, or `"file://path"` to append to a file.
        summarize: the number of elements to print at either end of each dimension; -1 for all.
        sep: the separator between two inputs.
        end: the string after the last one.
        name: ignored.

    >>> tf.print("loss", tf.constant(0.25), tf.range(10), output_stream=sys.stdout)
    loss 0.25 [0 1 2 ... 7 8 9]
    """
    for key, value in (("sep", sep), ("end", end)):
        if not isinstance(value, str):
            raise TypeError(f"tf.print expected a string for {key}; got {key}={value!r}.")
    write = _writer(output_stream)
    ends = _ends(summarize, "tf.print")
    parts, tensors = _template(inputs, sep)
    is_message = (
        len(inputs) == 1
        and isinstance(inputs[0], TensorBase)
        and tensors[0].dtype is string
        and not tensors[0].spec.shape
    )
    # What the host knows is part of the text: strings, above all, which no program computes with.
    known = [t.host_value() for t in tensors]
    dtypes = [t.dtype for t in tensors]

    def show(*values: Any) -> None:
        rest = iter(values)
        found = [next(rest) if k is None else k for k in known]
        if is_message:  # alone, it is printed like a Python string: without quotes
            write(readable(np.asarray(found[0], object).item()) + end)
            return
        texts = [tensor_text(v, d, ends) for v, d in zip(found, dtypes, strict=True)]
        write("".join(p if isinstance(p, str) else texts[p] for p in parts) + end)

    effect(show, *[t for t, k in zip(tensors, known, strict=True) if k is None])


def _ends(summarize: TensorLike | None, where: str) -> int:
    if summarize is None:
        return _SUMMARIZE
    if isinstance(summarize, (int, np.integer)):
        return int(summarize)
    raise TypeError(
        f"{where} expected an int for summarize, the number of elements to show at either end of a "
        f"dimension; got summarize={summarize!r}. Use -1 to show all."
    )


def _writer(stream: Any) -> Callable[[str], None]:
    """What writes to `stream`; standard streams are looked up when printing, so redirection works."""
    if stream is None or stream is sys.stderr or stream is sys.__stderr__:
        return lambda text: _write_to(sys.stderr, text)
    if stream is sys.stdout or stream is sys.__stdout__:
        return lambda text: _write_to(sys.stdout, text)
    if isinstance(stream, str) and stream.startswith(_FILE) and len(stream) > len(_FILE):
        return lambda text: _append_to(stream.removeprefix(_FILE), text)
    raise ValueError(
        "tf.print expected output_stream to be sys.stdout, sys.stderr or 'file://<path>'; got "
        f"output_stream={stream!r}. To print elsewhere, take the value with .numpy() and print that."
    )


def _write_to(stream: Any, text: str) -> None:
    stream.write(text)
    stream.flush()


def _append_to(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileNotFoundError:
        raise errors.NotFoundError(
            None,
            None,
            f"tf.print expected a file in a folder that exists; got output_stream='{_FILE}{path}'. "
            "Make the folder first, for example with os.makedirs.",
        ) from None


# A tensor's place in the text of a structure, with its number as a character: as wide as the mark
# TensorFlow uses, so that `pprint` breaks the lines of long structures at the same places. No text
# around it holds a NUL: in the repr of a string that is escaped.
_MARK = re.compile("\0(.)\0\0", re.DOTALL)
_FIRST_MARK = 0xE000


class _Place:
    """Stands for tensor `number` while the structure around it is turned into text."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"\0{chr(_FIRST_MARK + self.number)}\0\0"


def _template(inputs: tuple[Any, ...], sep: str) -> tuple[list[Any], list[Tensor]]:
    """The inputs as pieces of text and the numbers of tensors, by turns, and those tensors."""
    tensors: list[Tensor] = []

    def place(value: object) -> Any:
        if not isinstance(value, TensorBase):
            return value
        tensors.append(convert_to_tensor(value))
        return _Place(len(tensors) - 1)

    parts: list[Any] = []
    for value in inputs:
        parts.append(sep if parts else "")
        parts += [value] if isinstance(value, str) else _pieces(nest.map_structure(place, value))
    return parts, tensors


def _pieces(structure: object) -> list[Any]:
    """The text of a structure, cut at the tensors in it."""
    split: list[Any] = _MARK.split(pprint.pformat(structure))
    split[1::2] = [ord(mark) - _FIRST_MARK for mark in split[1::2]]
    return split


def string_format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int | None = _SUMMARIZE,
    name: str | None = None,
) -> Tensor:
    """A string tensor: `template` with each placeholder replaced by the text of one tensor.

    It is `tf.strings.format`. The values are read, so a `tf.function` that calls it is not staged.

    >>> tf.strings.format("first {}, then {}", [tf.constant(1.5), tf.range(10)]).numpy()
    b'first 1.5, then [0 1 2 ... 7 8 9]'
    """
    if not isinstance(template, str):
        raise TypeError(f"tf.strings.format expected a Python string as template; got template={template!r}.")
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = template.split(placeholder)
    if len(pieces) - 1 != len(values):
        raise ValueError(
            f"tf.strings.format expected one input for each placeholder {placeholder!r} of the template; "
            f"got {len(pieces) - 1} placeholders in template={template!r} and {len(values)} inputs. "
            "Pass the inputs as a list of that length."
        )
    ends = _ends(summarize, "tf.strings.format")
    text = pieces[0]
    for value, piece in zip(values, pieces[1:], strict=True):
        tensor = convert_to_tensor(value)
        text += tensor_text(tensor.numpy(), tensor.dtype, ends) + piece
    return constant(text)


def group(*inputs: Any, name: str | None = None) -> None:
    """Make one thing to run out of several.

    Whatever was called has been recorded and takes effect whether or not anybody holds its result, so
    there is nothing left to do; scripts that gather their updates with it run unchanged.
    """


def no_op(name: str | None = None) -> None:
    """Do nothing: a branch of `tf.cond` that has nothing to do can return it."""
