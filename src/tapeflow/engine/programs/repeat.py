"""A function called on one batch after another, several calls in one program.

`Repeater` records the function on the first batch, as `tf.function` does, but does not run the record:
it becomes the body of a loop over batches that are stacked on a leading axis. What the body assigns to
Variables is carried from turn to turn. How many of the stacked batches count is an input of the program,
so one program serves full rows and short ones, and a step has the same bits in either.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.autograph.callees import converted
from tapeflow.engine.backend import config_value, jax, jnp
from tapeflow.engine.devices import forking, placement
from tapeflow.engine.functions.function import watchers
from tapeflow.engine.functions.staging import (
    Record,
    RecordFlight,
    Recording,
    TraceSnapshot,
    current_value,
    overwritable_value,
    returned,
)
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.programs.program import Program, count_compiled
from tapeflow.engine.programs.rows import Cell, Fetch, Rows
from tapeflow.engine.programs.running import (
    recorded_program,
    run_pending,
)
from tapeflow.engine.recent import Recent
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import Node, spec_of_value
from tapeflow.engine.recording.recorder import Patient, tensor_of
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.recording.trace import Trace, live_trace, state
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes.bucketed import CompiledForSizes, Place
from tapeflow.engine.shapes.expression import Size
from tapeflow.engine.shapes.family import Owner
from tapeflow.engine.shapes.skeleton import filled, split
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.tensor import Tensor


class Repeater:
    """Calls a function on stacked batches, as one program where the function can be recorded."""

    def __init__(self, python_function: Callable[[Any], Any]) -> None:
        self._function = python_function
        self._known: Recent[Any, Repeated | None] = Recent()
        self._owner = Owner()
        self.read_at: str | None = None
        self.why: str | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Repeater:
        # Programs are bound to the Variables of the original; the copy makes its own.
        return Repeater(copy.deepcopy(self._function, memo))

    @property
    def records(self) -> list[Repeated]:
        """The records there are, one for each form of batch."""
        return [record for record in self._known.values() if record is not None]

    def __call__(self, batches: Any, count: int) -> Rows:
        """Call the function on the first `count` of the stacked batches.

        Args:
            batches: a structure of arrays, each with one row a batch; None is passed on, and so are ragged and
                sparse tensors, each the one batch there is.
            count: how many rows count.
        """
        if any(isinstance(leaf, DispatchTarget) for leaf in nest.flatten(batches)):
            return self._called(batches, range(count))  # how it is divided into rows may differ every time
        key, arrays = self._key(batches)
        known = self._known.get(key, _UNKNOWN)
        if settings.run_functions_eagerly:
            return self._called(batches, range(count))
        run_pending()
        if known is None:
            return self._called(batches, range(count), is_watched=True)
        if known is _UNKNOWN:
            with phases.during("compile"):
                known, first = self._record(batches, arrays)
            self._known[key] = known
            if known is None:
                rest = self._called(batches, range(1, count), is_watched=True)
                return Rows(first, _joined(first, rest), count)
        for watcher in watchers:
            watcher(getattr(self._function, "__name__", "step"), known)
        return known.run(arrays, count)

    def _key(self, batches: Any) -> tuple[Any, list[Any]]:
        """What names the record for such batches, and the arrays in them."""
        flat = nest.flatten(batches)
        key = (
            tuple([None if a is None else (a.shape, a.dtype) for a in flat]),
            nest.map_structure(lambda _: 0, batches).__repr__(),
            settings.check_numerics,
        )
        return key, [a for a in flat if a is not None]

    def prepare(self, batches: Any) -> None:
        """Record the function for batches of a form that is yet to come, and compile that in the background.

        Nothing runs: where the record needs a value, it is left to be made when those batches are there.
        """
        if any(isinstance(leaf, DispatchTarget) for leaf in nest.flatten(batches)):
            return
        key, arrays = self._key(batches)
        is_recorded = self._known and all(record is not None for record in self._known.values())
        is_placed = placement.current is not None or config_value("jax_default_device") is not None
        if key in self._known or not is_recorded or is_placed:
            return  # what the other thread compiles is for the device that JAX prefers
        run_pending()
        record, _ = self._record(batches, arrays, is_trial=True)
        if record is not None:
            self._known[key] = record
            record.compile_ahead(arrays)

    def _called(self, batches: Any, rows: range, is_watched: bool = False) -> Rows:
        """The calls made by Python, one by one; `is_watched` makes them as the first was, which was to be a record."""
        results = []
        for row in rows:
            if is_watched:
                state.recording = Recording()
            try:
                batch = nest.map_structure(lambda a, row=row: _one(a, row, is_watched), batches)
                results.append((converted(self._function) if is_watched else self._function)(batch))
            finally:
                if is_watched:
                    state.recording = None
            run_pending()
        if not results:
            return Rows(None, [], 0)
        columns = [list(c) for c in zip(*[nest.flatten(r) for r in results], strict=True)]
        return Rows(results[0], columns, len(results))

    def _record(self, batches: Any, arrays: list[Any], is_trial: bool = False) -> tuple[Repeated | None, Any]:
        """Record a call on the first batch; if that cannot stand for others, it has been made, or was a trial."""
        args = [Node(spec_of_value(a[0]), _placed_row(a, 0)) for a in arrays]
        tensors = iter([tensor_of(n) for n in args])
        batch = nest.map_structure(lambda a: None if a is None else next(tensors), batches)
        recording = Recording(is_trial)
        recording.known = {
            id(n): (i, arrays[i])
            for i, n in enumerate(args)
            if isinstance(n.value, np.ndarray) and n.spec.dtype.is_integer
        }
        trace = live_trace()
        state.recording = recording
        try:
            result = converted(self._function)(batch)
            results = [returned(r) for r in nest.flatten(result)]
        except BaseException as error:
            if not trace.is_done and (is_trial or isinstance(error, Exception)):
                _withdraw(trace, recording)
            if is_trial and isinstance(error, Exception):  # what is wrong shows when those batches come
                return None, None
            raise
        finally:
            state.recording = None
        is_effectful = any(type(f) is not Patient for f, _ in trace.effects) or (
            trace.effects and not trace.nodes
        )
        if recording.read_at is not None or trace.is_done or recording.created or is_effectful:
            if is_trial:
                _withdraw(trace, recording)
                return None, None
            self.read_at, self.why = recording.read_at, recording.why
            run_pending()
            return None, result
        repeated = Repeated(recording, args, result, results, trace)
        repeated.owner, repeated.rows = self._owner, len(arrays[0]) if arrays else 0
        repeated.name = getattr(self._function, "__name__", repeated.name)
        return repeated, None


_UNKNOWN: Any = object()


def _one(leaf: Any, row: int, is_argument: bool) -> Any:
    """A row of a stack of batches; an argument of a record is nothing that the host knows."""
    if leaf is None or isinstance(leaf, DispatchTarget):
        return leaf
    value = _placed_row(leaf, row)
    return tensor_of(Node(spec_of_value(leaf[row]), value) if is_argument else to_node(value))


def _placed_row(stack: Any, row: int) -> Any:
    """A batch of a stack; among several processes, of which each has only its rows, split over the devices."""
    value, placed = stack[row], placement.current
    if (
        placed is None
        or placed.share is None
        or not isinstance(value, np.ndarray)
        or value.dtype.kind in "OSU"
    ):
        return value
    return placed.split(value)


def _joined(first: Any, rest: Rows) -> list[Any]:
    columns = rest.columns or [[] for _ in nest.flatten(first)]
    return [[value, *column] for value, column in zip(nest.flatten(first), columns, strict=True)]


def _withdraw(trace: Trace, recording: Recording) -> None:
    """Take back what recording did: nothing of it has run."""
    for write in trace.writes.values():
        if write.variable._node.trace is trace:
            write.variable._rebind(write.old)
    for counter, *_ in recording.draws:
        counter.count -= 1
    for node in trace.nodes:
        node.trace, node.inputs, node.parts = None, (), None
    trace.is_done = True
    # Whoever holds a Variable's node keeps its buffer from being overwritten.
    trace.writes.clear()
    trace.leaves.clear()
    trace.leaf_slots.clear()
    recording.variables.clear()


class Repeated(Record):
    """A recorded call as the body of a loop."""

    name = "step"
    owner: Owner | None = None
    rows = 0  # how many batches a call is given

    def __init__(
        self, recording: Recording, args: list[Node], result: Any, results: list[Any], trace: Trace
    ) -> None:
        parts = TraceSnapshot(trace, recording)
        wanted = {r._node.slot for r in results if isinstance(r, Tensor) and r._node.trace is trace}
        wanted.update(s for _, slots in trace.effects for s in slots if s >= 0)
        leaf_specs = [n.spec for n in trace.leaves]
        program = recorded_program(trace, sorted({*parts.wanted, *wanted})) if trace.nodes else None
        super().__init__(recording, args, results, parts, program)
        self.structure = result
        self.specs = {k: trace.nodes[s].spec for k, s in enumerate(program.outputs)} if program else {}
        self._leaf_specs = leaf_specs
        _withdraw(trace, recording)
        self._plan()
        self._compiled = CompiledForSizes(
            self._evaluate, (0,), _RepeatedSizes(self), count_compiled, is_looped=True
        )

    def _plan(self) -> None:
        """Sort the leaves by where their values come from at each turn."""
        carried = {id(v): k for k, (v, _) in enumerate(self.writes)}
        self._carried_leaves = {i: carried[id(v)] for i, v, _ in self.variable_leaves if id(v) in carried}
        self._read_leaves = [(i, v) for i, v, _ in self.variable_leaves if id(v) not in carried]
        self._args_at = dict(self.arg_leaves)
        self._drawn_at = {i: (counter, offset, word) for i, counter, offset, word in self.draws}
        self._stacked = [i for i, (kind, _) in enumerate(self.results) if kind == "output"]
        # What comes out stacked: those results, then what the effects are to show.
        self._shown = list(dict.fromkeys(source for _, used in self.effects for source in used))
        self._columns = [("output", self.results[i][1]) for i in self._stacked] + self._shown

    # Inside the program

    def _evaluate(self, carry: list[Any], fixed: Any, rows: Any, count: Any) -> Any:
        program = self._program()
        size = _rows_of(rows)
        if size == 1:  # no loop, or XLA would fuse its one turn in a way of its own
            values, found, *reports = self._turn(program, carry, fixed, _row(rows, 0))
            # Results come out as they are: taking the one row of an array costs more than starting the program.
            columns = [v if i < len(self._stacked) else v[None] for i, v in enumerate(found)]
            return [values[place] for _, place in self.writes], columns, tuple(reports)
        outputs = [self.specs[i] if kind == "output" else self._leaf_specs[i] for kind, i in self._columns]
        columns = [jnp.zeros((size, *s.shape), s.np_dtype) for s in outputs]
        reports = (
            jnp.zeros((len(program.checked), 3), jnp.int64) if program.checked else None,
            jnp.zeros(len(program.watched), jnp.int8) if program.watched else None,
        )

        def goes_on(loop: Any) -> Any:
            turn, _, _, reports = loop
            return (turn < count) & ~_any_failure(reports)  # nothing happens after a failed check

        def body(loop: Any) -> Any:
            turn, carry, columns, _ = loop
            values, found, *reports = self._turn(program, carry, fixed, _row(rows, turn))
            columns = [
                jax.lax.dynamic_update_index_in_dim(c, v, turn, 0)
                for c, v in zip(columns, found, strict=True)
            ]
            return turn + 1, [values[place] for _, place in self.writes], columns, tuple(reports)

        start = (jnp.zeros((), count.dtype), carry, columns, reports)
        return jax.lax.while_loop(goes_on, body, start)[1:]

    def _turn(self, program: Program, carry: list[Any], fixed: Any, row: Any) -> Any:
        """One call: its outputs, what of it is stacked, and reports."""
        leaves: list[Any] = list(fixed)
        for leaf, k in self._carried_leaves.items():
            leaves[leaf] = carry[k]
        for leaf, value in row.items():
            leaves[leaf] = value
        packs = [jnp.stack([jnp.asarray(leaves[i], dtype) for i in found]) for dtype, found in program.packs]
        values, *reports = program.evaluate(*[leaves[i] for i in program.direct], *packs)
        found = [
            values[i] if kind == "output" else jnp.asarray(leaves[i], self._leaf_specs[i].np_dtype)
            for kind, i in self._columns
        ]
        return values, found, *reports

    def _program(self) -> Program:
        if self.program is None:
            raise RuntimeError("a record without ops has no program")
        return self.program

    # Around it

    def compile_ahead(self, arrays: list[Any]) -> None:
        """Begin to compile for rows like these, on a thread of its own."""
        if self.program is None or not arrays:
            return
        size = len(arrays[0])
        fixed = list(self.template)
        for leaf, variable in self._read_leaves:
            fixed[leaf] = current_value(variable)
        rows = {leaf: arrays[i] for leaf, i in self._args_at.items()}
        rows |= {leaf: np.zeros(size, np.uint32) for leaf in self._drawn_at}
        if not rows:
            rows[-1] = np.zeros(size, np.int8)
        carry = [current_value(variable) for variable, _ in self.writes]
        self._compiled.compile_ahead_for(self.owner, [carry, fixed, rows, np.int32(size)])

    def run(self, arrays: list[Any], count: int) -> Rows:
        """Make `count` calls on the rows of `arrays`, without waiting for them."""
        self._check_arguments(lambda i: np.asarray(arrays[i]))
        if self.program is None:
            return Rows(self.structure, [self._constant(*r, arrays, count) for r in self.results], count)
        if forking.is_cut_off:
            raise forking.refusal("Running training, evaluation or prediction steps")
        function = self._compiled.function_for(self.owner, count)
        with RUN_LOCK:
            self._begin_run()
            fixed = list(self.template)
            for leaf, variable in self._read_leaves:
                fixed[leaf] = current_value(variable)
            size = max(count, len(arrays[0]) if arrays else count)
            rows: dict[int, Any] = {leaf: _placed(arrays[i]) for leaf, i in self._args_at.items()}
            for leaf, (counter, offset, word) in self._drawn_at.items():
                step = self.draw_counts[id(counter)][1]
                words = [counter.words(counter.count + k * step + offset)[word] for k in range(size)]
                rows[leaf] = np.array(words, np.uint32)
            if not rows:
                rows[-1] = np.zeros(size, np.int8)
            flight = _RepeatedFlight(self)
            carry = [overwritable_value(variable) for variable, _ in self.writes]
            flight.take_off(function, [carry, fixed, rows, np.int32(count)])
            self._count_draws(count)
        columns = dict(zip(self._stacked, flight.columns, strict=False))
        if size == 1:
            columns = {i: [value] for i, value in columns.items()}
        if self.effects:
            checks.settle()
            shown = dict(zip(self._shown, map(Fetch, flight.columns[len(self._stacked) :]), strict=True))
            for row in range(count):
                for function, used in self.effects:
                    function(*[Cell(shown[source], row) for source in used])
        return Rows(
            self.structure,
            [
                columns[i] if i in columns else self._constant(*r, arrays, count)
                for i, r in enumerate(self.results)
            ],
            count,
        )

    def _constant(self, kind: str, what: Any, arrays: list[Any], count: int) -> Any:
        """The column of a result that no call computes."""
        if kind == "argument":
            return arrays[what]
        if kind == "variable":  # one that no call assigns: others are outputs
            what = tensor_of(what._current())
        return [self.template[what] if kind == "leaf" else what] * count


class _RepeatedSizes:
    """A record with the sizes taken out of its program, and of what comes out of it."""

    def __init__(self, repeated: Repeated) -> None:
        self._repeated = repeated

    @cached_property
    def _form(self) -> tuple[Any, tuple[int, ...]]:
        repeated, program = self._repeated, self._repeated._program()
        sizes: list[int] = []
        specs = split(self._specs, sizes)
        plan = (tuple(repeated._carried_leaves.items()), tuple(repeated._columns), len(repeated._stacked))
        writes = tuple([place for _, place in repeated.writes])
        return (program.sized.skeleton, specs, plan, writes, repeated.rows), (*program.sized.sizes, *sizes)

    @property
    def _specs(self) -> tuple[Any, ...]:
        return self._repeated.specs, self._repeated._leaf_specs

    @property
    def skeleton(self) -> Any:
        """What the record does."""
        return self._form[0]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Those of the program, then those of what comes out."""
        return self._form[1]

    @property
    def axes(self) -> int:
        """How many sizes are of leaves."""
        return self._repeated._program().sized.axes

    @property
    def assigns(self) -> bool:
        """Whether it assigns Variables, as training steps do."""
        return bool(self._repeated.writes)

    def function_for(self, sizes: Sequence[Size]) -> Callable[..., Any]:
        """What is compiled, with these sizes in it."""
        found = copy.copy(self._repeated)
        sized = found._program().sized
        found.program = sized.at(sizes[: len(sized.sizes)])
        found.specs, found._leaf_specs = filled(self._specs, iter(sizes[len(sized.sizes) :]))
        return found._evaluate

    def places(self, arguments: Sequence[Any]) -> Iterator[Place]:
        """Where the sizes of each array in the arguments are found."""
        carry, fixed, rows, _ = arguments
        place = self._repeated._program().sized.place
        yield from [None] * len(carry)
        yield from [place(leaf) for leaf, value in enumerate(fixed) if value is not None]
        yield from [place(leaf, 1) for leaf in sorted(rows)]
        yield None

    def described(self, place: int) -> str:
        """Which axis of which input has its size at this place."""
        return self._repeated._program().sized.described(place)


