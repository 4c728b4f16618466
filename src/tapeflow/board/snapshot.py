"""All runs of a board in one file, so that thousands of them are there at once at the next start.

The index has a file for each run, with its points; to open 75,000 of these takes minutes. A snapshot has what lists and
tables need of runs that have been read to their end: names, files, facts, and the outline of their tags, in columns.
Points are loaded from the index of a run when somebody asks for them.

A snapshot is a cache of what was read, in the user's own folder, and is checked as if it were anybody's: a checksum,
the log folders and panels it was made for, the number and the size of everything. One that does not pass is not used,
and is written anew. It names runs and files without their folders: all of them lie in the log folders.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import orjson

from tapeflow.board.garbage import no_collection
from tapeflow.board.health.rules import Finding
from tapeflow.board.logdirs import MOST_RUNS, FileStatus, FoundRun, Leaf, Leaves, Logdir, run_id
from tapeflow.board.outline import NUMBERS, Outline, TagFacts, layout_of
from tapeflow.board.runs import Run, signature
from tapeflow.summary.event_files.reader import Damage

MOST_BYTES = 2 << 30
_MAGIC = b"TFS1"
_START = struct.Struct("<4sIQ")  # magic, checksum of the rest, length of the head
_WHOLE = (
    "generation",
    "points",
    "bytes_read",
    "judged",
    "layout",
    "files",
    "logdir",
    "leaf_ns",
    "leaf_dev",
    "leaf_ino",
)
_OF_FILES = ("dev", "ino", "size", "ctime_ns")
_FACTS = ("hparams", "bad_bytes", "tags_left_out", "samples_left_out", "vitals", "unchecked")

Loader = Callable[[Run], Callable[[], None]]


class Snapshot(NamedTuple):
    """Runs in the order of their names, and what is known of their folders."""

    runs: list[Run]
    leaves: Leaves


class Opened(NamedTuple):
    """A snapshot whose checksum is right.

    Attributes:
        answers: those that tell of all runs; they can be given before the runs are made, which takes longer.
        sizes: how many tags and runs each panel has.
        run_total: how many runs there are.
        make: makes the runs; raises ValueError if its parts do not fit.
    """

    answers: dict[str, bytes]
    sizes: dict[str, tuple[int, int]]
    run_total: int
    make: Callable[[], Snapshot]


class _Place(NamedTuple):
    """A log folder as names of runs begin in it, and where it really is."""

    prefix: str
    root: str


def places_of(logdirs: Iterable[Logdir]) -> list[_Place]:
    """Where runs are."""
    return [_Place(logdir.name, os.path.realpath(logdir.path)) for logdir in logdirs]


def key_of(logdirs: Iterable[Logdir], panels: Iterable[str], version: str) -> list[Any]:
    """What a snapshot must have been made for to be used."""
    return [version, [list(place) for place in places_of(logdirs)], list(panels)]


# Writing


def pack(
    key: list[Any],
    logdirs: list[Logdir],
    runs: Sequence[Run],
    leaves: Leaves,
    answers: Callable[[], dict[str, bytes]],
    sizes: dict[str, tuple[int, int]],
) -> list[bytes | memoryview]:
    """The parts of a snapshot of those runs that are settled and in the index; `answers` are kept if all are."""
    places = places_of(logdirs)
    chosen = [run for run in runs if _is_settled(run) and _is_plain(run, places)][:MOST_RUNS]
    layouts = {one: number for number, one in enumerate(dict.fromkeys(run.outline.layout for run in chosen))}
    whole = np.zeros((len(_WHOLE), len(chosen)), "<i8")
    times = np.zeros((2, len(chosen)), "<f8")
    names, facts, files = [], {}, []
    for row, run in enumerate(chosen):
        leaf = leaves.get(run.found.folder)
        status = (leaf.changed_ns, *leaf.identity) if leaf is not None else (0, 0, 0)
        whole[:, row] = (
            *(run.generation, run.points, run.bytes_read, run.judged, layouts[run.outline.layout]),
            *(len(run.found.files), run.found.logdir, *status),
        )
        times[:, row] = [np.nan if t is None else t for t in (run.start_time, run.last_time)]
        names.append(run.name)
        files += [(os.path.basename(path), status) for path, status in run.found.files.items()]
        if said := _facts_of(run):
            facts[str(row)] = said
    numbers: list[list[np.ndarray]] = [[] for _ in layouts]
    for run in chosen:
        numbers[layouts[run.outline.layout]].append(run.outline.numbers)
    columns = [
        whole,
        times,
        np.array([signature(status) for _, status in files], "<i8").reshape(-1, len(_OF_FILES)).T,
        np.array([status.st_mtime for _, status in files], "<f8"),
        *(np.stack(of_one).astype("<f8") for of_one in numbers),
    ]
    is_timeless = len(chosen) == len(runs) and all(run.vitals.get("state") != "running" for run in chosen)
    kept = answers() if is_timeless else {}
    head = orjson.dumps(
        {
            "key": key,
            "answers": [[name, len(answer)] for name, answer in kept.items()],
            "sizes": sizes,
            "names": names,
            "files": [name for name, _ in files],
            "layouts": [[list(facts) for facts in one.tags] for one in layouts],
            "facts": facts,
        }
    )
    head += b" " * (-len(head) % 8)
    body: list[bytes | memoryview] = [
        head,
        *(np.ascontiguousarray(one).data.cast("B") for one in columns if one.size),
    ]
    body += kept.values()
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    return [_START.pack(_MAGIC, checksum, len(head)), *body]


def _is_settled(run: Run) -> bool:
    """Whether all there is of a run has been read and put into the index, and nothing more is expected."""
    is_read = run.state == "ready" and not run.is_checked and not run.is_live and not run.found.profiles
    is_kept = run.bytes_saved == run.bytes_read and not run.is_outline_stale
    return is_read and is_kept and run.seen == {p: signature(s) for p, s in run.found.files.items()}


def _is_plain(run: Run, places: list[_Place]) -> bool:
    """Whether folder and files are where the name of the run says, so that the name is enough to find them."""
    place, found = places[run.found.logdir], run.found
    folder = _folder(place, run.name)
    return folder == found.folder and all(os.path.dirname(path) == folder for path in found.files)


def _folder(place: _Place, name: str) -> str:
    """Where a run of this name lies."""
    inner = "" if name == "." else name[len(place.prefix) :].lstrip("/")
    return os.path.join(place.root, inner) if inner else place.root


def _facts_of(run: Run) -> dict[str, Any]:
    """What there is to say of a run that most have nothing of."""
    said: dict[str, Any] = {name: value for name in _FACTS if (value := getattr(run, name))}
    if run.damages:
        said["damages"] = [list(damage) for damage in run.damages]
    if run.findings:
        said["findings"] = [asdict(finding) for finding in run.findings]
    return said


# Reading


def read(path: str, key: list[Any], logdirs: list[Logdir], loader: Loader) -> Opened:
    """A snapshot; `loader` gives what fetches the points of one of its runs.

    Raises:
        ValueError: it is damaged, or made for something else.
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not _START.size < size <= MOST_BYTES:
            raise ValueError(f"a snapshot has {_START.size} to {MOST_BYTES} bytes; got {size}")
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    magic, checksum, length = _START.unpack_from(data)
    if magic != _MAGIC or checksum != zlib.crc32(data[_START.size :]):
        raise ValueError("not a snapshot, or a damaged one")
    try:
        head = orjson.loads(data[_START.size : _START.size + length])
        if head["key"] != key:
            raise ValueError("it was made for other log folders, panels or another version")
        end, answers = len(data), {}
        for name, size in reversed(head["answers"]):
            if not 0 <= size <= end - _START.size - length:
                raise ValueError("an answer that is not there")
            answers[str(name)] = data[end - size : end].tobytes()
            end -= size
        sizes = {str(panel): (int(tags), int(runs)) for panel, (tags, runs) in head["sizes"].items()}
        total = len(head["names"])
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
        raise _unfit(error) from None

    def make() -> Snapshot:
        try:
            with no_collection():
                return _runs(head, _Columns(data[:end], _START.size + length), places_of(logdirs), loader)
        except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise _unfit(error) from None

    return Opened(answers, sizes, total, make)


