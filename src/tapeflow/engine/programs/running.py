"""Running what is pending: from a trace to values on its nodes.

How a key runs (one compiled program, or op by op) depends on the key alone, so the first step of a
training run is computed exactly like the thousandth.
"""

from __future__ import annotations

import operator
import sys
import threading
from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from tapeflow.engine.backend import get_opaque_trace_state, jax, jnp
from tapeflow.engine.devices import forking, placement
from tapeflow.engine.programs.flight import RUN_LOCK, Flight, flights, land_flights
from tapeflow.engine.programs.hosted import hosted, run_hosted
from tapeflow.engine.programs.lowering import Evaluation, Gradient
from tapeflow.engine.programs.program import Commit, Program, counters, program_for
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, Value
from tapeflow.engine.recording.trace import Claim, NeedsValue, Trace, live_trace, state
from tapeflow.engine.settings import settings


def materialise(node: Node) -> Value:
    """The value of a node, running what is pending if need be."""
    if flights:
        land_flights()
    value = node.value
    if value is None:
        if node.error is None:
            value = _run_for(node)
    elif state.recording is not None and not node.host:
        state.recording.note_read()
    if checks.unsettled:
        checks.settle(node)
    if node.error is not None:
        raise node.error.with_traceback(None)
    if forking.is_cut_off:
        forking.check_ready(value)
    return node.array() if type(value) is float else value


def _run_for(node: Node) -> Value:
    trace = node.trace
    if trace is not None and not trace.is_body:
        if state.recording is not None:
            state.recording.note_read()
        run_trace(trace)
    elif state.trace.is_body:
        raise NeedsValue
    if node.value is None and node.error is None:
        raise RuntimeError(
            f"Reading a tensor expected one that has a value; got one made at {node.line()} inside the body "
            "of a loop, a branch or a function, which is gone. Return it from there instead."
        )
    return node.value


def run_pending() -> None:
    """Run what this thread has recorded, without waiting for it."""
    trace = live_trace()
    if trace.nodes or trace.effects or flights:
        run_trace(trace)


def run_trace(trace: Trace, is_staged: bool = False) -> Program | None:
    """Give every wanted pending node of `trace` its value, and empty the trace.

    A trace that is to be run again (`is_staged`) is compiled, however small.
    """
    if forking.is_cut_off and (trace.nodes or trace.effects):
        raise forking.refusal(f"Running {_described(trace)}")
    with RUN_LOCK, Claim(trace):
        return _run(trace, is_staged)


def _described(trace: Trace) -> str:
    return f"{len(trace.nodes)} ops from {trace.nodes[0].line()} on" if trace.nodes else "effects"


def _run(trace: Trace, is_staged: bool) -> Program | None:
    if flights:
        land_flights()
    if trace.is_done or (not trace.nodes and not trace.effects):
        trace.is_done = True
        return None
    if checks.unsettled:
        checks.settle()
    _withdraw_what_depends_on_failures(trace)
    outputs = _outputs(trace)
    if is_staged and trace.checks:
        trace.checks = _checks_that_count(trace, outputs)
    if not outputs and not trace.checks:
        _release_links(trace)
        trace.is_done = True
        _finish(trace)
        return None
    if get_opaque_trace_state() == _TOP_LEVEL:
        return _run_for_outputs(trace, outputs, is_staged)
    with jax.ensure_compile_time_eval():  # we are inside a user's own jax.jit
        return _run_for_outputs(trace, outputs, is_staged)


_TOP_LEVEL = get_opaque_trace_state()


def _run_for_outputs(trace: Trace, outputs: list[int], is_staged: bool) -> Program | None:
    if not is_staged and _runs_op_by_op(trace, outputs):
        _run_op_by_op(trace, outputs)
        return None
    return _dispatch(trace, outputs, is_staged)


def _checks_that_count(trace: Trace, outputs: list[int]) -> list[int]:
    """The checks of a function: an op that gives nothing to its results is not run, and so not checked.

    An op that does nothing but check is run in any case, as in TensorFlow.
    """
    needed = _needed(trace, outputs)
    return [s for s in trace.checks if s in needed or trace.nodes[s].instance.op.only_checks]


def _needed(trace: Trace, outputs: list[int]) -> set[int]:
    """The slots of the ops that these outputs are computed from."""
    needed: set[int] = set()
    stack = [*outputs, *[s for w in trace.writes.values() for s in w.slots]]
    while stack:
        slot = stack.pop()
        if slot >= 0 and slot not in needed:
            needed.add(slot)
            stack.extend(trace.nodes[slot].slots)
    return needed