class _RepeatedFlight(RecordFlight):
    """Has the columns of all calls, and the Variables' values after the last."""

    def __init__(self, repeated: Repeated) -> None:
        super().__init__(repeated)
        self.repeated = repeated
        self.columns: list[Any] = []

    def bind(self, results: Any) -> None:
        carry, columns, (report, numerics) = results
        repeated, self.columns = self.repeated, columns
        pairs = zip(repeated.writes, carry, strict=True)
        self.written = [Node(repeated.specs[place], value) for (_, place), value in pairs]
        if report is not None or numerics is not None:
            checks.look_later({}, repeated.origins, repeated._program(), report, numerics)

    def describe(self) -> str:
        return self.repeated.name


def _placed(batches: Any) -> Any:
    """Stacked batches, each split over the devices that train together."""
    return batches if placement.current is None else placement.current.split(batches, axis=1)


def _row(rows: dict[int, Any], turn: Any) -> dict[int, Any]:
    return {
        leaf: jax.lax.dynamic_index_in_dim(jnp.asarray(column), turn, 0, keepdims=False)
        for leaf, column in rows.items()
        if leaf >= 0
    }


def _rows_of(rows: dict[int, Any]) -> int:
    return next(iter(rows.values())).shape[0]


def _any_failure(reports: tuple[Any, Any]) -> Any:
    report, numerics = reports
    failed = jnp.zeros((), bool)
    if report is not None:
        failed |= jnp.any(report[:, 0] != 0)
    if numerics is not None:
        failed |= jnp.any(numerics != 0)
    return failed
