"""Running totals along an axis: sums, products, log-sum-exps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, NUMERIC, Domain
from tapeflow.ops.host_args import read_axis

lax = jax.lax


def _cumulative(name: str, domain: Domain, function: Callable[..., Any], start: float) -> Op:
    """The op of a running total; an exclusive one begins with `start`, the total of nothing."""

    def kernel(x: jax.Array, *, axis: int, exclusive: bool, reverse: bool) -> jax.Array:
        domain.check(name, x=x)
        if not exclusive or x.shape[axis] == 0:
            return function(x, axis, reverse)
        # Shifted after the scan, not before: infinities in `start` would meet the gradient as NaN.
        size = x.shape[axis]
        kept = lax.slice_in_dim(x, 1, size, axis=axis) if reverse else None
        kept = lax.slice_in_dim(x, 0, size - 1, axis=axis) if kept is None else kept
        padding = [(0, 0, 0)] * x.ndim
        padding[axis] = (0, 1, 0) if reverse else (1, 0, 0)
        return lax.pad(function(kept, axis, reverse), jnp.asarray(start, x.dtype), padding)

    kernel.__name__ = name
    return op(name=name)(kernel)


_cumsum = _cumulative("Cumsum", NUMERIC, lax.cumsum, 0)
_cumprod = _cumulative("Cumprod", NUMERIC, lax.cumprod, 1)
_cumulative_logsumexp = _cumulative("CumulativeLogsumexp", FLOATING, lax.cumlogsumexp, -jnp.inf)


def _run(scan: Op, where: str, x: TensorLike, axis: TensorLike, exclusive: bool, reverse: bool) -> Tensor:
    tensor = convert_to_tensor(x)
    axis = read_axis(axis, len(tensor.spec.shape), where)
    return scan(tensor, axis=axis, exclusive=bool(exclusive), reverse=bool(reverse))


def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along `axis`.

    Args:
        x: a tensor of numbers.
        axis: the axis to run along.
        exclusive: leave each element out of its own total, so that the first is 0.
        reverse: run from the end.
        name: ignored.
    """
    return _run(_cumsum, "tf.cumsum", x, axis, exclusive, reverse)


def cumprod(
    x: TensorLike,
    axis: int | Sequence[int] = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running products along `axis`; arguments as for `cumsum`. The gradient is right at zeros."""
    return _run(_cumprod, "tf.math.cumprod", x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) without overflow; arguments as for `cumsum`, with -inf for nothing."""
    return _run(_cumulative_logsumexp, "tf.math.cumulative_logsumexp", x, axis, exclusive, reverse)
