"""Checkpoints of Variables that lie in parts on the devices of several processes.

Each process writes a file with the parts that it holds. The first writes the checkpoint's own file, with everything
else and the list of the parts, when all others are on disk: that file is the commit, and replaces an earlier checkpoint
of the name as a whole. The names of the files of parts begin with a number drawn for this save, so those of an earlier
checkpoint stay until it is replaced. Processes wait for one another by looking for files, as they share the folder
anyway: that may happen on a thread, and what a killed process left unfinished is never read.

Reading puts any region of a Variable together from the parts, on any number of devices and processes.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.devices import placement
from tapeflow.train.tensor_file import ENDING, BrokenFile, TensorFile, write_tensors

PARTS = "parts"
_FORMAT = "tapeflow-checkpoint-part"
_POLL_S = 0.02
_NAME = re.compile(r"\.[0-9a-f]{8}-\d{5}-of-\d{5}")


class SplitTensor(NamedTuple):
    """What this process has of a Variable that lies on several.

    Attributes:
        shape: of the whole.
        dtype: its dtype.
        parts: those that this process is to write, each with the place of its first element.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    parts: list[tuple[tuple[int, ...], np.ndarray]]


def split_snapshot(value: Any) -> SplitTensor:
    """The parts of an array of which this process does not have all."""
    return SplitTensor(value.shape, value.dtype, placement.own_parts(value))


