"""Records of calls: what `tf.function` notices while Python runs, and how the record runs again.

A `Recording` is filled during a call. If it turns out to be the whole story, a `Staged` is made of it and
of the trace: the program, which leaf is which argument, Variable or random draw, and what comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import getrefcount
from typing import Any

import numpy as np

from tapeflow.engine.backend import jnp
from tapeflow.engine.devices import forking, placement
from tapeflow.engine.functions.sizes import Sizes
from tapeflow.engine.programs import collecting
from tapeflow.engine.programs.flight import RUN_LOCK, Flight, flights, land_flights
from tapeflow.engine.programs.program import Program, counters
from tapeflow.engine.programs.running import (
    argument_value,
    copied_value,
    materialise,
    owned_value,
    run_trace,
)
from tapeflow.engine.random import Counter
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, line_of, spec_of_value, user_position
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import NeedsValue, Trace, live_trace, state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable


class Recording:
    """What is noticed while a call is recorded.

    Args:
        is_trial: nothing may run: Python that asks for a value gets `NeedsValue`.

    Attributes:
        sizes: the integer arguments that may decide sizes.
        has_made_state: whether a layer or an optimizer has made its Variables.
        may_create: whether objects like optimizers may make their Variables now.
    """

    def __init__(self, is_trial: bool = False) -> None:
        self.is_trial = is_trial
        self.read_at: str | None = None
        self.why: str | None = None
        self.why_at: str | None = None
        self.created: list[Variable] = []
        self.variables: dict[int, tuple[Variable, Node]] = {}
        self.draws: list[tuple[Counter, Node, Node]] = []
        self.writes: dict[int, Variable] = {}
        self.known: dict[int, tuple[int, np.ndarray]] = {}
        self.argument_checks: list[Any] = []
        self.scopes: list[tuple[int, str]] = []
        self._paths = [""]
        self.effects_before = len(live_trace().effects)
        self.may_create = True
        self.has_made_state = False
        self.sizes = Sizes({})

    def size_value(self, node: Node) -> np.ndarray | None:
        """The value of a node that is to be a size, if integer arguments tell it; see `sizes`."""
        return None if self.read_at is not None else self.sizes.value_of(node)

    def known_size(self, node: Node) -> np.ndarray | None:
        """The value of a node, if integer arguments that have decided a size tell it."""
        return None if self.read_at is not None else self.sizes.known_value(node)

    def changes(self, node: Node) -> bool:
        """Whether a node holds what a Variable held before the call, or a part of a random key."""
        return any(n is node for _, n in self.variables.values()) or any(
            node is word for _, *words in self.draws for word in words
        )

    def note_read(self) -> None:
        """Python asked for a value: this call cannot stand for later ones."""
        if self.is_trial:
            raise NeedsValue
        if self.read_at is None:
            collecting.resume()
            self.read_at = line_of(*user_position(1))
            self.why = self.why if self.why_at == self.read_at else None

    def note_why(self, why: str) -> None:
        """What keeps a branch or loop out of the program, whose choice Python is about to read, at this line.

        It says what to write instead, and is without a full stop.
        """
        if self.read_at is None:
            self.why, self.why_at = why, line_of(*user_position(1))

    def checks_argument(self, node: Node, instance: Any, inputs: tuple[Node, ...]) -> bool:
        """Make a check that looks at an argument which the host knows, now and before every later call."""
        check = instance.op.check
        arg = getattr(check, "arg", 0)
        found = self.known.get(id(inputs[arg]))
        if found is None or not getattr(check, "looks_at_one", False):
            return False
        index, value = found
        specs = tuple([None if i == arg else n.spec for i, n in enumerate(inputs)])
        origin = checks.Origin.of(node)
        checks.check_argument(instance, origin, value, specs)
        self.argument_checks.append((instance, origin, index, specs))
        return True

    def note_same_elements(self, node: Node, source: Node) -> None:
        """A node has the elements of another in another shape or order."""
        if id(source) in self.known:
            self.known[id(node)] = self.known[id(source)]

    def enter_scope(self, name: str) -> None:
        """Ops recorded from now on are of a scope: below the one in force or, with "/" at its end, this very one."""
        self._paths.append(name if not name or name.endswith("/") else f"{self._paths[-1]}{name}/")
        self._note_scope()

    def leave_scope(self) -> None:
        """Go back to the scope before."""
        if len(self._paths) > 1:  # a generator may leave a scope that was entered before the recording began
            self._paths.pop()
        self._note_scope()

    def _note_scope(self) -> None:
        """Once for a scope, not for an op: names of ops are wanted for a few records only."""
        if not state.trace.is_body:
            self.scopes.append((len(state.trace.nodes), self._paths[-1]))

    def note_created(self, variable: Variable) -> None:
        """A Variable came into being during the call."""
        self.created.append(variable)

    def forget_variables(self) -> None:
        """Hold no Variable: the call does not become a record."""
        self.created.clear()
        self.variables.clear()
        self.writes.clear()

    def note_variable(self, variable: Variable) -> None:
        """A Variable is about to be read or written; its value now is an input of the record."""
        self.variables.setdefault(id(variable), (variable, variable._node))

    def note_draw(self, counter: Counter, high: Node, low: Node) -> None:
        """A random key is drawn."""
        if self.read_at is None:
            self.draws.append((counter, high, low))

    def note_write(self, variable: Variable, node: Node) -> None:
        """A Variable is assigned the value of a node."""
        if self.read_at is None:
            self.writes[id(node)] = variable


@contextmanager
def again(is_again: bool = True) -> Iterator[None]:
    """Python runs once more here on what is traced already: converted code does not print."""
    before, state.is_again = state.is_again, is_again or state.is_again
    try:
        yield
    finally:
        state.is_again = before


def require_first_call(what: str) -> None:
    """Note that a layer or optimizer makes its state; raise if that is while a later call of a function is traced."""
    around = state.recording if isinstance(state.recording, Recording) else state.lifted_from
    if not isinstance(around, Recording):
        return
    around.has_made_state = True
    if not around.may_create:
        raise ValueError(
            f"{what} expected to make its Variables outside, or in the first call of a tf.function: tf.function only "
            "supports singleton tf.Variables created on the first call; got a later one. Build it before, or use a "
            "tf.function for each."
        )


def reading(read_at: str | None, why: str | None) -> str:
    """What a warning says of code that is run as plain Python."""
    if why is not None:
        return f"at {read_at} {why}"
    return (
        f"at {read_at} Python reads the value of a tensor (an `if`, a loop, float(), print()), so a record of the "
        "call could not stand for later ones. Use tf.cond, tf.while_loop or tf.where, or move the read outside"
    )


def value_before(variable: Variable) -> Tensor:
    """The value that a Variable had before the call that is being recorded; else the one it has."""
    noted = None if state.recording is None else state.recording.variables.get(id(variable))
    return tensor_of(variable._current() if noted is None else noted[1])


class Record:
    """What a recorded call needs to be run again: its program, and where each value comes from and goes to.

    Attributes:
        program: the recorded ops, or None if there were none.
        writes: the Variables that the call assigns, each with the place of its new value in the outputs.
        results: where each of the call's results is found: its kind and which one.
        effects: what is to be called after a run, with where its arguments are found.
        scopes: from which op on which name scope was in force: "" or "model/dense/".
    """

    def __init__(
        self,
        recording: Recording,
        args: list[Node],
        results: list[Any],
        trace: TraceSnapshot,
        program: Program | None,
    ) -> None:
        self.program = program
        place = {s: k for k, s in enumerate(program.outputs)} if program else {}
        self.writes = [(v, place[s]) for v, s in zip(trace.written, trace.wanted, strict=True)]
        self.origins = {} if program is None else checks.origins_of(trace.nodes, program)
        sources: dict[int, tuple[str, Any]] = {id(n): ("leaf", i) for i, n in enumerate(trace.leaves)}
        sources.update({id(n): ("variable", v) for v, n in recording.variables.values()})
        sources.update({id(n): ("argument", i) for i, n in enumerate(args)})
        sources.update({id(n): ("output", place[n.slot]) for n in trace.nodes if n.slot in place})
        self.results = [
            sources.get(id(r._node), ("constant", r)) if isinstance(r, Tensor) else ("constant", r)
            for r in results
        ]
        self.effects = [
            (f, [("output", place[s]) if s >= 0 else ("leaf", ~s) for s in slots])
            for f, slots in trace.effects
        ]
        self.argument_checks = recording.argument_checks
        self.scopes = recording.scopes
        self._bind_leaves(recording, args, trace.leaves)

    def _bind_leaves(self, recording: Recording, args: list[Node], leaves: list[Node]) -> None:
        """Where each leaf's value comes from at a later call."""
        index = {id(n): i for i, n in enumerate(leaves)}
        self.template: list[Any] = [n.value for n in leaves]
        self.arg_leaves = [(index[id(n)], i) for i, n in enumerate(args) if id(n) in index]
        donated = self.program.donated if self.program else ()
        self.variable_leaves = [
            (index[id(n)], v, index[id(n)] in donated)
            for v, n in recording.variables.values()
            if id(n) in index
        ]
        self.draw_counts: dict[int, tuple[Counter, int]] = {}
        self.draws: list[tuple[int, Counter, int, int]] = []
        for counter, high, low in recording.draws:
            _, offset = self.draw_counts.get(id(counter), (counter, 0))
            self.draw_counts[id(counter)] = (counter, offset + 1)
            for word, node in enumerate((high, low)):
                if id(node) in index:
                    self.draws.append((index[id(node)], counter, offset, word))
        bound = {i for i, *_ in (*self.variable_leaves, *self.arg_leaves, *self.draws)}
        self.captured = [n for i, n in enumerate(leaves) if i not in bound]
        self.packs = [] if self.program is None else self.program.constant_packs(self.template, bound)
        for i in bound:
            self.template[i] = None

    def _check_arguments(self, array_of: Callable[[int], np.ndarray]) -> None:
        """Make the checks that look at arguments on the host; `array_of` gives the argument of an index."""
        for instance, origin, i, specs in self.argument_checks:
            checks.check_argument(instance, origin, array_of(i), specs)

    def _begin_run(self) -> None:
        """Let what came before be over: its results are bound, its failures raised."""
        if flights:
            land_flights()
        checks.settle()

    def _count_draws(self, calls: int = 1) -> None:
        """Leave the random counters where so many calls have left them."""
        for counter, drawn in self.draw_counts.values():
            counter.count += drawn * calls


