"""Sketches: what a function would give for arguments of some shapes, found without running anything.

The function records into a trace of its own, which is thrown away: Variables it writes get their old
value back, random keys it draws are given back, effects do not happen. Variables it *makes* are real:
`init_scope` makes them outside the sketch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.engine.programs.running import run_trace
from tapeflow.engine.recording.body import give_back_draws
from tapeflow.engine.recording.node import Node, Spec, spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import NeedsValue, Trace, live_outer_trace, state
from tapeflow.engine.values import nest
from tapeflow.engine.values.dtypes import uint32
from tapeflow.engine.values.tensor import Tensor


class NotSketchable(ValueError):
    """The function asked for a value, which a sketch has not."""


def sketch(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call `function` on placeholders; what it returns is good for its shapes, dtypes and host values.

    Args:
        function: called with tensors in the structures of `arguments`.
        arguments: structures of `Spec`s; a leaf that is something else is passed on as it is.

    Raises:
        NotSketchable: the function reads a value.
    """
    trace = Trace(is_body=True, is_sketch=True)

    def placeholder(spec: Spec) -> Any:
        if not isinstance(spec, Spec):
            return spec
        node = Node(spec)
        node.trace = trace
        node.slot = trace.add_leaf(node)
        return tensor_of(node)

    given = [nest.map_structure(placeholder, a) for a in arguments]
    iteration: Tensor = placeholder(spec_of((), uint32))
    saved = (state.trace, state.outer, state.bodies, state.tapes, state.recording)
    drawn = len(state.drawn)
    state.outer = live_outer_trace()
    state.trace, state.bodies, state.tapes = trace, (*state.bodies, iteration._node), ()
    state.recording = None
    try:
        return function(*given)
    except NeedsValue:
        raise NotSketchable(
            "The shape of a result was asked for before there is data; the function reads a tensor's value "
            "(an `if` or a loop over a tensor, float(), numpy()), which is known only with data. Use tf ops "
            "such as tf.cond and tf.where."
        ) from None
    finally:
        for write in trace.writes.values():
            write.variable._rebind(write.old)
        give_back_draws(drawn)
        around, outer, state.bodies, state.tapes, state.recording = saved
        state.trace = live_outer_trace() if outer is None else around
        state.outer = state.outer if outer is not None else None


@contextmanager
def init_scope() -> Iterator[None]:
    """Lift the code inside out of whatever is being staged or recorded; names keep their scope.

    What it makes is real, also when the code around is only recorded, sketched or followed by a tape.
    """
    saved = (state.trace, state.outer, state.bodies, state.tapes, state.recording)
    if not (state.recording or state.tapes or state.trace.is_body):
        yield
        return
    around = state.lifted_from
    state.lifted_from = state.recording or (state.trace if state.trace.is_body else around)
    state.trace, state.outer, state.bodies, state.tapes, state.recording = Trace(), None, (), (), None
    try:
        yield
        run_trace(state.trace)
    finally:
        state.trace, state.outer, state.bodies, state.tapes, state.recording = saved
        state.lifted_from = around
