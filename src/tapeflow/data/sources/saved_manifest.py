"""What a folder of a saved dataset says of its elements, and the elements in its records, checked as they are read."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.data.structure import Flat
from tapeflow.engine import errors
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.io.folder_part import part_of
from tapeflow.io.tfrecord import compression_of
from tapeflow.summary.event_files.tensors import array_of
from tapeflow.summary.protos import message

_MOST_BYTES = 1 << 24


class Manifest(NamedTuple):
    """What the elements of a saved dataset are, how many there are, and how they are compressed."""

    element: Any
    cardinality: int
    compression: str


def read_manifest(folder: str, name: str, where: str) -> Manifest:
    """Read the manifest of a saved dataset.

    Raises:
        DataLossError: it is damaged, or is a link out of the folder.
    """
    try:
        path = part_of(folder, name)
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("its size is not believable")
        return _checked(json.loads(path.read_bytes()), where)
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise lost(
            f"{where} expected a whole saved dataset; got {folder!r}, whose {name} cannot be read: {error}"
        ) from error


def data_path(folder: str, name: str, where: str) -> str:
    """Where the elements are.

    Raises:
        DataLossError: it is a link out of the folder.
    """
    try:
        return str(part_of(folder, name))
    except ValueError as error:
        raise lost(f"{where} expected a whole saved dataset; got {folder!r}: {error}") from error


def _checked(described: Any, where: str) -> Manifest:
    if not isinstance(described, dict) or not {"element", "count", "compression"} <= described.keys():
        raise ValueError("it does not describe a dataset")
    count = described["count"]
    if type(count) is not int or count < 0:
        raise ValueError(f"it has count={count!r}")
    return Manifest(
        _structure_of(described["element"]), count, compression_of(described["compression"], where)
    )


def _structure_of(plain: Any) -> Any:
    """The element's structure with specs at its leaves."""
    if plain is None:
        return None
    if not isinstance(plain, dict) or len(plain) != 1:
        raise ValueError(f"it has {str(plain)[:100]!r} for an element")
    ((kind, value),) = plain.items()
    if kind not in ("spec", "dict", "tuple") or not isinstance(value, list):
        raise ValueError(f"it has {str(plain)[:100]!r} for an element")
    if kind == "tuple":
        return tuple([_structure_of(v) for v in value])
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in ([value] if kind == "spec" else value)):
        raise ValueError(f"it has {str(plain)[:100]!r} for an element")
    if kind == "dict":
        if {type(k) for k, _ in value} not in ({str}, {int}, set()):
            raise ValueError("it has a dict whose keys are of several kinds")
        return {k: _structure_of(v) for k, v in value}
    shape, dtype = value
    if shape is not None and not (isinstance(shape, list) and all(_is_size(n) for n in shape)):
        raise ValueError(f"it has a shape {str(shape)[:100]!r}")
    return TensorSpec(shape, dtype)


def _is_size(value: int | None) -> bool:
    return value is None or (type(value) is int and 0 <= value < 1 << 63)


class ElementReader:
    """Reads elements from records.

    Args:
        specs: what the elements of the dataset are.
        path: the file that the records are in.
    """

    def __init__(self, specs: tuple[TensorSpec, ...], path: str) -> None:
        self._specs, self._path = specs, path
        self._kinds = [(np.dtype(spec.dtype.as_numpy_dtype), spec.shape) for spec in specs]
        self._seen: tuple[tuple[int, ...], ...] | None = None  # shapes that fit: most elements have the same

    def element(self, record: bytes) -> Flat:
        """The element in a record.

        Raises:
            DataLossError: it is none of this dataset.
        """
        try:
            found = message("Element").FromString(record).component
            element = tuple([np.array(array_of(part)) for part in found])
        except (DecodeError, ValueError, OverflowError) as error:
            text = f"A saved dataset expected elements in {self._path!r}; got a record that is none: {error}"
            raise lost(text) from error
        shapes = tuple([part.shape for part in element])
        is_known = shapes == self._seen or self._fit(shapes)
        if not is_known or any(
            part.dtype != dtype for part, (dtype, _) in zip(element, self._kinds, strict=True)
        ):
            raise lost(
                f"A saved dataset expected elements {self._specs!r} in {self._path!r}; got a record with another "
                "kind"
            )
        self._seen = shapes
        return element

    def _fit(self, shapes: tuple[tuple[int, ...], ...]) -> bool:
        if len(shapes) != len(self._kinds):
            return False
        return all(
            wanted.is_compatible_with(shape) for shape, (_, wanted) in zip(shapes, self._kinds, strict=True)
        )


def lost(text: str) -> errors.DataLossError:
    """The error about a damaged folder."""
    return errors.DataLossError(None, None, f"{text}. It may be truncated or damaged: use another copy.")