def _outputs(trace: Trace) -> list[int]:
    """Slots somebody may ask for: wanted nodes, inputs of effects, and what live tapes start from."""
    nodes = trace.nodes
    trace.is_taped = any(t.is_live for t in set(chain.from_iterable(map(_tapes, nodes))))
    found = [n.slot for n in nodes if n.held or ((handle := n.handle) is not None and handle() is not None)]
    if trace.is_taped or trace.effects:
        # Of a tuple its parts come out; the tuple only where somebody is about to take them.
        others = [s for s in _started_from(trace) if type(nodes[s].spec) is not tuple or settings.op_by_op]
        found = sorted({*found, *others})
    if trace.thread != threading.get_ident():
        found = sorted({*found, *_held_midway(trace)})
    return [s for s in found if nodes[s].error is None]


def _held_midway(trace: Trace) -> list[int]:
    """Slots of nodes that the thread recording this trace has in hand, in the midst of a public function.

    Such a node has no owner yet, or never gets one, but the op that is recorded next may take it. Who
    holds it is known from its reference count alone; what other nodes of the trace hold does not count.
    """
    uses: Counter[int] = Counter()
    for inputs in {id(n.inputs): n.inputs for n in trace.nodes}.values():
        uses.update(map(id, inputs))
    counts = zip(trace.nodes, _reference_counts(trace.nodes), strict=True)
    return [n.slot for n, count in counts if count - _REFERENCES_FROM_A_LIST > uses[id(n)]]


def _reference_counts(found: list[Any]) -> list[int]:
    return [sys.getrefcount(n) for n in found]


_REFERENCES_FROM_A_LIST = _reference_counts([object()])[0]


def _started_from(trace: Trace) -> set[int]:
    """Slots that effects show, and those from which live tapes go on."""
    found: set[int] = set()
    for _, slots in trace.effects:
        found.update(s for s in slots if s >= 0)
    for node in trace.nodes:
        for token in node.tapes:
            if token.is_live:
                found.update([i.slot for i in node.inputs if i.trace is trace and token not in i.tapes])
                if node.parts is not None:
                    found.update(_outside(trace, node.parts.crossed))
    return found


_tapes, _error = operator.attrgetter("tapes"), operator.attrgetter("error")


def _outside(trace: Trace, crossed: list[Node]) -> list[int]:
    """What the nodes inside a gradient take from elsewhere in the trace."""
    inside = {id(n) for n in crossed}
    return [i.slot for n in crossed for i in n.inputs if i.trace is trace and id(i) not in inside]


def _withdraw_what_depends_on_failures(trace: Trace) -> None:
    """Pass the error of a withdrawn value on to all that was recorded from it; the rest will run."""
    if not any(map(_error, trace.leaves)):
        return
    failed = {~i: leaf.error for i, leaf in enumerate(trace.leaves) if leaf.error is not None}
    for slot, node in enumerate(trace.nodes):
        for s in node.slots:
            if s in failed:
                failed[slot] = node.error = failed[s]
                break
    for leaf in trace.leaves:
        if leaf.error is not None and leaf.value is None:
            leaf.value = np.zeros(leaf.spec.shape, leaf.spec.np_dtype)  # never looked at
    for variable, old, slots in trace.writes.values():
        if variable._node.error is not None:
            good = [s for s in slots if s not in failed]
            variable._rebind(trace.nodes[good[-1]] if good else old)
    trace.checks = [s for s in trace.checks if s not in failed]
    trace.effects = [(f, used) for f, used in trace.effects if not any(s in failed for s in used)]


def _runs_op_by_op(trace: Trace, outputs: list[int]) -> bool:
    if settings.op_by_op:
        return True
    if (
        trace.checks
        or settings.check_numerics
        or any(w.variable._node.trace is trace for w in trace.writes.values())
    ):
        return False
    return _is_handful(trace, outputs)


def _is_handful(trace: Trace, outputs: list[int]) -> bool:
    """Whether a few ops without a gradient give these outputs; what else was recorded, and let go, does not count."""
    needed: set[int] = set()
    stack = list(outputs)
    while stack:
        slot = stack.pop()
        if slot >= 0 and slot not in needed:
            needed.add(slot)
            node = trace.nodes[slot]
            instance = node.instance
            if len(needed) > settings.handful or isinstance(instance, Gradient) or instance.op.is_spread:
                return False
            stack.extend(node.slots)
    return True


def argument_value(node: Node) -> Any:
    """A leaf's value as a program takes it.

    A host array goes as it is to a CPU, which reads it in place; elsewhere it is put there once.
    """
    value = node.value
    if not isinstance(value, np.ndarray):
        if placement.current is not None and type(value) is not float:
            value = node.value = placement.current.everywhere(value)
    elif placement.current is None and value.dtype.kind != "O" and jax.default_backend() != "cpu":
        value = node.value = jax.device_put(value)
    return value


