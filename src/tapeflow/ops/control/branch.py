"""Branches: `cond`, `case` and `switch_case`.

In eager code only the branch taken is called, as in TensorFlow. While a function or a loop's body is
recorded the branches are recorded too (`engine.body`) and the program chooses, also what Variables hold that one
of them assigns; branches that cannot be recorded (they read a value, print, differ in shape) are chosen by
reading the predicate.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.body import REPORT, Body, Graph, checked_results, shifted_report
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.trace import AssignsVariable, NeedsValue
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.indexing import where
from tapeflow.ops.array.joining import stack
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.control.recorded_body import (
    as_recorded,
    body_of,
    is_being_recorded,
    note_why,
    packed_results,
)
from tapeflow.ops.debugging.requirement import require
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.comparison import logical_and, not_equal
from tapeflow.ops.math.reduction import reduce_any, reduce_sum

lax = jax.lax


@op(name="If", same_dtype=False)
def _cond_kernel(
    pred: jax.Array,
    *inputs: jax.Array,
    branches: tuple[Graph, ...],
    counts: tuple[int, ...],
    numbers: tuple[int, ...],
) -> tuple[jax.Array, ...]:
    """One of several branches; each takes `counts` inputs and numbers its checks from `numbers`."""
    zero = jnp.zeros((), jnp.uint32)
    starts = np.cumsum((0, *counts)).tolist()
    is_checked = any(g.checked for g in branches)

    def branch(k: int) -> Callable[..., Any]:
        graph = branches[k]

        def run(*given: jax.Array) -> tuple[Any, ...]:
            results = graph(zero, *given[starts[k] : starts[k + 1]])
            if graph.checked:
                results[-1] = shifted_report(results[-1], numbers[k])
            elif is_checked:
                results.append(jnp.zeros((3,), jnp.int64))
            return tuple(results)

        return run

    return lax.switch(pred.astype(jnp.int32), [branch(k) for k in range(len(branches))], *inputs)


def _recorded_switch(index: Tensor, functions: Sequence[Callable[[], Any]]) -> Any:
    """One of several branches, chosen inside the program; `NeedsValue` if they cannot be recorded."""
    bodies = [body_of(as_recorded(function), takes_writes=True) for function in functions]
    return packed_results(bodies[0].structure, switch(index, bodies))


def switch(index: Tensor, bodies: Sequence[Body]) -> list[Tensor]:
    """The results of one of several recorded bodies, chosen inside the program.

    Args:
        index: which one; of two, a truth value.
        bodies: what is chosen from. They take no arguments; their results must be alike.

    Raises:
        NeedsValue: they give different shapes or dtypes.
    """
    written = list({id(v): v for body in bodies for v, _ in body.written}.values())
    bodies = [body.with_values_of(written) for body in bodies] if written else bodies
    first = bodies[0]
    if any(body.graph.specs != first.graph.specs for body in bodies):
        raise NeedsValue("its branches give different shapes or dtypes")
    if not first.graph.specs and not any(body.origins for body in bodies):
        return []
    captured = [t for b in bodies for t in b.captured]
    counts = tuple(len(b.captured) for b in bodies)
    graphs = tuple(b.graph for b in bodies)
    widths = [len(b.origins) for b in bodies]
    numbers = tuple(itertools.accumulate([0, *widths[:-1]]))
    specs = (*first.graph.specs, *([REPORT] if any(body.origins for body in bodies) else []))
    results = _cond_kernel.giving(specs, index, *captured, branches=graphs, counts=counts, numbers=numbers)
    found = checked_results(bodies, results)
    returned = len(found) - len(written)
    for variable, value in zip(written, found[returned:], strict=True):
        variable.assign(value)
    return found[:returned]


def cond(
    pred: TensorLike, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """`true_fn()` if `pred` holds, else `false_fn()`.

    In eager code only the branch taken is called. In a recorded function both are recorded, and Variables that one
    of them assigns get what the chosen one gives them. A number holds if it is not zero.

    >>> tf.cond(tf.constant(2.0) > 1.0, lambda: tf.constant("big"), lambda: tf.constant("small"))
    <tf.Tensor: shape=(), dtype=string, numpy=b'big'>
    """
    for argument, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"tf.cond expected {argument} to be callable; got {argument}={branch!r}.")
    if isinstance(pred, (bool, int, float, str, np.bool_)):
        return true_fn() if pred else false_fn()
    chosen = truth("tf.cond", pred)
    if chosen.host_value() is None and is_being_recorded():
        try:
            return _recorded_switch(chosen, (false_fn, true_fn))
        except AssignsVariable:
            raise  # the body around is to take it
        except NeedsValue as error:
            note_why("tf.cond", error)
    return true_fn() if bool(chosen) else false_fn()


def truth(where: str, pred: TensorLike) -> Tensor:
    """A predicate as a boolean scalar: what Python would make of a number or string."""
    tensor = convert_to_tensor(pred)
    if int(np.prod(tensor.spec.shape)) != 1:
        raise ValueError(
            f"{where} expected a scalar pred; got shape {tensor.shape}: the truth value of other than one "
            "element is ambiguous. Use tf.reduce_all or tf.reduce_any, or tf.where to choose by element."
        )
    if tensor.spec.shape != ():
        tensor = reshape(tensor, ())
    if tensor.dtype is string:
        return convert_to_tensor(bool(tensor.numpy()))
    return tensor if tensor.dtype.is_bool else not_equal(tensor, cast(0, tensor.dtype))


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The function of the first pair whose predicate holds, else `default()`.

    Args:
        pred_fn_pairs: pairs of a predicate and a function, in a list or a dict.
        default: called if no predicate holds; without it that is an error.
        exclusive: more than one predicate that holds is an error.
        strict: ignored.
        name: ignored.

    >>> x = tf.constant(3)
    >>> tf.case([(x < 2, lambda: tf.constant("few")), (x < 5, lambda: tf.constant("some"))]).numpy()
    b'some'
    """
    pairs = _pairs("tf.case", "pred_fn_pairs", pred_fn_pairs)
    for _, function in pairs:
        if not callable(function):
            raise TypeError(f"tf.case expected callable functions in pred_fn_pairs; got {function!r}.")
    if default is not None and not callable(default):
        raise TypeError(f"tf.case expected default to be callable; got default={default!r}.")
    preds = [truth("tf.case", pred) for pred, _ in pairs]
    if exclusive:
        _require(reduce_sum(cast(stack(preds), "int32")) <= 1, "at most one predicate that holds", preds)
    if default is None:
        _require(reduce_any(stack(preds)), "a predicate that holds, or a default", preds)
    functions: list[Callable[[], Any]] = [function for _, function in pairs]
    return _case(preds, functions, functions[-1] if default is None else default)


