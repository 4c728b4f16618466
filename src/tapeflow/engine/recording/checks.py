"""Run-time checks: indices in range, labels in range, and NaN or Inf under `check_numerics`.

A check whose inputs the host knows is made at the call. Otherwise it travels in the program, which
reports it as a small array; the report is looked at when the thread next reads a value or runs a
program, so that nothing happens after a failure. A failed check raises `InvalidArgumentError`
naming the op and the user's line, what came of the op is withdrawn, and the Variable writes recorded
after it have not happened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.devices import placement
from tapeflow.engine.recording.node import Node, line_of

if TYPE_CHECKING:
    from tapeflow.engine.programs.lowering import Entry, Evaluation
    from tapeflow.engine.programs.program import Program

_PASSED = np.zeros(3, np.int64)


def index_check(
    arg: int, limit: Callable[[Sequence[Any], dict[str, Any]], int], lowest: int = 0
) -> Callable[..., Any]:
    """A check that every element of input `arg` lies in `[lowest, limit(arrays, statics))`."""

    def check(xp: ModuleType, *arrays: Any, **statics: Any) -> Any:
        index = arrays[arg]
        top = limit(arrays, statics)
        if index.size == 0:
            return xp.zeros((3,), xp.int64)
        if xp is np and index.min() >= lowest and index.max() < top:
            return _PASSED
        flat = xp.ravel(index).astype(xp.int64)
        bad = (flat < lowest) | (flat >= top)
        is_bad = xp.any(bad)
        if xp is jnp and placement.is_shared():  # the processes exchange their parts only to name the value
            value = jax.lax.cond(is_bad, lambda: flat[xp.argmax(bad)], lambda: xp.zeros((), xp.int64))
        else:
            value = flat[xp.argmax(bad)]
        return xp.stack([is_bad.astype(xp.int64), value, xp.asarray(top, xp.int64)])

    # Which input the host must know to check at once, and that it looks at no other's values.
    check.arg = arg  # pyright: ignore[reportFunctionMemberAccess]
    check.looks_at_one = True  # pyright: ignore[reportFunctionMemberAccess]
    return check


def failure(origin: Origin, is_bad: int, value: int, limit: int) -> errors.InvalidArgumentError:
    """The error for one failed check; in a body, `is_bad` tells which of its ops failed."""
    origin = origin.inner[is_bad - 1] if origin.inner else origin
    op = origin.instance.op
    text = op.check_text or "{op} expected every index in [0, {limit}); got {value}."
    said = text.format(op=op.name, value=value, limit=limit)
    return errors.InvalidArgumentError(None, None, f"{said} At {origin.line()}.")


def check_now(node: Node, instance: Any, arrays: Sequence[Any]) -> None:
    """Check known values on the host."""
    is_bad, value, limit = (int(v) for v in instance.op.check(np, *arrays, **instance.statics))
    if is_bad:
        raise failure(Origin.of(node)._replace(instance=instance), is_bad, value, limit)


class Shaped:
    """Stands for an input of which a check may read the shape but not the values."""

    def __init__(self, spec: Any) -> None:
        self.shape, self.dtype, self.ndim = spec.shape, spec.np_dtype, len(spec.shape)


def check_argument(instance: Any, origin: Origin, value: np.ndarray, specs: tuple[Any, ...]) -> None:
    """Make a check on an argument's value; of the other inputs only the specs are known."""
    arrays = [value if s is None else Shaped(s) for s in specs]
    is_bad, found, limit = (int(v) for v in instance.op.check(np, *arrays, **instance.statics))
    if is_bad:
        raise failure(origin, is_bad, found, limit)


def check_numerics_now(node: Node, value: object) -> None:
    """Raise if a value computed op by op holds a NaN or an Inf."""
    for part in value if isinstance(value, (tuple, list)) else (value,):
        array = np.asarray(part)
        if jnp.issubdtype(array.dtype, jnp.inexact) and not np.isfinite(array).all():
            raise _not_finite(node, bool(np.isnan(array).any()))


def _not_finite(node: Node | Origin, is_nan: bool) -> errors.InvalidArgumentError:
    what = "NaN" if is_nan else "Inf"
    return errors.InvalidArgumentError(
        None,
        None,
        f"check_numerics found {what} in the output of op {node.instance!r}, result {node.spec!r}, "
        f"at {node.line()}: the first result that is not finite.",
    )


def report(entries: Sequence[Entry], checked: Sequence[int], evaluation: Evaluation) -> Any:
    """The checks of a program, one row each, computed inside it; `None` if it has none."""
    if not checked:
        return None
    rows = []
    for slot in checked:
        instance, inputs = entries[slot]
        evaluation.ensure(s for s in inputs if s >= 0)
        rows.append(instance.op.check(jnp, *map(evaluation.value, inputs), **instance.statics))
    return jnp.stack(rows)


def numerics_report(watched: Sequence[int], evaluation: Evaluation) -> Any:
    """For every node, 0 if finite, 1 for an Inf, 2 for a NaN; `None` if not asked for."""
    if not watched:
        return None
    rows = []
    for slot in watched:
        value = evaluation.values.get(slot)
        parts = value if isinstance(value, (tuple, list)) else (value,)
        worst = jnp.zeros((), jnp.int8)
        for part in parts:
            if part is not None and jnp.issubdtype(part.dtype, jnp.inexact):
                kind = jnp.where(jnp.any(jnp.isinf(part)), 1, 0)
                kind = jnp.where(jnp.any(jnp.isnan(part)), 2, kind).astype(jnp.int8)
                worst = jnp.maximum(worst, kind)
        rows.append(worst)
    return jnp.stack(rows)


