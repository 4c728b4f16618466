"""Ordering of ops as TensorFlow's graphs need it, and what is left of that here: nothing to do.

Ops and assignments take effect in the order of the program, in eager code and in functions.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from tapeflow.engine.differentiation.recorded_gradients import recorded_gradients
from tapeflow.engine.differentiation.tape import UnconnectedGradients
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.creation import zeros_like
from tapeflow.ops.gradient.custom_gradient import custom_gradient


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run what is inside after `control_inputs`, which it does anyway.

    Args:
        control_inputs: tensors or ops to wait for; functions among them are called, as in TensorFlow.
    """
    given = control_inputs if isinstance(control_inputs, (list, builtins.tuple)) else [control_inputs]
    for value in given:
        if callable(value):
            value()
    yield


def tuple(tensors: TensorLike, control_inputs: object = None, name: str | None = None) -> list[Tensor | None]:
    """The tensors, all computed before any of them is used."""
    if not isinstance(tensors, (list, builtins.tuple)) or all(t is None for t in tensors):
        raise TypeError(
            f"tf.tuple expected a list with at least one tensor; got tensors={tensors!r}. Pass a list."
        )
    return [None if t is None else convert_to_tensor(t) for t in tensors]


def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLike | None = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Sequence[Tensor] | None = None,
    unconnected_gradients: str = "none",
) -> list[Tensor | None]:
    """The derivatives of the sum of `ys` by each of `xs`, in a `tf.function`; eager code needs a tape.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x**2, x)
    >>> [float(g) for g in slope(tf.constant(3.0))]
    [6.0]
    """
    if state.recording is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    targets, sources = [convert_to_tensor(y) for y in nest.flatten(ys)], nest.flatten(xs)
    wrong = [x for x in sources if not isinstance(x, TensorBase)]
    if wrong:
        raise TypeError(f"tf.gradients expected xs to be tensors or Variables; got {wrong[0]!r} among them.")
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    if len(given) != len(targets):
        raise ValueError(
            f"tf.gradients expected grad_ys for each of {len(targets)} ys; got {len(given)}. Give one for each."
        )
    seeds = [None if g is None else convert_to_tensor(g) for g in given]
    constants = [] if stop_gradients is None else nest.flatten(stop_gradients)
    found = recorded_gradients(targets, sources, seeds, constants)
    if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.NONE:
        return found
    return [zeros_like(x) if g is None else g for g, x in zip(found, sources, strict=True)]


def hessians(
    ys: object,
    xs: object,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> NoReturn:
    """Not there, as in TensorFlow 2's eager mode: raises, naming `tf.GradientTape`."""
    raise RuntimeError(
        "tf.hessians is not supported when eager execution is enabled. Use nested tf.GradientTapes and "
        "tape.jacobian instead."
    )


def no_gradient(op_type: str) -> None:
    """For scripts that name it: TapeFlow's ops know themselves whether they have a gradient.

    Use `tf.stop_gradient` to leave a value out of a gradient.
    """
    if not isinstance(op_type, str):
        raise TypeError(
            f"tf.no_gradient expected op_type to be a string: op_type must be a string; got {op_type!r}."
        )


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, differentiated as if it were the identity."""

    @custom_gradient
    def passing(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Tensor, **variables: Any) -> Any:
            names = variables.get("variables")
            through = upstream[0] if len(upstream) == 1 else upstream
            return through if names is None else (through, [None] * len(names))

        return f(*args, **kwargs), grad

    return passing