def _case(preds: list[Tensor], functions: list[Callable[[], Any]], default: Callable[[], Any]) -> Any:
    if not preds:
        return default()
    return cond(preds[0], functions[0], lambda: _case(preds[1:], functions[1:], default))


def _require(condition: Tensor, rule: str, preds: list[Tensor]) -> None:
    none_holds = "none of conditions evaluated as True"
    said = none_holds if "default" in rule else "exclusive=True: more than 1 conditions evaluated as True"
    require(
        condition,
        f"tf.case expected {rule}; {said}.",
        lambda _: f" Got {[bool(p) for p in preds]}.",
    )


def _pairs(where: str, name: str, given: object) -> list[tuple[Any, Any]]:
    """A list or dict of pairs as a list, which must not be empty."""
    if not isinstance(given, (list, tuple, dict)):
        raise TypeError(f"{where} expected {name} to be a list, tuple or dict; got {name}={given!r}.")
    pairs = list(given.items()) if isinstance(given, dict) else list(given)
    if not pairs:
        raise ValueError(f"{where} expected at least one pair in {name}; got none.")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{where} expected each entry of {name} to be a 2-tuple; got {pair!r}.")
    return pairs


def switch_case(
    branch_index: TensorLike,
    branch_fns: Any,
    default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Any:
    """The branch with this number; `default`, or the last branch, for a number there is none for.

    Args:
        branch_index: an integer scalar.
        branch_fns: functions, or pairs of a number and a function, in a list or dict. The numbers start
            at 0 and leave none out.
        default: called for any other number.
        name: ignored.
    """
    functions = _numbered(branch_fns)
    if default is not None and not callable(default):
        raise TypeError(f"tf.switch_case expected default to be callable; got default={default!r}.")
    otherwise = functions[-1] if default is None else default
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer or index.spec.shape != ():
        raise TypeError(
            "tf.switch_case expected branch_index to be an integer scalar; got shape "
            f"{index.shape}, dtype {index.dtype.name}. Use tf.cast, or tf.cond for a truth value."
        )
    if index.host_value() is None and is_being_recorded():
        last = convert_to_tensor(len(functions), dtype=index.dtype)
        is_known = logical_and(index >= 0, index < last)
        try:
            return _recorded_switch(where(is_known, index, last), [*functions, otherwise])
        except AssignsVariable:
            raise  # the body around is to take it
        except NeedsValue as error:
            note_why("tf.switch_case", error)
    number = int(index)
    return functions[number]() if 0 <= number < len(functions) else otherwise()


def _numbered(branch_fns: Any) -> list[Callable[[], Any]]:
    """The branches in the order of their numbers."""
    where = "tf.switch_case"
    if isinstance(branch_fns, (list, tuple)) and branch_fns and all(callable(f) for f in branch_fns):
        return list(branch_fns)
    pairs = _pairs(where, "branch_fns", branch_fns)
    for number, function in pairs:
        if not isinstance(number, int):
            raise TypeError(f"{where} expected a Python int as the number of a branch; got {number!r}.")
        if not callable(function):
            raise TypeError(f"{where} expected callable branch_fns; got {function!r}.")
    numbers = sorted(number for number, _ in pairs)
    if numbers != list(range(len(pairs))):
        raise ValueError(
            f"{where} expected the numbers of branch_fns to form a contiguous range of [0 to {len(pairs)}); "
            f"got {numbers}. Number the branches 0, 1, 2 and so on; others go to default."
        )
    known = dict(pairs)
    return [known[number] for number in numbers]