class SplitSave:
    """One save of parts, in which all processes take part; made on each of them in the same order.

    Args:
        path: the checkpoint's file.
        tensors: by name; split ones have this process's parts.
        metadata: texts to keep with them.
    """

    timeout_s = 600.0  # for other processes to write their parts

    def __init__(self, path: Path, tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
        self._path, self._metadata = path, metadata
        self._split = {n: t for n, t in tensors.items() if isinstance(t, SplitTensor)}
        self._whole = {n: t for n, t in tensors.items() if n not in self._split}
        self._number, self._count = placement.process_number()
        self._save = f"{placement.agreed_number(secrets.randbits(31)):08x}"

    def write(self) -> None:
        """Write this process's part, and wait until the whole checkpoint is on disk.

        Raises:
            tf.errors.UnavailableError: another process did not write its part.
        """
        parts, places = self._own_parts()
        own = self._file_of(self._number)
        write_tensors(own, parts, {"format": _FORMAT, PARTS: json.dumps(places, separators=(",", ":"))})
        if self._number:
            self._await("first", lambda: _save_of(self._path) == self._save)
            return
        files = [self._file_of(n) for n in range(self._count)]
        for n, file in enumerate(files):
            self._await(f"number {n}", file.is_file)
        listed = {
            name: {"shape": list(t.shape), "dtype": t.dtype.name, "parts": []}
            for name, t in self._split.items()
        }
        for file in files:
            with TensorFile(file) as held:
                for part, (name, start) in json.loads(held.metadata[PARTS]).items():
                    listed[name]["parts"].append([file.name, part, start, list(held.shape(part))])
        index = {"save": self._save, "tensors": listed}
        write_tensors(
            self._path, self._whole, {**self._metadata, PARTS: json.dumps(index, separators=(",", ":"))}
        )
        _delete_others(self._path, keep={file.name for file in files})

    def _own_parts(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        parts: dict[str, np.ndarray] = {}
        places: dict[str, Any] = {}
        for name, tensor in self._split.items():
            for start, array in tensor.parts:
                part = f"{name}#{','.join(map(str, start))}"
                parts[part], places[part] = array, (name, start)
        return parts, places

    def _file_of(self, number: int) -> Path:
        name = f"{self._path.name.removesuffix(ENDING)}.{self._save}-{number:05}-of-{self._count:05}{ENDING}"
        return self._path.with_name(name)

    def _await(self, who: str, is_there: Any) -> None:
        deadline = time.monotonic() + self.timeout_s
        while not is_there():
            if time.monotonic() > deadline:
                raise errors.UnavailableError(
                    None,
                    None,
                    f"Saving {str(self._path)!r} expected all {self._count} processes to write their parts within "
                    f"{self.timeout_s:g} s; the {who} one did not. The checkpoint that was there is unchanged. Start "
                    "all processes again, in a folder that they share.",
                )
            time.sleep(_POLL_S)


def _save_of(path: Path) -> str | None:
    """Which save the checkpoint in a file is of; None if there is none in parts."""
    try:
        with TensorFile(path) as file:
            return _index_of(file).get("save")
    except FileNotFoundError:
        return None


def _index_of(file: TensorFile) -> dict[str, Any]:
    return json.loads(file.metadata.get(PARTS, "{}"))


def has_parts(path: Path) -> bool:
    """Whether there is a checkpoint in a file that has parts."""
    try:
        return _save_of(path) is not None
    except BrokenFile:
        return False


def delete_parts(path: Path) -> None:
    """Delete the parts of the checkpoint in a file."""
    _delete_others(path, keep=set())


def _delete_others(path: Path, keep: set[str]) -> None:
    """Delete files of parts for this path but those to keep: of earlier saves, and of unfinished ones."""
    stem = path.name.removesuffix(ENDING)
    for file in path.parent.iterdir():
        inner = file.name.removeprefix(stem).removesuffix(ENDING)
        is_named_so = file.name == f"{stem}{inner}{ENDING}" and _NAME.fullmatch(inner)
        if is_named_so and file.name not in keep and _is_part(file):
            file.unlink(missing_ok=True)


def _is_part(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    try:
        with TensorFile(file) as held:
            return held.metadata.get("format") == _FORMAT
    except (BrokenFile, FileNotFoundError):
        return False


class _Part(NamedTuple):
    file: TensorFile
    name: str
    start: tuple[int, ...]
    shape: tuple[int, ...]


class SplitFile:
    """A checkpoint with parts, read as if it were one file; the parts stay readable if they are deleted meanwhile.

    Args:
        index: the checkpoint's own file.

    Raises:
        BrokenFile: parts are missing or do not fit together.
    """

    def __init__(self, index: TensorFile) -> None:
        self._index = index
        self.path, self.metadata = index.path, index.metadata
        self._files: dict[str, TensorFile] = {}
        self._specs: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        self._parts: dict[str, list[_Part]] = {}
        try:
            for name, listed in _index_of(index)["tensors"].items():
                self._specs[name] = tuple(listed["shape"]), np.dtype(listed["dtype"])
                self._parts[name] = [self._part(*part) for part in listed["parts"]]
                self._check(name)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            self.close()
            if isinstance(error, BrokenFile):
                raise
            raise self._broken(f"its list of parts cannot be read ({error})") from error

    def _part(self, file: str, name: str, start: list[int], shape: list[int]) -> _Part:
        held = self._files.get(file)
        if held is None:
            inner = file.removeprefix(self.path.name.removesuffix(ENDING)).removesuffix(ENDING)
            if not _NAME.fullmatch(inner):  # the list names files beside this one, and no others
                raise self._broken(f"it names {file!r} as a part")
            try:
                held = self._files[file] = TensorFile(self.path.with_name(file))
            except FileNotFoundError as error:
                raise self._broken(f"its part {file!r} is missing") from error
        found = _Part(held, name, tuple(start), tuple(shape))
        if name not in held or held.shape(name) != found.shape:
            raise self._broken(f"its part {file!r} lacks {name!r}")
        return found

    def _check(self, name: str) -> None:
        """The parts must be alike, and fill the tensor as tiles do: JAX splits arrays no other way."""
        shape, dtype = self._specs[name]
        parts = self._parts[name]
        size = parts[0].shape if parts else ()
        dimensions = list(zip(size, shape, strict=False))
        is_sound = len(size) == len(shape) and all(
            type(m) is int and m >= 0 and (m % n == 0 if n else m == 0) for n, m in dimensions
        )
        count = math.prod([m // n if n else 1 for n, m in dimensions])
        if not is_sound or not len({p.start for p in parts}) == len(parts) == count:
            raise self._broken(f"the parts of {name!r} do not fit together")
        for part in parts:
            is_tile = len(part.start) == len(size) and all(
                type(s) is int and 0 <= s <= m - n and s % (n or 1) == 0
                for s, (n, m) in zip(part.start, dimensions, strict=True)
            )
            if not is_tile or part.shape != size or part.file.dtype(part.name) != dtype:
                raise self._broken(f"the parts of {name!r} do not fit together")

    def _broken(self, why: str) -> BrokenFile:
        return BrokenFile(
            f"Loading expected a checkpoint with all of its parts; got {str(self.path)!r}: {why}. Copy all files whose "
            "names begin as its own does, or use another copy."
        )

    def close(self) -> None:
        """Let go of the files."""
        for file in (self._index, *self._files.values()):
            file.close()

    def __enter__(self) -> SplitFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> SplitFile:
        return self

    @property
    def names(self) -> list[str]:
        """The names of all tensors, those in parts last."""
        return [*self._index.names, *self._specs]

    def __contains__(self, name: str) -> bool:
        return name in self._specs or name in self._index

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        return self._specs[name][0] if name in self._specs else self._index.shape(name)

    def dtype(self, name: str) -> np.dtype[Any]:
        """The dtype of a tensor."""
        return self._specs[name][1] if name in self._specs else self._index.dtype(name)

    def read(self, name: str) -> np.ndarray:
        """A tensor, its parts checked against their checksums."""
        if name not in self._specs:
            return self._index.read(name)
        return self.read_region(name, tuple(slice(0, n) for n in self._specs[name][0]))

    def read_region(self, name: str, region: tuple[slice, ...]) -> np.ndarray:
        """A part of a split tensor, put together from the parts that were written."""
        shape, dtype = self._specs[name]
        bounds = [s.indices(n)[:2] for s, n in zip(region, shape, strict=True)]
        found = np.empty([stop - start for start, stop in bounds], dtype)
        for part in self._parts[name]:
            both = [
                (max(a, start), min(b, start + size))
                for (a, b), start, size in zip(bounds, part.start, part.shape, strict=True)
            ]
            if all(a < b for a, b in both):
                into = tuple(
                    slice(a - start, b - start) for (a, b), (start, _) in zip(both, bounds, strict=True)
                )
                taken = tuple(
                    slice(a - start, b - start) for (a, b), start in zip(both, part.start, strict=True)
                )
                found[into] = part.file.read(part.name)[taken]
        return found

    def is_split(self, name: str) -> bool:
        """Whether a tensor lies in parts."""
        return name in self._specs


def with_parts(file: TensorFile) -> TensorFile | SplitFile:
    """A checkpoint's file, with its parts if it has some."""
    return SplitFile(file) if PARTS in file.metadata else file
