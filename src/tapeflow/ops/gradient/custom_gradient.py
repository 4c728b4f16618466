"""`custom_gradient` and `recompute_grad`: functions that say how they are differentiated."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.differentiation.tape import TapeToken
from tapeflow.engine.recording.body import Body, Graph, checked_results, record_body
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import FOREIGN, NeedsValue, state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.shaping import stop_gradient
from tapeflow.ops.control.recorded_body import body_or_none, packed_results


@op(name="CustomGradient", same_dtype=False, follows=lambda statics: statics["results"] + statics["sources"])
def _custom_kernel(*inputs: jax.Array, graph: Graph, results: int, sources: int) -> tuple[jax.Array]:
    """The results as they are; backwards, what the user's gradient function records."""
    values, rest = inputs[:results], inputs[results:]
    args, captured = rest[:sources], rest[sources:]

    @jax.custom_vjp
    def forward(
        values: tuple[jax.Array], args: tuple[jax.Array], captured: tuple[jax.Array, ...]
    ) -> tuple[jax.Array]:
        del args, captured
        return values

    def remember(values: tuple[jax.Array], args: tuple[jax.Array], captured: tuple[jax.Array, ...]) -> Any:
        # `forward` once more: an outer tape that differentiates the result itself, and not the gradient
        # an inner tape has taken of it, must meet the user's rule as well.
        return forward(values, args, captured), (values, args, captured)

    def backward(kept: Any, upstream: tuple[jax.Array]) -> Any:
        values, args, captured = kept
        # Integers among the results have no derivative of their own, but the user's function takes one.
        given = [
            u if jnp.issubdtype(v.dtype, jnp.inexact) else jnp.zeros_like(v)
            for v, u in zip(values, upstream, strict=True)
        ]
        found = graph(jnp.zeros((), jnp.uint32), *given, *captured)
        gradients = [g.astype(a.dtype).reshape(a.shape) for g, a in zip(found, args, strict=False)]
        # The user's function is the whole derivative: nothing flows back into how the results came
        # about. What it captured matters only to higher orders, which differentiate `backward`.
        return None, tuple(gradients), None

    forward.defvjp(remember, backward)
    return forward(tuple(values), tuple(args), tuple(captured))


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Let a function define its own gradient.

    `f(*x)` returns `(y, grad_fn)`; `grad_fn(*dy)` returns one gradient for each `x`, or `None` where there
    is none. When `f` reads Variables, `grad_fn(*dy, variables=...)` returns
    `(gradients, variable_gradients)`. It is recorded when `f` is called, so it must be made of tf ops.

    >>> @tf.custom_gradient
    ... def halved(x):
    ...     return x * 1.0, lambda dy: dy * 0.5
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = halved(x)
    >>> float(tape.gradient(y, x))
    0.5
    """
    return custom_gradient if f is None else _WithGradient(f)


class _WithGradient:
    """A function with a gradient of its own. As a method it does not take `self` for an argument."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"tf.custom_gradient expected a function; got f={function!r}.")
        functools.update_wrapper(self, function)
        self._function = function

    def __get__(self, instance: object, owner: type | None = None) -> _WithGradient:
        bind = getattr(self._function, "__get__", None)
        return self if instance is None or bind is None else _WithGradient(bind(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        watcher = TapeToken(watches_all=True)
        outer, state.tapes = state.tapes, (*state.tapes, watcher)
        try:
            returned = self._function(*args, **kwargs)
        finally:
            state.tapes = outer
            watcher.release()
        if not isinstance(returned, (tuple, list)) or len(returned) != 2 or not callable(returned[1]):
            raise TypeError(
                "tf.custom_gradient expected a function that returns (result, grad_fn); got "
                f"{type(returned).__name__}. Return the result and a function of its gradients."
            )
        result = nest.map_structure(convert_to_tensor, returned[0])
        # A JAX transformation around (an export, a user's own) may differentiate without a tape.
        if not outer and all(t._node.trace is not FOREIGN for t in nest.flatten(result)):
            return result
        inputs = nest.flatten(args)
        passed = {id(x) for x in (*inputs, *nest.flatten(kwargs))}
        variables = [
            v
            for v in watcher.variables.values()
            if id(v) not in passed and any(t.is_watching(v) for t in outer)
        ]
        return _attach(result, returned[1], inputs, variables)


def _attach(
    result: Tensor, gradient_fn: Callable[..., Any], inputs: list[Any], variables: list[Variable]
) -> Tensor:
    """The result again, as what tapes find instead of how it came about."""
    sources = [convert_to_tensor(x) for x in inputs]
    sources += [tensor_of(v._as_node()) for v in variables]
    # Constants to every tape; from here on a derivative can only take the way the user says.
    flat = [stop_gradient(t) for t in nest.flatten(result)]

    def gradients(*upstream: Tensor) -> list[Any]:
        found = _gradients(gradient_fn, upstream, len(inputs), variables)
        for gradient, source in zip(found, sources, strict=True):
            _check_size(gradient, source)
        # A source without a gradient stays out of the op, so that no tape gets to it.
        return [g if s.spec.is_differentiable else None for g, s in zip(found, sources, strict=True)]

    body = _recorded_gradient(gradients, [t.spec for t in flat])
    given = [s for s, g in zip(sources, body.structure, strict=True) if g is not None]
    if not given:
        return nest.pack_sequence_as(result, flat)
    results = _custom_kernel(
        *flat, *given, *body.captured, graph=body.graph, results=len(flat), sources=len(given)
    )
    return nest.pack_sequence_as(result, list(results))


def _recorded_gradient(gradients: Callable[..., Any], specs: list[Spec]) -> Body:
    try:
        return record_body(gradients, *specs)
    except NeedsValue:
        raise ValueError(
            "tf.custom_gradient expected a grad_fn that consists of tf ops; it reads the value of a gradient, writes "
            "a Variable or prints. Use tf.where and tf.cond in it, and look at gradients after the tape."
        ) from None


def _gradients(
    gradient_fn: Callable[..., Any], upstream: tuple[Tensor, ...], count: int, variables: list[Variable]
) -> list[Any]:
    """What the user's function gives: `count` gradients, then those of the Variables."""
    if not variables:
        return _listed(gradient_fn(*upstream), count, "inputs")
    if not _takes_variables(gradient_fn):
        raise TypeError(
            "tf.custom_gradient expected grad_fn to accept keyword argument 'variables', since the function "
            f"reads the Variables {[v.name for v in variables]}; it does not. Write "
            "grad_fn(*dy, variables=None) and return (gradients, variable_gradients)."
        )
    returned = gradient_fn(*upstream, variables=variables)
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise TypeError(
            "tf.custom_gradient expected grad_fn(..., variables=...) to return (gradients, "
            f"variable_gradients); got {type(returned).__name__}. Return a gradient for each Variable too."
        )
    found, for_variables = returned
    return [*_listed(found, count, "inputs"), *_listed(for_variables, len(variables), "Variables")]


def _takes_variables(gradient_fn: Any) -> bool:
    parameters = inspect.signature(gradient_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _listed(value: object, count: int, what: str) -> list[Any]:
    found = [None if g is None else convert_to_tensor(g) for g in nest.flatten(value)]
    if len(found) != count:
        raise ValueError(
            f"tf.custom_gradient expected grad_fn to return {count} gradients, one for each of its {what}; "
            f"got {len(found)}. Return None where there is no gradient."
        )
    return found


def _check_size(gradient: Tensor | None, source: Tensor) -> None:
    if gradient is not None and math.prod(gradient.spec.shape) != math.prod(source.spec.shape):
        raise ValueError(
            f"tf.custom_gradient expected a gradient of its input's shape {source.shape}; got shape "
            f"{gradient.shape}. Sum over what was broadcast, or use tf.broadcast_to."
        )


@op(name="Recompute", same_dtype=False)
def _recompute_kernel(*inputs: jax.Array, graph: Graph) -> Any:
    def run(*leaves: Any) -> tuple[Any, ...]:
        return tuple(graph(jnp.zeros((), jnp.uint32), *leaves))

    return jax.checkpoint(run)(*inputs)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Compute `f` again when its gradient is needed, instead of keeping what it computed.

    A function that reads a value, writes a Variable or prints is run as it is, and keeps what it
    computes.
    """
    if not callable(f):
        raise TypeError(f"tf.recompute_grad expected a function; got f={f!r}.")

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        flat = nest.flatten(args)
        tensors = [a for a in flat if isinstance(a, Tensor)]

        def run(*given: Tensor) -> Any:
            rest = iter(given)
            replaced = [next(rest) if isinstance(a, Tensor) else a for a in flat]
            return f(*nest.pack_sequence_as(args, replaced), **kwargs)

        body = body_or_none(run, *[t.spec for t in tensors], inputs=tensors)
        if body is None or not body.graph.specs:
            return f(*args, **kwargs)
        results = _recompute_kernel(*tensors, *body.captured, graph=body.graph)
        return packed_results(body.structure, checked_results((body,), results))

    return decorated