def _run_op_by_op(trace: Trace, outputs: list[int]) -> None:
    counters.op_by_op += 1
    evaluation = _EagerEvaluation(trace)
    try:
        with np.errstate(all="ignore"):
            evaluation.run(outputs)
            for slot in trace.checks:
                evaluation.ensure([slot])
    except Exception as error:
        _fail(trace, error)
        raise
    for slot in outputs:
        trace.nodes[slot].value = evaluation.values[slot]
    trace.is_done = True
    _release_links(trace)
    _finish(trace)


class _EagerEvaluation(Evaluation):
    """Evaluates each op by itself, on the host if it is small, checking as it goes."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace.entries, [leaf.array() for leaf in trace.leaves])
        self.trace = trace

    def _evaluate(self, slot: int) -> None:
        instance, inputs = self.entries[slot]
        node = self.trace.nodes[slot]
        if slot in self.trace.checks:
            self.ensure(s for s in inputs if s >= 0 and s not in self.values)
            checks.check_now(node, instance, [np.asarray(self.value(s)) for s in inputs])
        if isinstance(instance, Gradient) or slot in self.group_of:
            super()._evaluate(slot)
        else:
            self.values[slot] = self._apply(slot)
        if settings.check_numerics:
            checks.check_numerics_now(node, self.values[slot])

    def _run_group(self, group: Any) -> None:
        known = set(self.values)
        super()._run_group(group)
        if settings.check_numerics:
            for slot in sorted(s for s in self.values if s >= 0 and s not in known):
                checks.check_numerics_now(self.trace.nodes[slot], self.values[slot])

    def _apply(self, slot: int) -> Any:
        instance, inputs = self.entries[slot]
        values = [self.value(s) for s in inputs]
        spec = self.trace.nodes[slot].spec
        if not settings.op_by_op:
            nodes = [self.trace.nodes[s] if s >= 0 else self.trace.leaves[~s] for s in inputs]
            function = instance.on_host(tuple(n.spec for n in nodes))
            if function is not None and all(map(placement.is_readable, values)):
                found = function(*values)
                return tuple(found) if type(spec) is tuple else found[0]
        return instance.run(*values)


def _runs_on_host(trace: Trace, program: Program) -> bool:
    if settings.check_numerics or not settings.hosted_elements:
        return False
    if any(w.variable._node.trace is trace for w in trace.writes.values()):
        return False
    if program.hosted is ...:
        program.hosted = hosted(trace, _needed(trace, [*program.outputs, *trace.checks]))
    return program.hosted is not None


def _dispatch(trace: Trace, outputs: list[int], is_staged: bool) -> Program:
    donated, commits = _writes(trace)
    try:
        program = program_for(trace, outputs, donated, commits)
        if not is_staged and _runs_on_host(trace, program):
            counters.on_host += 1
            run_hosted(trace, program.hosted, program.outputs)
            trace.is_done = True
            _release_links(trace)
        else:
            _take_off(trace, program, donated)
    except Exception as error:
        if not trace.is_done:  # nothing has run; after an interrupt, by contrast, all is still pending
            _fail(trace, error)
        raise
    _finish(trace)
    return program


def _take_off(trace: Trace, program: Program, donated: dict[int, int]) -> None:
    """Dispatch a program on the leaves of a trace."""
    _release_links(trace)
    flight = _TraceFlight(trace, program)
    leaves = trace.leaves
    args = [argument_value(leaves[i]) for i in program.direct]
    for dtype, packed in program.packs:
        args.append(np.array([leaves[i].value for i in packed], dtype))
    shown = [trace.leaves[~s].value for _, slots in trace.effects for s in slots if s < 0]
    for place, i in zip(program.donated_args, donated, strict=True):
        # Known to hold the node: the trace's leaves and its writes. What an effect is to show
        # is held by `shown`, and so copied.
        args[place] = owned_value(trace.leaves[i], args[place], holders=2)
    del shown
    flight.take_off(program.compiled.function_for(trace.owner), args)


def recorded_program(trace: Trace, outputs: list[int]) -> Program:
    """The program that gives `outputs` of a trace that is not to run itself."""
    _, commits = _writes(trace)
    return program_for(trace, outputs, {}, commits)


class _TraceFlight(Flight):
    """Gives the nodes of a trace their values."""

    def __init__(self, trace: Trace, program: Program) -> None:
        super().__init__()
        self.trace = trace
        self.program = program

    def land(self) -> None:
        trace, program = self.trace, self.program
        values, report, numerics = self.landed[0]
        for slot, value in zip(program.outputs, values, strict=True):
            trace.nodes[slot].value = value
        if not trace.is_done:
            counters.dispatched += 1
            if report is not None or numerics is not None:
                nodes = trace.nodes
                checks.look_later(
                    dict(enumerate(nodes)), checks.origins_of(nodes, program), program, report, numerics
                )
            trace.is_done = True

    def describe(self) -> str:
        return _described(self.trace)


def _writes(trace: Trace) -> tuple[dict[int, int], tuple[Commit, ...]]:
    """The leaves that Variable writes replace, each with its new slot, and how checks take writes back."""
    donated, commits = {}, []
    is_checked = bool(trace.checks) or settings.check_numerics
    leaf_slots = trace.leaf_slots
    for variable, old, slots in trace.writes.values():
        new = variable._node
        if new.trace is not trace or new.spec is not old.spec:
            continue  # assigned a plain value since, or let go; or one of another shape
        if is_checked and (old.value is not None or old.trace is trace):
            written = tuple(s for s in slots if s <= new.slot)
            commits.append(Commit(new.slot, trace.slot_of(old), written))
        slot = leaf_slots.get(id(old))
        if slot is not None and not (old.host and old.spec.packed):
            donated[~slot] = new.slot
    return dict(sorted(donated.items())), tuple(sorted(commits))


def owned_value(leaf: Node, value: Any, holders: int) -> Any:
    """`value` if the program may overwrite it, else a copy: somebody still holds the old one.

    Reference counts are the one record of who holds a buffer that no code path can forget to keep.

    Args:
        leaf: the Variable's node.
        value: its array, held by the node and by the caller's list.
        holders: how many references to `leaf` the caller knows of.
    """
    if isinstance(value, np.ndarray):  # memory of the host's, which no program may overwrite
        return jax.device_put(value) if placement.current is None else placement.current.everywhere(value)
    # The parameter and getrefcount's own argument are two more of each.
    if sys.getrefcount(leaf) > holders + 2 or sys.getrefcount(value) > 4:
        return copied_value(value)
    return value


def copied_value(value: Any) -> Any:
    """A copy for a program to overwrite."""
    counters.copied_for_donation += 1
    return jnp.array(value, copy=True)


holding_tokens: list[Any] = []
"""The tokens of live tapes for which nodes that have run are kept as they were."""


def _let_go() -> None:
    """Release what is kept for tapes that are gone."""
    for token in [t for t in holding_tokens if not t.is_live]:
        token.release()
    holding_tokens[:] = [t for t in holding_tokens if t.kept]


def _release_links(trace: Trace) -> None:
    """Cut nodes from their inputs, but for those a live tape may yet go through."""
    kept = _kept(trace) if trace.is_taped else ()
    for node in trace.gradients:
        if node.slot not in kept:
            node.parts = None
    if not kept:
        for node in trace.nodes:
            node.inputs = ()
        return
    for node in trace.nodes:
        if node.slot not in kept:
            node.inputs = ()


def _kept(trace: Trace) -> set[int]:
    """The slots of nodes that live tapes may go through; the tapes keep them."""
    kept: set[int] = set()
    for node in reversed(trace.nodes):
        for token in node.tapes:
            if token.is_live:
                # A gradient that may be differentiated again keeps what it goes through.
                inner = [] if node.parts is None else [n for n in node.parts.crossed if n.trace is trace]
                if not token.kept:
                    holding_tokens.append(token)
                for n in (node, *inner):
                    n.tape_count += 1
                    token.kept.append(n)
                    kept.add(n.slot)
    return kept


def _finish(trace: Trace) -> None:
    """Let go of what a trace that has run held, look at numerics, and have its effects."""
    nodes, leaves, effects = trace.nodes, trace.leaves, trace.effects
    if trace.is_taped:
        for node in nodes:
            node.trace = None
            if not node.inputs:
                node.instance = None
    else:
        for node in nodes:
            node.trace = node.instance = None
    trace.nodes, trace.leaves, trace.leaf_slots, trace.writes, trace.effects = [], [], {}, {}, []
    trace.gradients = []
    if holding_tokens:
        _let_go()
    if settings.check_numerics or effects:
        checks.settle()
    for function, slots in effects:
        function(*[(nodes[s] if s >= 0 else leaves[~s]).array() for s in slots])


def _fail(trace: Trace, error: BaseException) -> None:
    """A program that did not run: its nodes raise what it raised, Variables keep their old values."""
    for node in trace.nodes:
        node.error = error
    for variable, old, _ in trace.writes.values():
        if variable._node.trace is trace:
            variable._rebind(old)
    trace.is_done = True
    _release_links(trace)
    trace.effects = []
    _finish(trace)