def _unfit(error: Exception) -> ValueError:
    return ValueError(f"its parts do not fit: {type(error).__name__}: {error}")


class _Columns:
    """Takes one array after the other."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._at = at

    def take(self, dtype: str, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        found = (
            np.frombuffer(self._data, dtype, count, self._at).reshape(shape)
            if count
            else np.zeros(shape, dtype)
        )
        self._at += found.nbytes
        return found

    def end(self) -> None:
        if self._at != len(self._data):
            raise ValueError("there is more than its head says")


def _runs(head: dict[str, Any], columns: _Columns, places: list[_Place], loader: Loader) -> Snapshot:
    names, basenames = head["names"], head["files"]
    count = len(names)
    if count > MOST_RUNS or not all(map(_is_name, basenames)):
        raise ValueError(f"a snapshot has at most {MOST_RUNS} runs, and files without folders")
    whole = dict(zip(_WHOLE, columns.take("<i8", len(_WHOLE), count).tolist(), strict=True))
    starts, lasts = columns.take("<f8", 2, count).tolist()
    devices, numbers, sizes, changes = columns.take("<i8", len(_OF_FILES), len(basenames)).tolist()
    statuses = list(zip(devices, numbers, sizes, changes, strict=True))
    modified = columns.take("<f8", len(basenames)).tolist()
    outlines = _outlines(head["layouts"], whole["layout"], columns)
    ends = list(accumulate(whole["files"]))
    if (ends[-1] if ends else 0) != len(basenames) or min(whole["files"], default=0) < 0:
        raise ValueError("the files are not those of the runs")
    runs: list[Run] = []
    leaves: Leaves = {}
    for row, name in enumerate(names):
        place = places[whole["logdir"][row]]
        folder = _folder(place, name)
        if not _is_below(name, place):
            raise ValueError(f"a run outside of its log folder: {name!r}")
        last = ends[row]
        chosen = range(last - whole["files"][row], last)
        inside = folder if folder.endswith(os.sep) else folder + os.sep
        seen = {inside + basenames[i]: statuses[i] for i in chosen}
        found = FoundRun(
            run_id(name),
            name,
            whole["logdir"][row],
            folder,
            {
                path: FileStatus(*status, modified[i])
                for i, (path, status) in zip(chosen, seen.items(), strict=True)
            },
        )
        run = Run(found, whole["generation"][row])
        run.state, run.seen, run.judged = "ready", seen, whole["judged"][row]
        run.points, run.judged_saved = whole["points"][row], run.judged
        run.start_time = starts[row] if starts[row] == starts[row] else None
        run.last_time = lasts[row] if lasts[row] == lasts[row] else None
        run.keep(outlines[row], whole["bytes_read"][row], loader(run))
        run.bytes_saved = whole["bytes_read"][row]
        if whole["leaf_ns"][row]:
            identity = whole["leaf_dev"][row], whole["leaf_ino"][row]
            leaves[folder] = Leaf(identity, whole["leaf_ns"][row], tuple(basenames[i] for i in chosen))
        runs.append(run)
    for row, said in head["facts"].items():
        _take_facts(runs[int(row)], said)
    if len({run.id for run in runs}) != count:
        raise ValueError("a run comes twice")
    columns.end()
    return Snapshot(runs, leaves)


def _is_name(name: object) -> bool:
    """Whether a file of this name lies in the folder it is looked for in."""
    return isinstance(name, str) and "/" not in name and os.sep not in name and name not in ("", ".", "..")


def _is_below(name: str, place: _Place) -> bool:
    """Whether a run of this name lies in the log folder."""
    return (name == "." or ".." not in name.split("/")) and name.startswith(place.prefix) and "\0" not in name


def _outlines(layouts: list[Any], numbers: list[int], columns: _Columns) -> list[Outline]:
    """The outlines of all runs, each with the layout of this number."""
    if numbers and not (min(numbers) >= 0 and max(numbers) < len(layouts)):
        raise ValueError("a layout that is not there")
    known = [layout_of(tuple(TagFacts(*facts) for facts in tags)) for tags in layouts]
    counts = np.bincount(np.array(numbers, np.int64), minlength=len(known)).tolist()
    blocks = [
        iter(columns.take("<f8", count, len(layout.tags), NUMBERS))
        for layout, count in zip(known, counts, strict=True)
    ]
    return [Outline(known[number], next(blocks[number])) for number in numbers]


def _take_facts(run: Run, said: dict[str, Any]) -> None:
    """Give a run what is said of it."""
    for name in _FACTS:
        if name in said:
            value, before = said[name], getattr(run, name)
            if type(value) is not type(before):
                raise ValueError(f"{name} of a run is {value!r}")
            setattr(run, name, value)
    damages: list[Any] = said.get("damages", [])
    findings: list[Any] = said.get("findings", [])
    run.damages = [Damage(*damage) for damage in damages]
    run.findings = [Finding(**finding) for finding in findings]