class RecordFlight(Flight):
    """Gives the Variables of a record their new values.

    Attributes:
        written: the nodes of those values, once `bind` has made them.
    """

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record
        self.written: list[Node] | None = None

    def land(self) -> None:
        if self.written is None:
            counters.dispatched += 1
            self.bind(self.landed[0])
        for (variable, _), node in zip(self.record.writes, self.written or (), strict=True):
            if variable._node is not node:
                variable._rebind(node)

    def bind(self, results: Any) -> None:
        """Make nodes of what the program has given, and see to its reports."""
        raise NotImplementedError


def current_value(variable: Variable) -> Any:
    """A Variable's value as a program takes it."""
    node = variable._node
    if node.value is None:
        materialise(node)  # another thread has it pending
    return argument_value(node)


def overwritable_value(variable: Variable) -> Any:
    """A Variable's value for a program that overwrites it: a copy if somebody else holds it.

    It is `owned_value` of `current_value`, without calling either where there is nothing to place or to wait for: every
    call of a function asks for all of its Variables.
    """
    node = variable._node
    value = node.value
    if value is None or isinstance(value, np.ndarray) or placement.current is not None:
        value = current_value(variable)
        return owned_value(node, value, holders=2)  # the Variable and we
    # Known to hold each: the Variable or its node, we, and getrefcount's own argument.
    if getrefcount(node) > 3 or getrefcount(value) > 3:
        return copied_value(value)
    return value


