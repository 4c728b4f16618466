"""Branches and loops of `tensorflow.python.ops.{control_flow_util,parallel_for}` and `framework.smart_cond`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.array.creation import range as range_
from tapeflow.ops.control.branch import cond
from tapeflow.ops.control.loop import vectorized_map
from tapeflow.ops.debugging.introspection import get_static_value

ENABLE_CONTROL_FLOW_V2 = True


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Whether a graph is being compiled by XLA alone; no program here asks that its code be written for it."""
    return False


def EnableControlFlowV2(graph: Any) -> bool:
    """Whether loops and branches are functions, which they are."""
    return True


def smart_constant_value(pred: Any) -> bool | None:
    """A condition's value, if it is known now; `None` for a tensor that is not."""
    if isinstance(pred, bool):
        return pred
    if pred is None or (isinstance(pred, (int, float)) and pred not in (0, 1)):
        raise TypeError(f"smart_cond expected pred to be a boolean, or a tensor of one; got pred={pred!r}.")
    value = get_static_value(pred) if hasattr(pred, "dtype") else pred
    return None if value is None else bool(value)


def smart_cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    name: str | None = None,
) -> Any:
    """`tf.cond`, which calls only the branch that is taken where the condition is known now."""
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"smart_cond expected {argument} to be callable; got {argument}={function!r}.")
    value = smart_constant_value(pred)
    if value is None:
        return cond(pred, true_fn, false_fn)
    return (true_fn if value else false_fn)()


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """`loop_fn` of every number below `iters`, computed for all at once."""
    return vectorized_map(loop_fn, range_(convert_to_tensor(iters)))
