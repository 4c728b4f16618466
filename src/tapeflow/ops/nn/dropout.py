"""Dropout: elements set to zero at random, and the others scaled up to keep the mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine import random
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import describe, invalid, read_int
from tapeflow.ops.random import kernel as random_kernel


@op(name="Dropout", same_dtype=False)
def _dropout(x: jax.Array, key: jax.Array, rate: jax.Array, *, noise_shape: tuple[int, ...]) -> jax.Array:
    words = random_kernel.bits(key, shape=noise_shape, dtype=jnp.uint32)
    # Compared as integers of 24 bits, all of which a float32 holds: no rounding of the rate.
    unit = (words >> jnp.uint32(8)).astype(jnp.float32) * jnp.float32(2.0**-24)
    is_kept = unit >= rate.astype(jnp.float32)
    return jnp.where(is_kept, x * (1 / (1 - rate)), jnp.zeros((), x.dtype))


def _apply(
    where: str, x: TensorLike, rate: float | TensorLike, noise_shape: ShapeLike, draw: Callable[..., Any]
) -> Tensor:
    tensor = convert_to_tensor(x)
    if not tensor.spec.dtype.is_floating:
        raise ValueError(
            f"{where} expected a floating-point tensor, as it will be scaled; got x "
            f"{describe(tensor)}. Use tf.cast."
        )
    scalar = _read_rate(where, rate, tensor)
    if scalar is None:
        return tensor
    shape = _read_noise_shape(where, noise_shape, tensor)
    return _dropout(tensor, draw(), scalar, noise_shape=shape)


def _read_rate(where: str, rate: Any, x: Tensor) -> Tensor | None:
    """The rate as a scalar of the dtype of `x`; None if nothing is to be dropped."""
    dtype = x.spec.dtype
    if isinstance(rate, TensorBase):
        scalar = convert_to_tensor(rate)
        if scalar.spec.shape or scalar.spec.dtype is not dtype:
            raise ValueError(
                f"{where} expected rate to be a scalar of the dtype of x, {dtype.name}; got rate "
                f"{describe(scalar)}. Use tf.cast or index it."
            )
        return scalar
    if not isinstance(rate, (int, float)) and getattr(rate, "shape", None) != ():
        raise ValueError(
            f"{where} expected rate to be a scalar or scalar tensor; got rate={rate!r}. "
            "Pass a number in [0, 1)."
        )
    if not 0 <= rate < 1:
        raise ValueError(
            f"{where} expected rate to be a scalar tensor or a float in the range [0, 1); got "
            f"rate={rate!r}. It is the share of elements that are dropped."
        )
    return convert_to_tensor(float(rate), dtype=dtype) if rate else None


def _read_noise_shape(where: str, noise_shape: Any, x: Tensor) -> tuple[int, ...]:
    shape = x.spec.shape
    if noise_shape is None:
        return shape
    given = list(
        convert_to_tensor(noise_shape).numpy() if isinstance(noise_shape, TensorBase) else noise_shape
    )
    start = len(shape) - len(given)
    if start < 0:
        _bad_noise_shape(where, noise_shape, x)
    dims = tuple(
        shape[start + i] if d is None else read_int(d, where, "noise_shape") for i, d in enumerate(given)
    )
    if any(d not in (1, mine) for d, mine in zip(dims, shape[start:], strict=True)):
        _bad_noise_shape(where, noise_shape, x)
    return dims


def _bad_noise_shape(where: str, noise_shape: ShapeLike, x: Tensor) -> None:
    raise invalid(
        f"{where} expected noise_shape to be broadcastable to the shape of x: each element 1, None "
        f"or the length of that axis; got noise_shape={noise_shape!r} for x {describe(x)}."
    )


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`x` with a share `rate` of its elements set to 0 and the others divided by 1 - rate.

    Args:
        x: a floating-point tensor.
        rate: a number in [0, 1), or a scalar tensor of the dtype of `x`.
        noise_shape: the shape of the random choice, which broadcasts to `x`: 1 drops a whole axis
            together, None stands for the length of the axis.
        seed: together with `tf.random.set_seed` decides which; see there.
        name: ignored.
    """
    return _apply("tf.nn.dropout", x, rate, noise_shape, lambda: random.next_key(seed))


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: object = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` that makes the same choice for the same `seed`, two integers."""
    where = "tf.nn.experimental.stateless_dropout"
    return _apply(where, x, rate, noise_shape, lambda: random.stateless_key(seed))


def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Any,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` that keeps an element where `uniform_sampler(shape, dtype)` gives at least `rate`."""
    where = "tf.nn.experimental.general_dropout"
    tensor = convert_to_tensor(x)
    scalar = _read_rate(where, rate, tensor)
    if scalar is None:
        return tensor
    drawn = uniform_sampler(shape=_read_noise_shape(where, noise_shape, tensor), dtype=tensor.dtype)
    return _kept(tensor, drawn, scalar)


@op(name="GeneralDropout")
def _kept(x: jax.Array, drawn: jax.Array, rate: jax.Array) -> Any:
    return jnp.where(drawn >= rate, x * (1 / (1 - rate)), jnp.zeros((), x.dtype))
