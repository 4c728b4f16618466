"""XPlane files, as JAX and TensorFlow write them: how long each op of the compiled programs took."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.summary.profile.modules import CONTROL, Instruction, instructions
from tapeflow.summary.protos import message

_MOST_BYTES = 1 << 30
_UNKNOWN = Instruction("", "", False, "other", ())


@dataclass(frozen=True)
class Op:
    """An op of a compiled program, and what it took. Times are in seconds.

    Attributes:
        name: XLA's name of the instruction.
        module: the compiled module.
        kind: 'matmul', 'convolution', or JAX's name of the op, such as 'reduce_sum'; XLA's if it comes from none.
        is_gradient: whether it is part of a backward pass.
        dtype: the type it computes in.
        shape: the shape of its result.
        occurrences: how often it ran.
        wall: how long all of these took.
    """

    name: str
    module: str
    kind: str
    is_gradient: bool
    dtype: str
    shape: tuple[int, ...]
    occurrences: int
    wall: float


def read_xplane(path: str | os.PathLike[str]) -> list[Op]:
    """The ops of a profile, those that took longest first; loops and calls, whose ops count, are left out.

    Raises:
        ValueError: it is too large, or no XPlane file.
    """
    place = os.fspath(path)
    size = os.path.getsize(place)
    if size > _MOST_BYTES:
        raise ValueError(f"{place!r} expected at most {_MOST_BYTES} bytes of XPlanes; got {size} bytes.")
    space = message("XSpace")()
    with open(place, "rb") as file:
        try:
            space.ParseFromString(file.read())
        except DecodeError as error:
            raise ValueError(
                f"{place!r} expected an XPlane file; got {size} bytes that are none ({error}). It may have been cut: "
                "take the profile again."
            ) from None
    known: dict[str, dict[int, dict[str, Instruction]]] = {}
    for plane in space.planes:
        for module, program, found in _modules(plane):
            known.setdefault(module, {})[program] = found
    counts: dict[tuple[str, int, str], list[int]] = defaultdict(lambda: [0, 0])
    for plane in space.planes:
        for module, program, name, picoseconds in _events(plane):
            found = counts[module, program, name]
            found[0] += 1
            found[1] += picoseconds
    ops = []
    for (module, program, name), (occurrences, picoseconds) in counts.items():
        what = _looked_up(known.get(module, {}), program, name)
        if (what.opcode or name.partition(".")[0]) in CONTROL:
            continue
        kind = what.kind or name.partition(".")[0]
        ops.append(
            Op(name, module, kind, what.is_gradient, what.dtype, what.shape, occurrences, picoseconds / 1e12)
        )
    return sorted(ops, key=lambda op: -op.wall)


def _looked_up(programs: dict[int, dict[str, Instruction]], program: int, name: str) -> Instruction:
    """What an op is. A program from the compilation cache runs under another number: then its name has to do."""
    for candidate in (programs.get(program, {}), *programs.values()):
        if name in candidate:
            return candidate[name]
    return _UNKNOWN


def _modules(plane: Any) -> Iterator[tuple[str, int, dict[str, Instruction]]]:
    """The compiled modules that the plane of metadata holds: name, number, instructions."""
    names = {key: stat.name for key, stat in plane.stat_metadata.items()}
    for event in plane.event_metadata.values():
        for stat in event.stats:
            if names.get(stat.metadata_id) == "Hlo Proto":
                name, _, number = event.name.rpartition("(")
                if number.rstrip(")").isdecimal():
                    try:
                        yield name, int(number.rstrip(")")), instructions(stat.bytes_value)
                    except ValueError:
                        continue  # its ops are named by XLA alone


def _events(plane: Any) -> Iterator[tuple[str, int, str, int]]:
    """The ops that ran: module, program, name, picoseconds."""
    names = {key: stat.name for key, stat in plane.stat_metadata.items()}
    wanted = {key: name for key, name in names.items() if name in ("hlo_op", "hlo_module", "program_id")}
    if not any(name == "hlo_op" for name in wanted.values()):
        return
    for line in plane.lines:
        for event in line.events:
            stats = {wanted[s.metadata_id]: _value(s, names) for s in event.stats if s.metadata_id in wanted}
            if "hlo_op" in stats:
                program = stats.get("program_id", 0)
                number = int(program) if str(program).isdecimal() else 0
                yield (
                    str(stats.get("hlo_module", "")),
                    number,
                    str(stats["hlo_op"]),
                    max(0, event.duration_ps),
                )


def _value(stat: Any, names: dict[int, str]) -> Any:
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return names.get(stat.ref_value, "")
    return "" if kind is None else getattr(stat, kind)
