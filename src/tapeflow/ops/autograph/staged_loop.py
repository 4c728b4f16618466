"""Recording a loop of converted code as one op.

What the names that a turn binds hold becomes the carry of the loop: tensors, numbers made tensors, the rows of a
`TensorArray`, Variables that a turn assigns. Names that nobody reads before a turn sets them are its own business.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from tapeflow.autograph.loop_options import LoopOptions, current
from tapeflow.engine.functions.staging import again
from tapeflow.engine.recording.body import REPORT, Body, carrying, checked_results
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import uint32
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.autograph.carry import Carry
from tapeflow.ops.autograph.items import Items, spec_of_row
from tapeflow.ops.autograph.loop_effects import LoopEffects
from tapeflow.ops.autograph.state import State
from tapeflow.ops.control.branch import truth
from tapeflow.ops.control.loop_kernel import for_kernel, while_kernel
from tapeflow.ops.control.recorded_body import body_of
from tapeflow.ops.debugging.requirement import require
from tapeflow.ops.math.comparison import logical_and

_MOST_RECORDINGS = 4


class StagedLoop:
    """A loop that is to be recorded.

    Args:
        what: "`for`" or "`while`", for messages.
        state: what a turn changes.
        body: a turn; it takes an item if there are items.
        test: whether to go on; of a `for` without `break`, None.
        items: what a `for` goes over.
        grows: whether a `TensorArray` may grow by less than an element in each turn.
    """

    def __init__(
        self,
        what: str,
        state: State,
        body: Callable[..., None],
        test: Callable[[], Any] | None,
        items: Items | None = None,
        grows: bool = False,
    ) -> None:
        self._what, self._state, self._body, self._test, self._items = what, state, body, test, items
        self._is_counted = items is not None and items.count is not None and test is None
        self._grows = grows
        self._options = LoopOptions()
        self._is_traced = False

    def run(self, answer: TensorLike = True) -> None:
        """Record the loop, and give the names what they hold after it; `answer` is the test's first one.

        Raises:
            NeedsValue: it cannot be part of a program. All names hold what they held.
        """
        before = self._state.get()
        try:
            values = self._recorded(before, answer)
        except BaseException:
            self._state.set(before)
            raise
        self._state.set(values)

    def _recorded(self, before: list[Any], answer: TensorLike) -> list[Any]:
        most = None if self._items is None else self._items.count
        carry = Carry(self._what, self._state.places, before, self._is_counted, most, self._grows)
        if carry.needs_probe:
            self._probe(carry)
        body, written = self._recorded_body(carry)
        if self._options.shape_invariants is not None:
            carry.allows_shapes = True
        carry.check(list(body.graph.specs))
        limit = self._limit()
        if self._is_counted and limit is None:
            return self._scan(carry, body, written)
        return self._while(carry, body, written, answer, limit)

    # Recording a turn

    def _turn(self, carry: Carry, given: list[Tensor], item: Any) -> list[Tensor]:
        """One turn on placeholders: the carry after it."""
        self._state.set(carry.opened(given, [] if self._items is None else self._items.indices(item)))
        current.loops.append(self._options)
        try:
            self._body(*(() if self._items is None else (item,)))
        finally:
            current.loops.pop()
        goes_on = [] if self._is_counted else [self._goes_on()]
        return [*goes_on, *carry.closed(self._state.get())]

    def _goes_on(self) -> Tensor:
        """Whether there is another turn, after this one."""
        return convert_to_tensor(True) if self._test is None else truth(self._what, self._test())

    def _item(self, rows: list[Tensor]) -> Any:
        if self._items is None:
            return None
        if self._is_counted:
            return nest.pack_sequence_as(self._rows, rows)
        return self._items.at(_iteration())

    def _recorded_body(self, carry: Carry) -> tuple[Body, list[Variable]]:
        """A turn as a body; Variables that it assigns are among what it is given and gives back."""
        self._rows = self._items.rows() if self._is_counted and self._items is not None else ()
        flat_rows: list[Tensor] = nest.flatten(self._rows)
        row_specs = [spec_of_row(r) for r in flat_rows]
        flag: list[Spec] = [] if self._is_counted else [convert_to_tensor(True).spec]
        written: list[Variable] = []

        def turn(values: list[Tensor], rows: list[Tensor]) -> list[Tensor]:
            return self._turn(carry, values[len(flag) :], self._item(rows))

        for _ in range(_MOST_RECORDINGS):
            with_held = carrying(turn, written)

            def turned(
                values: list[Tensor],
                held: list[Tensor],
                rows: list[Tensor],
                with_held: Callable[..., Any] = with_held,
            ) -> Any:
                results, after = with_held((values, rows), held)
                count = len(flag) + len(carry.specs)
                return results[:count], after, results[count:]

            held_specs = [v._spec for v in written]
            inputs = [*carry.tensors, *flat_rows]
            with again() if self._is_traced else nullcontext():
                body = body_of(
                    turned,
                    [*flag, *carry.specs],
                    held_specs,
                    row_specs,
                    inputs=inputs,
                    takes_writes=True,
                    takes_effects=True,
                )
            self._is_traced = True
            more = [v for v, _ in body.written]
            if not more:
                self._flat_rows = flat_rows
                return body, written
            written += more
        raise NeedsValue("it assigns other Variables in every turn")

    def _probe(self, carry: Carry) -> None:
        """Learn from a turn that is thrown away what is not known before the loop."""
        flat_rows: list[Tensor] = []
        if self._is_counted and self._items is not None:
            self._rows = self._items.rows()
            flat_rows = nest.flatten(self._rows)

        def turn(values: list[Tensor], rows: list[Tensor]) -> None:
            item = self._item(rows)
            self._state.set(carry.probing(values, [] if self._items is None else self._items.indices(item)))
            current.loops.append(LoopOptions())
            try:
                self._body(*(() if self._items is None else (item,)))
            finally:
                current.loops.pop()
            carry.learn(self._state.get())

        self._is_traced = True
        try:
            sketch(turn, [t.spec for t in carry.known_tensors], [spec_of_row(r) for r in flat_rows])
        except NotSketchable:
            raise NeedsValue from None

    # The op

    def _limit(self) -> int | Tensor | None:
        most = self._options.maximum_iterations
        if most is None:
            return None
        tensor = convert_to_tensor(most)
        known = tensor.host_value()
        return tensor if known is None else int(known)

    def _scan(self, carry: Carry, body: Body, written: list[Variable]) -> list[Any]:
        held = [v.value() for v in written]
        inputs = [*carry.tensors, *held]
        effects = LoopEffects(body)
        count = self._flat_rows[0].spec.shape[0]
        effects.check_size(count)
        body = body.giving([*body.results, *effects.shown]) if effects else body
        if not body.graph.specs and not body.origins:
            effects.record_stacked(count, [])
            return carry.finished([], [])
        specs = body.graph.specs
        stacked = [spec_of((count, *s.shape), s.dtype) for s in specs[len(inputs) :]]
        results = for_kernel.giving(
            (*specs[: len(inputs)], *stacked, *([REPORT] if body.origins else [])),
            *inputs,
            *self._flat_rows,
            *body.captured,
            graph=body.graph,
            carried=len(inputs),
            scanned=len(self._flat_rows),
        )
        found = checked_results((body,), results)
        end = len(found) - len(effects.shown)
        effects.record_stacked(count, found[end:])
        return self._finished(carry, found[:end], written, len(carry.tensors))

    def _while(
        self,
        carry: Carry,
        body: Body,
        written: list[Variable],
        answer: TensorLike,
        limit: int | Tensor | None,
    ) -> list[Any]:
        held = [v.value() for v in written]
        first = (
            truth(self._what, answer) if isinstance(answer, TensorBase) else convert_to_tensor(bool(answer))
        )
        carried = [first, *carry.tensors, *held]
        count, bound = self._count(limit)
        if carry.set_in_a_turn:
            self._require_a_turn(first, count, carry.set_in_a_turn)
        effects = LoopEffects(body)
        watcher = effects.watcher()
        specs = body.graph.specs
        body = body.giving([*body.results, *effects.shown]) if effects else body
        inputs = [*carried, *body.captured]
        seen = [] if watcher is None else [spec_of((), uint32)]
        results = while_kernel.giving(
            (*specs, *seen, *([REPORT] if body.origins else [])),
            *([] if count is None else [count]),
            *inputs,
            graph=body.graph,
            carried=len(carried),
            has_count=count is not None,
            limit=bound,
            watcher=watcher,
        )
        found = checked_results((body,), results)
        if watcher is not None:
            effects.record_watched(found.pop(), watcher)
        return self._finished(carry, found[1:], written, len(carry.tensors))

    def _require_a_turn(self, first: Tensor, count: Tensor | None, names: list[str]) -> None:
        """Check that there is a turn, which sets names that are read after the loop."""
        has_turn = first if count is None else logical_and(first, count > 0)
        require(
            has_turn,
            f"{self._what} over tensors expected a turn to set {', '.join(map(repr, names))}, used after the loop: "
            "loop must iterate at least once to initialize it. Give it a value before the loop.",
            lambda _: "",
        )

    def _count(self, limit: int | Tensor | None) -> tuple[Tensor | None, int | None]:
        """How many turns there are at most: as a tensor, and as a number."""
        counts = [limit] if limit is not None else []
        if self._items is not None:
            counts.append(self._items.counted() if self._items.count is None else self._items.count)
        known = [c for c in counts if isinstance(c, int)]
        unknown = [c for c in counts if isinstance(c, Tensor)]
        if len(unknown) > 1:
            raise NeedsValue("two tensors bound its number of turns")
        return unknown[0] if unknown else None, max(0, min(known)) if known else None

    def _finished(self, carry: Carry, found: list[Tensor], written: list[Variable], count: int) -> list[Any]:
        values, last = found[:count], found[count : count + len(written)]
        for variable, value in zip(written, last, strict=True):
            variable.assign(value)
        return carry.finished(values, found[count + len(written) :])


def _iteration() -> Tensor:
    """The number of the turn that is being recorded."""
    return tensor_of(engine_state.bodies[-1])
