"""`tf.keras.ops` that call functions: conditions, loops, and functions of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.ops.conversion import tensor


def cond(pred: TensorLike, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What one of two functions gives."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    return tf.cond(tensor(pred), true_fn, false_fn)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """What one of several functions gives for operands."""
    return tf.switch_case(tensor(index), [lambda branch=branch: branch(*operands) for branch in branches])


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """Values made anew as long as a condition holds."""
    is_several = isinstance(loop_vars, (tuple, list))
    given = tuple(loop_vars) if is_several else (loop_vars,)

    def turn(*values: Tensor) -> tuple[Tensor, ...]:
        found = body(*values)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    start = tf.nest.map_structure(tensor, given)
    found = tf.while_loop(cond, turn, start, maximum_iterations=maximum_iterations)
    return type(loop_vars)(found) if is_several else found[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Tensor:
    """A value made anew for each number from `lower` up to `upper`."""
    found = tf.while_loop(
        lambda i, value: i < upper,
        lambda i, value: (i + 1, body_fun(i, value)),
        (tensor(lower), tf.nest.map_structure(tensor, init_val)),
    )
    return found[1]


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: TensorLike | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> Any:
    """A state carried along the rows, and what each step gives: `f(carry, x)` returns both."""
    count = (length or 0) if xs is None else _rows(xs)
    carry, given = init, []
    for i in reversed(range(count)) if reverse else range(count):
        x = None if xs is None else tf.nest.map_structure(lambda whole, i=i: tensor(whole)[i], xs)
        carry, y = f(carry, x)
        given.append(y)
    if not given or given[0] is None:
        return carry, None
    if reverse:
        given.reverse()
    return carry, tf.nest.map_structure(lambda *parts: tf.stack(parts), *given)


def associative_scan(f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """What a function of two elements makes of all up to each one along an axis, or from each one on."""
    leaves = [tf.unstack(tensor(leaf), axis=axis) for leaf in tf.nest.flatten(elems)]
    rows = [tf.nest.pack_sequence_as(elems, list(row)) for row in zip(*leaves, strict=True)]
    if reverse:
        rows.reverse()
    found = rows[:1]
    for row in rows[1:]:
        found.append(f(found[-1], row))
    if reverse:
        found.reverse()
    return tf.nest.map_structure(lambda *parts: tf.stack(parts, axis=axis), *found)


def map(f: Callable[[Any], Any], xs: TensorLike) -> Tensor:
    """What a function gives for each row."""
    parts = [tf.nest.map_structure(lambda x, i=i: tensor(x)[i], xs) for i in range(_rows(xs))]
    return tf.nest.map_structure(lambda *rows: tf.stack(rows), *[f(part) for part in parts])


def _rows(xs: TensorLike) -> int:
    return tensor(tf.nest.flatten(xs)[0]).shape[0]


def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """What a function gives for each row, worked out together."""
    return tf.vectorized_map(function, tf.nest.map_structure(tensor, elements))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a gradient of its own: it returns its result and the function for that."""
    return tf.custom_gradient(f)