class TraceSnapshot:
    """A trace's lists as they are before it runs, which empties it."""

    def __init__(self, trace: Trace, recording: Recording) -> None:
        self.leaves, self.nodes, self.effects = trace.leaves, trace.nodes, trace.effects
        self.written = [v for v, _ in recording.variables.values() if v._node.trace is trace]
        self.wanted = [v._node.slot for v in self.written]
        self.instances = [n.instance for n in self.nodes]


class Staged(Record):
    """A recorded call that has run once, ready to be run on other arguments and the Variables' values."""

    def __init__(self, recording: Recording, args: list[Node], result: Any, results: list[Any]) -> None:
        trace = live_trace()
        parts = TraceSnapshot(trace, recording)
        self._owner = trace.owner
        program = run_trace(trace, is_staged=True)
        if program is not None:
            # Running let go of what made the nodes, which messages of failed checks name.
            for node, instance in zip(parts.nodes, parts.instances, strict=True):
                node.instance = node.instance or instance
        super().__init__(recording, args, results, parts, program)
        if program is not None:
            for node in parts.nodes:
                node.instance = node.instance if node.inputs else None
        self.structure = result
        self.first = nest.pack_sequence_as(result, results)
        shown = [source for _, used in self.effects for source in used]
        self.shown_leaves = {i for kind, i in shown if kind == "leaf"}

    def run(self, args: list[Node]) -> Any:
        """Run the record on new arguments."""
        program = self.program
        self._check_arguments(lambda i: args[i].array())
        if forking.is_cut_off:
            raise forking.refusal("Running a function that has been recorded")
        with RUN_LOCK:
            self._begin_run()
            leaves = self.template.copy()
            for place, i in self.arg_leaves:
                leaves[place] = argument_value(args[i])
            # A snapshot that is to be given back is held, and so copied before it is overwritten.
            snapshots = {id(v): tensor_of(v._current()) for kind, v in self.results if kind == "variable"}
            flight = None if program is None else _StagedFlight(self, program)
            kept = {}
            for place, variable, is_donated in self.variable_leaves:
                if place in self.shown_leaves:
                    kept[place] = variable._node.value = jnp.asarray(current_value(variable))
                leaves[place] = overwritable_value(variable) if is_donated else current_value(variable)
            for place, counter, offset, word in self.draws:
                leaves[place] = counter.words(counter.count + offset)[word]
            outputs: list[Any] = []
            if program is not None and flight is not None:
                function = program.compiled.function_for(self._owner)
                flight.take_off(function, program.arguments(leaves, self.packs))
                outputs = flight.nodes
            self._count_draws()
            if self.effects:
                checks.settle()
            for function, used in self.effects:
                function(*[outputs[i].value if k == "output" else kept.get(i, leaves[i]) for k, i in used])
        return nest.pack_sequence_as(
            self.structure, [self._result(*r, args, outputs, snapshots) for r in self.results]
        )

    def _result(
        self, kind: str, what: Any, args: list[Node], outputs: list[Node], snapshots: dict[int, Tensor]
    ) -> Any:
        if kind == "constant":
            return what
        if kind == "argument":
            return tensor_of(args[what])
        if kind == "output":
            return tensor_of(outputs[what])
        if kind == "variable":
            return snapshots[id(what)]
        return tensor_of(Node(spec_of_value(self.template[what]), self.template[what]))


class _StagedFlight(RecordFlight):
    """Gives the results of a call their values, too."""

    def __init__(self, staged: Staged, program: Program) -> None:
        super().__init__(staged)
        self.program = program
        self.nodes: list[Node] = []

    def bind(self, results: Any) -> None:
        values, report, numerics = results
        self.nodes = nodes = [Node(spec, v) for spec, v in zip(self.program.specs, values, strict=True)]
        self.written = written = [nodes[place] for _, place in self.record.writes]
        if report is not None or numerics is not None:
            for node in written:
                node.held += 1  # a Variable's: a failed check withdraws it by not writing it
            by_slot = dict(zip(self.program.outputs, nodes, strict=True))
            checks.look_later(by_slot, self.record.origins, self.program, report, numerics)
            for node in written:
                node.held -= 1


def returned(value: Any) -> Any:
    """What a function gives back: tensors for numbers and arrays, other objects as they are."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (Variable, int, float, complex, str, bytes, np.ndarray, np.generic)):
        return tensor_of(to_node(value))
    return value
