"""XPlane files, as JAX and TensorFlow write them: how long each op of the compiled programs took."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tapeflow.summary.profile.modules import CONTROL, Instruction, instructions
from tapeflow.summary.profile.trace import Label, Trace, read_trace

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
        own: the same without what is nested in them.
    """

    name: str
    module: str
    kind: str
    is_gradient: bool
    dtype: str
    shape: tuple[int, ...]
    occurrences: int
    wall: float
    own: float = 0.0


def read_xplane(path: str | os.PathLike[str]) -> list[Op]:
    """The ops of a profile, those that took longest first; loops and calls, whose ops count, are left out.

    Raises:
        ValueError: it is too large, or no XPlane file.
    """
    trace = read_trace(path)
    if broken := next((damage for damage in trace.damages if "expected an XPlane file" in damage), ""):
        raise ValueError(broken)
    return ops_of(trace)


def ops_of(trace: Trace) -> list[Op]:
    """The ops among the events of a trace, those that took longest first."""
    known: dict[str, dict[int, dict[str, Instruction]]] = {}
    for module, program, data in trace.modules:
        try:
            known.setdefault(module, {})[program] = instructions(data)
        except ValueError:
            continue  # its ops are named by XLA alone
    ops = []
    for label, count, wall, own in zip(trace.labels, *trace.totals(), trace.own, strict=True):
        if label.kind != "xla" or not count:
            continue
        what = _looked_up(known.get(label.module, {}), label)
        plain = label.name.partition(".")[0]
        if (what.opcode or plain) not in CONTROL:
            facts = what.is_gradient, what.dtype, what.shape
            seconds = int(wall) / 1e12, int(own) / 1e12
            ops.append(Op(label.name, label.module, what.kind or plain, *facts, int(count), *seconds))
    return sorted(ops, key=lambda op: -op.wall)


def _looked_up(programs: dict[int, dict[str, Instruction]], label: Label) -> Instruction:
    """What an op is. A program from the compilation cache runs under another number: then its name has to do."""
    for candidate in (programs.get(label.program, {}), *programs.values()):
        if label.name in candidate:
            return candidate[label.name]
    return _UNKNOWN
