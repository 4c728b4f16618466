"""`if` and its kin in converted code: Python's own, or a recorded branch if a tensor decides.

If the value of the tensor is known, say from the shape of another, both branches are tried, as TensorFlow traces both,
and the program gets the one that is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from tapeflow.engine.functions.staging import again
from tapeflow.engine.recording.body import Body
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.recording.trace import AssignsVariable, NeedsValue
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.autograph.branch_effects import BranchEffects
from tapeflow.ops.autograph.merging import Merged
from tapeflow.ops.autograph.state import Place, State, is_staged, is_test, leave_to_python
from tapeflow.ops.control.branch import switch, truth
from tapeflow.ops.control.recorded_body import body_of
from tapeflow.ops.control.tensor_array import TensorArray

Block = Callable[[], Any]


def if_(test: Any, body: Block, orelse: Block | None, state: Callable[[], State]) -> None:
    """`if test: body() else: orelse()`."""
    if is_staged(test):
        try:
            _staged_if(test, body, orelse, state())
        except AssignsVariable:
            raise  # the body around is to take it
        except NeedsValue as error:
            leave_to_python("`if` over a tensor", error)
        else:
            return
    taken = body if test else orelse
    with _both_branches_checked(test, body, orelse, state) if is_test(test) else nullcontext():
        if taken is not None:
            taken()


@contextmanager
def _both_branches_checked(
    test: Any, body: Block, orelse: Block | None, state: Callable[[], State]
) -> Iterator[None]:
    """Raise what is wrong with either branch; what Python prints in one of them has been printed then."""

    def both() -> None:
        places = state()
        before = places.get()
        try:
            _staged_if(test, body, orelse, places)
        finally:
            places.set(before)

    if engine_state.trace.is_body or engine_state.is_again:
        yield
        return
    try:
        sketch(both)
    except NotSketchable:
        yield
        return
    with again():
        yield


def _staged_if(test: TensorLike, body: Block, orelse: Block | None, state: State) -> None:
    chosen = truth("`if`", test)
    before = state.get()
    taken, end = _recorded_branch(body, state, before)
    other, other_end = _recorded_branch(orelse, state, before)
    bodies = (other, taken)
    merged = Merged(state.places, end, other_end, "`if`")
    effects = BranchEffects(bodies)
    firsts = [*[p[1] for p in merged.pairs], *[p[0] for p in effects.pairs]]
    seconds = [*[p[0] for p in merged.pairs], *[p[1] for p in effects.pairs]]
    results = switch(chosen, [bodies[0].giving(firsts), bodies[1].giving(seconds)])
    state.set(merged.values(results))
    effects.record(chosen, results[len(merged.pairs) :])


def _recorded_branch(block: Block | None, state: State, before: list[Any]) -> tuple[Body, list[Any]]:
    """What a branch does, and what the names hold at its end."""
    end: list[Any] = []

    def recorded() -> list[Any]:
        state.set([nest.map_structure(_own, v) for v in before])
        try:
            if block is not None:
                block()
            end.extend(state.get())
        finally:
            state.set(before)
        return []

    return body_of(recorded, takes_writes=True, takes_effects=True), end


def _own(value: object) -> Any:
    """A value that a branch may change in place without a trace."""
    return value.copied() if isinstance(value, TensorArray) else value


class _Value(Place):
    """A place for the value of an expression."""

    def __init__(self) -> None:
        super().__init__("the value of the expression", True, False, False)
        self.value: Any = None

    def get(self) -> Any:
        return self.value

    def set(self, value: Any) -> None:
        self.value = value


def if_expression(test: Any, body: Block, orelse: Block) -> Any:
    """`body() if test else orelse()`."""
    if is_staged(test):
        try:
            return chosen_value(test, body, orelse)
        except AssignsVariable:
            raise
        except NeedsValue as error:
            leave_to_python("A conditional expression over a tensor", error)
    return body() if test else orelse()


def chosen_value(test: TensorLike, body: Block, orelse: Block) -> Tensor:
    """The value of one of two expressions, chosen in the program."""
    place = _Value()
    state = object.__new__(State)
    state.places = [place]

    def setting(expression: Block) -> Block:
        return lambda: place.set(expression())

    _staged_if(test, setting(body), setting(orelse), state)
    return place.value
