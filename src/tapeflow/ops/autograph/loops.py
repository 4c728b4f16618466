"""`while` and `for` in converted code: Python's own, or a recorded loop if tensors decide how far it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.autograph.loop_options import LoopOptions, current
from tapeflow.engine.recording.node import Node, spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import AssignsVariable, NeedsValue
from tapeflow.engine.recording.trace import state as engine_state
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.autograph.carry import NeedsLength
from tapeflow.ops.autograph.items import Items, Range, items_of
from tapeflow.ops.autograph.staged_loop import StagedLoop
from tapeflow.ops.autograph.state import State, is_recording, is_staged, is_test, leave_to_python, note_why
from tapeflow.ops.control.tensor_array import NotAppended

Test = Callable[[], Any]


def while_(test: Test, body: Callable[[], None], state: Callable[[], State]) -> None:
    """`while test(): body()`.

    A loop that Python decides is Python's, also if a tensor comes to decide it later: from there on, it is recorded.
    """
    options = LoopOptions()
    turns, can_be_staged = 0, True
    while True:
        answer = test()
        if can_be_staged and is_test(answer):
            try:
                StagedLoop("`while`", state(), body, test).run(answer)
            except AssignsVariable:
                raise  # the body around is to take it
            except NeedsValue as error:
                can_be_staged = False
                if is_staged(answer):
                    leave_to_python("`while` over a tensor", error)
            else:
                return
        if not answer or _is_over(options, answer, turns):
            return
        _turn(options, body)
        turns += 1


def for_(iterated: Any, test: Test | None, body: Callable[[Any], None], state: Callable[[], State]) -> None:
    """`for item in iterated: body(item)`, as long as `test()` holds."""
    items = items_of(iterated)
    if items is not None and is_recording() and (items.count is None or items.count > 1):
        try:
            _stage(items, test, body, state)
        except AssignsVariable:
            raise
        except NeedsValue as error:
            if items.count is None:
                leave_to_python("`for` over tensors", error)
            note_why("`for` over tensors", error)
        else:
            return
    if items is None and engine_state.trace.is_sketch and hasattr(iterated, "element_spec"):
        _turn(LoopOptions(), body, nest.map_structure(_stand_in, iterated.element_spec))
        return
    options = LoopOptions()
    rest = iter(iterated if items is None else items)
    turns = 0
    while True:
        # Asked before the next item is taken, which may be one of an iterator that others go on with.
        if turns and test is not None and not _goes_on(test, items):
            return
        if items is not None and _is_over(options, True, turns):
            return
        try:
            item = next(rest)
        except StopIteration:
            return
        _turn(options, body, item)
        turns += 1


def _stage(items: Items, test: Test | None, body: Callable[[Any], None], state: Callable[[], State]) -> None:
    """Record a loop; one in which an array grows for so many items as the function's arguments tell."""
    try:
        StagedLoop("`for`", state(), body, test, items).run()
    except NotAppended:
        if engine_state.trace.is_body:
            raise
        StagedLoop("`for`", state(), body, test, items, grows=True).run()
    except NeedsLength:
        if not (isinstance(items, Range) and items.count is None and items.settle()):
            raise
        StagedLoop("`for`", state(), body, test, items).run()


def _goes_on(test: Test, items: Items | None) -> Any:
    """Whether there is another turn of a loop that Python makes."""
    answer = test()
    if items is None and is_staged(answer):
        note_why(
            "A `break` or `return` that depends on a tensor",
            NeedsValue("its loop goes over a Python object, not over tf.range", "Use tf.range, or tf.where"),
        )
    return answer


def _stand_in(spec: Any) -> Tensor:
    """A tensor in place of an element of a dataset, in a sketch; open dimensions stand at 2."""
    if not isinstance(spec, TensorSpec):
        raise NeedsValue("it takes an element of a dataset")
    dims = () if spec.shape.rank is None else tuple([2 if d is None else d for d in spec.shape])
    node = Node(spec_of(dims, spec.dtype))
    trace = node.trace = engine_state.trace
    node.slot = trace.add_leaf(node)
    return tensor_of(node)


def _turn(options: LoopOptions, body: Callable[..., None], *item: Any) -> None:
    """One turn in Python; what it says of the loop is about this one."""
    current.loops.append(options)
    try:
        body(*item)
    finally:
        current.loops.pop()


def _is_over(options: LoopOptions, answer: TensorLike, turns: int) -> bool:
    """Whether a loop of tensors that runs as Python has made as many turns as it may."""
    most = options.maximum_iterations
    return most is not None and isinstance(answer, (bool, TensorBase)) and turns >= int(most)
