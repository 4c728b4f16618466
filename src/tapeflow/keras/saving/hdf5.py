"""HDF5 files as data and nothing else: what a hostile or broken one could do is refused.

An HDF5 file can name other files, define values by programs of filters, and claim sizes that it does not
have. Only plain datasets inside the file are read, after their shape was found to be the expected one; where no
variable says what to expect, what is read is spent from the budget of the load.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, TypeVar

import h5py
import h5py.h5l
import h5py.h5o
import ml_dtypes
import numpy as np

from tapeflow.keras.saving.chunk_check import check_chunks
from tapeflow.keras.saving.file_part import FileTail
from tapeflow.keras.saving.heap_check import check_heaps
from tapeflow.keras.saving.load_budget import spend

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# An attribute lives in its object's header, which has room for 64 kB.
_HEADER_LIMIT = 64512
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

P = ParamSpec("P")
T = TypeVar("T")


def _guarded(function: Callable[P, T]) -> Callable[P, T]:
    """What h5py says of a broken file as a ValueError; errors of users' code are not touched."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except (OSError, RuntimeError, KeyError, OverflowError, TypeError, UnicodeDecodeError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise ValueError(
                f"Loading expected a whole HDF5 file; got one that cannot be read ({error}). It may be truncated or "
                "damaged: use another copy."
            ) from error

    return guarded


class _Reading:
    """A file that is open to be read: where its bytes are, and whether its heaps have been looked at."""

    def __init__(self, source: Any) -> None:
        self._source = source

    @functools.cached_property
    def longest_text(self) -> int:
        """How long a text in the heaps may be. It means reading the whole file, so it waits until it is needed."""
        if isinstance(self._source, (str, os.PathLike)):
            with open(self._source, "rb") as file:
                return check_heaps(file)
        place = self._source.tell()
        longest = check_heaps(self._source)
        self._source.seek(place)
        return longest


_readings: dict[int, list[_Reading]] = {}
"""Files that are open to be read, by the number the HDF5 library knows each by; one may be open twice."""


@contextlib.contextmanager
def created(target: FileTail) -> Iterator[h5py.File]:
    """A new HDF5 file.

    Raises:
        OSError: it cannot be written.
    """
    try:
        with h5py.File(target, "w") as file:
            yield file
    finally:
        if target.failure is not None:
            raise target.failure


@contextlib.contextmanager
def opened(source: Any) -> Iterator[h5py.File]:
    """An HDF5 file to read, from a path or a file object."""
    with _opened_to_read(source) as file:
        number, reading = _number(file), _Reading(source)
        _readings.setdefault(number, []).append(reading)
        try:
            yield file
        finally:
            _readings[number].remove(reading)
            if not _readings[number]:
                del _readings[number]


@_guarded
def _opened_to_read(source: Any) -> h5py.File:
    return h5py.File(source, "r")


@_guarded
def _number(item: Any) -> int:
    return h5py.h5o.get_info(item.id).fileno


def _attribute(item: Any, key: str) -> Any:
    """An attribute of a group or dataset; None if there is none. A text of open length is kept in a heap.

    Texts of a list may all be the same one in the heap, and groups may be one and the same, too: what they take
    together is not what the file has of them.
    """
    attributes = item.attrs
    if key not in attributes:
        return None
    found = attributes.get_id(key)
    each = found.dtype.itemsize
    if found.dtype.kind == "O":
        longest = _readings[_number(item)][-1].longest_text
        each += longest if found.shape else 0
    spend(math.prod(found.shape) * each, f"the attribute {key!r} of {item.name}")
    return attributes[key]


def is_hdf5(path: Any) -> bool:
    """Whether a file begins as HDF5 files do."""
    with open(path, "rb") as file:
        return file.read(len(_SIGNATURE)) == _SIGNATURE


