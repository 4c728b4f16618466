"""Programs: a trace's key, compiled. `running` decides when one is needed and binds its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jnp
from tapeflow.engine.programs.compiled import oldest_quarter
from tapeflow.engine.programs.lowering import Entry, Evaluation
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Value
from tapeflow.engine.recording.trace import Trace
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes.bucketed import CompiledForSizes
from tapeflow.engine.shapes.program_sizes import ProgramSizes


@dataclass
class Counters:
    """What the engine has done so far, for tests and for `tf.debugging`."""

    compiled: int = 0
    dispatched: int = 0
    op_by_op: int = 0
    on_host: int = 0
    copied_for_donation: int = 0


counters = Counters()


def count_compiled() -> None:
    """Count one more program that is compiled."""
    counters.compiled += 1


class Commit(NamedTuple):
    """The writes of one Variable in a program with checks.

    A write counts only if every check recorded before it has passed; what comes out is the last one
    that counts, or the old value.
    """

    output: int
    old: int
    writes: tuple[int, ...]


@dataclass
class Program:
    """One compiled trace: leaves in, the values of `outputs` out.

    Attributes:
        entries: the recorded ops.
        leaf_keys: the spec of each leaf, or how it is packed.
        outputs: slots whose values come out. Those that replace a donated leaf come first and in its
            order: JAX pairs buffers of a kind in order, and a crossed pair would be copied.
        donated: leaves (by index) whose buffers the program may overwrite.
        commits: the Variable writes that a failed check takes back.
        checked: slots of ops with a run-time check.
        watched: slots looked at for NaN and Inf.
        varies: for each leaf, whether its shape may change from call to call.
        specs: the spec of each output.
        hosted: how it runs on the host, None if it does not; absent until that has been looked at.
    """

    entries: tuple[Entry, ...]
    leaf_keys: tuple[Any, ...]
    outputs: tuple[int, ...]
    donated: tuple[int, ...]
    commits: tuple[Commit, ...]
    checked: tuple[int, ...]
    watched: tuple[int, ...]
    varies: tuple[bool, ...]
    direct: list[int] = field(default_factory=list)
    packs: list[tuple[np.dtype, list[int]]] = field(default_factory=list)
    donated_args: tuple[int, ...] = ()
    specs: tuple[Any, ...] = ()
    wanted: frozenset[int] = frozenset()
    sized: ProgramSizes = field(init=False)
    compiled: CompiledForSizes = field(init=False)
    hosted: Any = ...

    def __post_init__(self) -> None:
        by_dtype: dict[Any, list[int]] = {}
        for i, key in enumerate(self.leaf_keys):
            if type(key) is tuple:
                by_dtype.setdefault(key[1], []).append(i)
            else:
                self.direct.append(i)
        self.packs = [(np.dtype(d.as_numpy_dtype), found) for d, found in by_dtype.items()]
        self.wanted = frozenset(self.outputs)
        place = {leaf: k for k, leaf in enumerate(self.direct)}
        self.donated_args = tuple(place[i] for i in self.donated)
        self.sized = ProgramSizes(self, self.varies)
        self.compiled = CompiledForSizes(self.evaluate, self.donated_args, self.sized, count_compiled)

    def evaluate(self, *args: Any) -> tuple[list[Any], Any, Any]:
        """The outputs, the report of the checks and that of the numerics, on arrays or tracers."""
        leaves: list[Any] = [None] * len(self.leaf_keys)
        for leaf, value in zip(self.direct, args, strict=False):
            leaves[leaf] = value
        for (_, found), pack in zip(self.packs, args[len(self.direct) :], strict=True):
            for k, leaf in enumerate(found):
                leaves[leaf] = pack[k]
        evaluation = Evaluation(self.entries, leaves)
        values = dict(zip(self.outputs, evaluation.run(self.outputs), strict=True))
        report = checks.report(self.entries, self.checked, evaluation)
        numerics = checks.numerics_report(self.watched, evaluation)
        if self.commits:
            failed_at = checks.first_failure(self.checked, report, self.watched, numerics)
            for commit in self.commits:
                values[commit.output] = _committed(commit, evaluation, failed_at)
        return [values[s] for s in self.outputs], report, numerics

    def arguments(self, leaves: Sequence[Value], packed: Sequence[np.ndarray | None] = ()) -> list[Any]:
        """The compiled function's arguments: arrays as they are, host scalars packed by dtype.

        Args:
            leaves: the value of each leaf.
            packed: the packs that are known already, if any.
        """
        args = [leaves[i] for i in self.direct]
        for k, (dtype, found) in enumerate(self.packs):
            known = packed[k] if packed else None
            args.append(_packed(leaves, found, dtype) if known is None else known)
        return args

    def constant_packs(self, leaves: Sequence[Value], changing: set[int]) -> list[np.ndarray | None]:
        """The packs in which no leaf changes from run to run; None for the others."""
        return [
            _packed(leaves, found, dtype) if changing.isdisjoint(found) else None
            for dtype, found in self.packs
        ]


def _packed(leaves: Sequence[Value], found: list[int], dtype: np.dtype) -> np.ndarray:
    with np.errstate(over="ignore"):  # a number too large for its dtype is infinite, as in TensorFlow
        return np.array([leaves[i] for i in found], dtype)


def _committed(commit: Commit, evaluation: Evaluation, failed_at: Any) -> Any:
    evaluation.ensure(s for s in (commit.old, *commit.writes) if s >= 0)
    value = evaluation.value(commit.old)
    for slot in commit.writes:
        value = jnp.where(failed_at > slot, evaluation.value(slot), value)
    return value


_programs: dict[Any, list[Program]] = {}
_last: list[Any] = [None, []]
_MOST_ALIKE = 8
"""So many programs for one key, that differ in their outputs alone, are compiled."""


def clear_programs() -> None:
    """Forget every compiled program."""
    _programs.clear()
    _last[:] = [None, []]


def _known(key: Any) -> list[Program]:
    """The programs for a key. A loop asks for the same again: comparing is faster than hashing."""
    last, known = _last
    if key != last:
        known = _programs.get(key)
        if known is None:
            if len(_programs) >= settings.most_programs:
                _forget_oldest()
            known = _programs[key] = []
        _last[:] = [key, known]
    return known


def _forget_oldest() -> None:
    """Forget a quarter of the programs; records that hold one keep it."""
    for key, _ in oldest_quarter(
        _programs.items(), lambda item: max([p.compiled.used_at for p in item[1]], default=0)
    ):
        del _programs[key]


def program_for(
    trace: Trace, outputs: Sequence[int], donated: dict[int, int], commits: tuple[Commit, ...]
) -> Program:
    """The program for a trace, which gives what is asked for and no more.

    Another output changes how XLA fuses ops, and with it the last bits of the others: a program that happens to be
    there because somebody once held on to one more tensor must not take the place of this one. Where what is held
    changes all the time, one that gives more will do.

    Args:
        trace: what was recorded.
        outputs: the slots asked for.
        donated: leaves that may be overwritten, each with the slot that replaces it.
        commits: how checks take back writes.
    """
    watched = tuple(range(len(trace.nodes))) if settings.check_numerics else ()
    checked = tuple(trace.checks)
    leaves = tuple(donated)
    key = (trace.entries, trace.leaf_keys, leaves, commits, checked, bool(watched))
    known = _known(key)
    wanted = {*outputs, *donated.values()}
    for program in known:
        if wanted == program.wanted:
            return program
    if len(known) >= _MOST_ALIKE:
        for program in known:
            if wanted.issubset(program.wanted):
                return program
        wanted = wanted.union(*[program.wanted for program in known])
    first = tuple(donated.values())
    ordered = (*first, *sorted(wanted.difference(first)))
    written = {id(write.old) for write in trace.writes.values()}
    varies = tuple([not n.held and id(n) not in written for n in trace.leaves])
    program = Program(key[0], key[1], ordered, leaves, commits, checked, watched, varies)
    program.specs = tuple([trace.nodes[s].spec for s in ordered])
    known.append(program)
    return program