def first_failure(checked: Sequence[int], report: Any, watched: Sequence[int], numerics: Any) -> Any:
    """The slot of the first op whose check failed, computed inside the program; past all if none."""
    never = np.iinfo(np.int64).max
    first = jnp.asarray(never, jnp.int64)
    for slots, flags in ((checked, None if report is None else report[:, 0]), (watched, numerics)):
        if flags is not None:
            places = jnp.asarray(slots, jnp.int64)
            first = jnp.minimum(first, jnp.min(jnp.where(flags != 0, places, never)))
    return first


class Origin(NamedTuple):
    """The op that made a node, for messages, kept after the node has released it."""

    instance: Any
    code: CodeType | None
    lasti: int
    spec: Any
    inner: tuple[Origin, ...] = ()

    @classmethod
    def of(cls, node: Node) -> Origin:
        """Where a node comes from; `inner` are the checked ops of the body it runs."""
        return cls(node.instance, node.code, node.lasti, node.spec, node.inner)

    def line(self) -> str:
        """`file:line` of the user's call."""
        return line_of(self.code, self.lasti)


def origins_of(nodes: Sequence[Node], program: Program) -> dict[int, Origin]:
    """The origins, by slot, of the nodes that a program's reports may name."""
    return {s: Origin.of(nodes[s]) for s in (*program.checked, *program.watched)}


@dataclass
class Unsettled:
    """The reports of a dispatched program that have not been read yet.

    Attributes:
        nodes: the nodes that got their values from it, by slot.
        origins: by slot, what a report may name.
        program: the program, for its checks and for what depends on what.
        report: rows `[is_bad, value, limit]`, or `None`.
        numerics: by slot, 1 for an Inf and 2 for a NaN, or `None`.
        thread: the thread that ran it, which is told of a failure.
    """

    nodes: dict[int, Node]
    origins: dict[int, Origin]
    program: Program
    report: Any
    numerics: Any
    thread: int = field(default_factory=threading.get_ident)

    def concerns(self, node: Node | None) -> bool:
        """Whether a thread about to read `node` must look at this first."""
        return self.thread == threading.get_ident() or any(n is node for n in self.nodes.values())

    def settle(self) -> None:
        """Look; on a failed check withdraw what came of the op that failed, and raise."""
        failed = self._failures()
        if not failed:
            return
        error = failed[min(failed)]
        for slot, (_, inputs) in enumerate(self.program.entries):
            if slot in failed or any(s in failed for s in inputs):
                failed[slot] = error
                node = self.nodes.get(slot)
                if node is not None:
                    node.value, node.error = None, error
        raise error

    def _failures(self) -> dict[int, errors.InvalidArgumentError]:
        """The errors of the failed checks, by slot."""
        failures = {}
        if self.report is not None:
            rows = np.asarray(self.report).tolist()
            for slot, (is_bad, value, limit) in zip(self.program.checked, rows, strict=True):
                if is_bad:
                    failures[slot] = failure(self.origins[slot], is_bad, value, limit)
        if self.numerics is not None:
            for slot, kind in enumerate(np.asarray(self.numerics).tolist()):
                if kind:
                    failures[slot] = _not_finite(self.origins[slot], kind == 2)
        return failures


def look_later(
    nodes: dict[int, Node], origins: dict[int, Origin], program: Program, report: Any, numerics: Any
) -> None:
    """Leave a program's reports to be looked at by this thread."""
    # A Variable keeps its old value when a check fails, and its node must not be held by us: a
    # buffer that somebody holds is copied before it is overwritten.
    results = {s: n for s, n in nodes.items() if not n.held}
    unsettled.append(Unsettled(results, origins, program, report, numerics))


@dataclass
class Failed:
    """A check that has failed already, on the host, and is raised where that of a program would be.

    Attributes:
        nodes: what was computed with it, by slot.
        failed: by slot, the errors of what could not be computed, in the order of the ops.
        thread: the thread that ran it, which is told of the failure.
    """

    nodes: dict[int, Node]
    failed: dict[int, errors.InvalidArgumentError]
    thread: int = field(default_factory=threading.get_ident)

    def concerns(self, node: Node | None) -> bool:
        """Whether a thread about to read `node` must be told first."""
        return self.thread == threading.get_ident() or any(n is node for n in self.nodes.values())

    def settle(self) -> None:
        """Withdraw what could not be computed, and raise."""
        for slot, node in self.nodes.items():
            if slot in self.failed:
                node.value, node.error = None, self.failed[slot]
        raise self.failed[min(self.failed)]


def raise_later(nodes: dict[int, Node], failed: dict[int, errors.InvalidArgumentError]) -> None:
    """Have this thread be told of checks that have failed when it next reads a value or runs something.

    Args:
        nodes: what was to be computed, by slot.
        failed: by slot, the error of each op that was not.
    """
    unsettled.append(Failed(nodes, failed))


unsettled: list[Unsettled | Failed] = []


def settle(node: Node | None = None) -> None:
    """Look at what this thread left to look at, or `node` comes of; raises for the first failed check."""
    for reports in [u for u in unsettled if u.concerns(node)]:
        try:
            unsettled.remove(reports)
        except ValueError:
            continue  # another thread is looking at it
        reports.settle()
