"""New values for Variables by an op that computes them: `v.assign(op(v, x))` as one node instead of two.

The result of the op belongs to the Variable alone, as that of `assign_add` does. Metrics and other
state that changes at every step use it.
"""

from __future__ import annotations

from typing import Any

from tapeflow.engine.programs.steps import keep_bounded
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.op import Op
from tapeflow.engine.recording.recorder import items_of, record
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable


def update_variable(variable: Variable, update: Op, *inputs: Tensor, **statics: Any) -> None:
    """Make `update(variable, *inputs, **statics)` the value of `variable`."""
    variable._replace(_record((variable,), update, inputs, statics))


def update_variables(variables: tuple[Variable, ...], update: Op, *inputs: Tensor, **statics: Any) -> None:
    """Make the results of `update(*variables, *inputs, **statics)` the values of `variables`."""
    node = _record(variables, update, inputs, statics)
    for variable, item in zip(variables, items_of(node), strict=True):
        variable._replace(item)


def _record(
    variables: tuple[Variable, ...], update: Op, inputs: tuple[Tensor, ...], statics: dict[str, Any]
) -> Node:
    if state.trace.is_long:
        keep_bounded(state.trace)
    if state.recording is not None:
        for variable in variables:
            state.recording.note_variable(variable)
    nodes = [variable._current() for variable in variables]
    nodes += [tensor._node for tensor in inputs]
    return record(update.instance(statics), tuple(nodes))
