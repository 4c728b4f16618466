"""The steps and input pipelines of a profile that another tool took, found in its trace.

JAX and TensorFlow mark steps with an event that has a step number (`StepTraceAnnotation`, `Trace(step_num=...)`). Keras
on TensorFlow marks none, but reads its dataset once a step: then a step is what lies between two reads. What a step did
is judged by what ran meanwhile: stages of the input pipeline on its thread, ops on any, and the rest is the host's.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tapeflow.summary.profile.records import PHASES, Pipeline, Step
from tapeflow.summary.profile.trace import Trace

_READ = "IteratorGetNextOp::DoCompute"
_LEAST_READS = 3
_ITERATOR = "Iterator::"
_VARIANT = re.compile(r"^(Finite|Infinite|Forever|Empty|Parallel|Memory|File)+(?=[A-Z])|V[0-9]+$")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
# tf.data's methods whose stage is called otherwise. A map and a batch become one stage.
_METHODS = {
    "tensor_slice": ["from_tensor_slices"],
    "tensor": ["from_tensors"],
    "generator": ["from_generator"],
    "map_and_batch": ["map", "batch"],
    "shuffle_and_repeat": ["shuffle", "repeat"],
}


def steps_of(trace: Trace) -> list[Step]:
    """The steps, in order of time; none if nothing marks them."""
    ops = _Covered(trace, _is(trace, "xla", "framework"))
    if trace.marks:
        found = []
        for mark in sorted(trace.marks, key=lambda mark: mark.start_ps):
            end = mark.start_ps + mark.duration_ps
            rows = np.arange(len(trace))[trace.rows_of(mark.track)]
            inside = rows[(trace.starts[rows] >= mark.start_ps) & (trace.starts[rows] < end)]
            reads = _Covered(trace, inside[_is(trace, "input")[inside]])
            found.append(_step(mark.name, mark.number, mark.start_ps, end, reads, ops))
        return found
    names = np.array([label.name == _READ for label in trace.labels], bool)
    is_read = names[trace.label_ids] if len(trace) else np.zeros(0, bool)
    begins = np.sort(trace.starts[is_read])
    if len(begins) < _LEAST_READS:
        return []
    reads, ends = _Covered(trace, is_read), [*begins[1:].tolist(), _last_end(trace)]
    return [
        _step("train", number, begin, end, reads, ops)
        for number, (begin, end) in enumerate(zip(begins.tolist(), ends, strict=True))
        if end > begin
    ]


def pipelines_of(trace: Trace) -> list[Pipeline]:
    """The pipeline of tf.data's stages, from the source on, with how often each gave something and its own time.

    A stage is named by those that read it: `Iterator::Root::Prefetch::Map::Range` is the source.
    """
    counts, _ = trace.totals()
    stages: dict[str, tuple[int, int]] = {}
    for label, count, own in zip(trace.labels, counts.tolist(), trace.own.tolist(), strict=True):
        if label.name.startswith(_ITERATOR) and count:
            path = label.name.removeprefix(_ITERATOR).partition("#")[0]
            stages[path] = (count, own)
    steps: list[dict[str, Any]] = []
    for path in sorted(stages, key=lambda path: -path.count("::")):
        stage = path.rpartition("::")[2]
        plain = _WORD.sub("_", _VARIANT.sub("", stage)).lower()
        if stage == "Root":
            continue
        count, own = stages[path]
        facts = {"busy_ns": own // 1000, "calls": count, "is_foreign": True, "is_random": "shuffle" in plain}
        facts["workers"] = 2 if stage.startswith("Parallel") else 1
        methods = _METHODS.get(plain, [plain])
        steps += [{"method": method, **(facts if i == 0 else {})} for i, method in enumerate(methods)]
    reads = stages.get("Root", (0, 0))[0]
    return [Pipeline(reads, sum(own for _, own in stages.values()) / 1e12, steps)] if steps else []


def _step(name: str, number: int, begin: int, end: int, reads: _Covered, ops: _Covered) -> Step:
    wall = end - begin
    waited = min(reads.between(begin, end), wall)
    computed = min(ops.between(begin, end), wall - waited)
    known = {"input": waited, "device": computed, "host": wall - waited - computed}
    phases = {phase: known.get(phase, 0) / 1e12 for phase in PHASES}
    return Step(name, number, 1, begin / 1e12, wall / 1e12, phases)


def _last_end(trace: Trace) -> int:
    """When the last op ended: what comes after is no step."""
    chosen = _is(trace, "xla", "framework", "input")
    return int((trace.starts + trace.durations)[chosen].max())


def _is(trace: Trace, *kinds: str) -> np.ndarray:
    chosen = np.array([label.kind in kinds for label in trace.labels], bool)
    return chosen[trace.label_ids] if len(trace) else np.zeros(0, bool)


class _Covered:
    """How much of a stretch of time lies in one of some events."""

    def __init__(self, trace: Trace, rows: np.ndarray) -> None:
        starts, ends = trace.starts[rows], (trace.starts + trace.durations)[rows]
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], np.maximum.accumulate(ends[order]) if len(order) else ends
        begins = np.ones(len(starts), bool)
        begins[1:] = starts[1:] > ends[:-1]
        self.starts = starts[begins]
        self.ends = ends[np.append(begins[1:], True)] if len(starts) else ends
        self.before = np.concatenate([[0], np.cumsum(self.ends - self.starts)])

    def between(self, begin: int, end: int) -> int:
        return self._until(end) - self._until(begin)

    def _until(self, at: int) -> int:
        """How much before a time."""
        place = int(np.searchsorted(self.starts, at, "right"))
        if not place:
            return 0
        return int(self.before[place] - max(0, int(self.ends[place - 1]) - at))