@_guarded
def child(group: h5py.Group, name: str) -> Any:
    """The group or dataset at a path below a group; None if there is none.

    Raises:
        ValueError: the way there leads through a link to another place or file.
    """
    found: Any = group
    for part in name.split("/"):
        if not isinstance(found, h5py.Group) or part in ("", ".", ".."):
            return None
        links, spelled = found.id.links, part.encode()
        if not links.exists(spelled):
            return None
        if links.get_info(spelled).type != h5py.h5l.TYPE_HARD:
            raise ValueError(
                f"Loading expected weights inside the file; got a link at {found.name}/{part}, which is not followed."
            )
        found = found.get(part)
    return found


@_guarded
def count(group: Any) -> int:
    """How many members a group has; none if it is no group."""
    return len(group) if isinstance(group, h5py.Group) else 0


@_guarded
def dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    """The dataset at a path below a group, if it is a plain array of numbers held in this file."""
    found = child(group, name)
    where = f"{group.name}/{name}"
    if not isinstance(found, h5py.Dataset):
        raise ValueError(f"Loading expected an array at {where}; the file has none there.")
    if found.external is not None or found.is_virtual:
        raise ValueError(f"Loading expected the array {where} inside the file; got one kept in another file.")
    if found.shape is None or (found.dtype.kind not in "fiub" and not _is_bfloat16(found)):
        raise ValueError(f"Loading expected numbers at {where}; got an array of {found.dtype}.")
    return found


def _is_bfloat16(found: h5py.Dataset) -> bool:
    return found.dtype.itemsize == _BFLOAT16.itemsize and _attribute(found, "dtype") == "bfloat16"


@_guarded
def read(found: h5py.Dataset, shape: tuple[int | None, ...] | None = None) -> np.ndarray:
    """The array of a dataset, which has `shape`; without one it may not be larger than the file can hold."""
    if shape is not None and found.shape != shape:
        raise ValueError(f"Loading expected shape {shape} at {found.name}; got {found.shape}.")
    if shape is None:
        spend(
            math.prod(found.shape) * found.dtype.itemsize,
            f"the array {found.name} of shape {found.shape} and dtype {found.dtype}",
        )
    check_chunks(found)
    value = np.asarray(found[()])
    if not _is_bfloat16(found):
        return value
    # Keras hands bfloat16 to h5py, which keeps it as a 16-bit float of its own or as bare bytes.
    return value.view(_BFLOAT16) if value.dtype.kind in "Vu" else value.astype(_BFLOAT16)


def write(group: h5py.Group, name: str, value: np.ndarray) -> None:
    """Put an array into a group."""
    stored = group.create_dataset(name, data=value)
    if value.dtype == _BFLOAT16:
        stored.attrs["dtype"] = "bfloat16"


def write_names(attributes: Any, key: str, names: Sequence[str]) -> None:
    """Put a list of names among attributes, as one, or as several (`key0`, `key1`, ...) where one would not hold it."""
    encoded = np.array([n.encode() for n in names]) if names else np.array([], dtype="S1")
    parts = max(1, math.ceil(encoded.nbytes / _HEADER_LIMIT))
    if parts == 1:
        attributes[key] = encoded if names else np.array([], dtype="float64")
        return
    for i, part in enumerate(np.array_split(encoded, parts)):
        attributes[f"{key}{i}"] = part


@_guarded
def read_names(group: h5py.Group, key: str) -> list[str]:
    """The list that `write_names` wrote."""
    attributes: Any = group.attrs
    numbered = itertools.takewhile(lambda part: part in attributes, (f"{key}{i}" for i in itertools.count()))
    parts = [key] if key in attributes else list(numbered)
    return [_text(name) for part in parts for name in np.ravel(_attribute(group, part))]


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return value
    raise ValueError(f"Loading expected names in the file; got {value!r}.")


@_guarded
def read_text(group: h5py.Group, key: str) -> str | None:
    """An attribute that is a text."""
    value = _attribute(group, key)
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    return _text(value)
