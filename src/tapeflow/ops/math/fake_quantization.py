"""Rounding to the numbers that integers of a few bits can stand for; gradients pass where nothing was cut off."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import invalid

MOST_BITS = 16


def _range(low: jax.Array, high: jax.Array, bits: int, is_narrow: bool) -> tuple[Any, Any, Any]:
    """The range moved so that 0 is one of its numbers, and the distance between two of them."""
    least, most = float(is_narrow), float((1 << bits) - 1)
    # The zero of a symmetric range lies in the middle of two numbers, so the last bit counts: XLA would multiply by the
    # inverse of a number that it knows.
    steps = jax.lax.optimization_barrier(jnp.full_like(low, most - least))
    step = (high - low) / steps
    zero = least - low / jnp.where(step == 0, 1, step)
    zero = jnp.clip(jnp.floor(zero + 0.5), least, most)
    return (least - zero) * step, (most - zero) * step, step


@partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _rounded(x: jax.Array, low: jax.Array, high: jax.Array, bits: int, is_narrow: bool) -> jax.Array:
    least, most, step = _range(low, high, bits, is_narrow)
    inverse = 1 / jnp.where(step == 0, 1, step)
    zero = jnp.floor(-least * inverse + 0.5)
    shifted = jnp.clip(x, least, most) - least
    return jnp.where(step == 0, 0, jnp.floor(shifted * inverse - zero + 0.5) * step)


def _forward(x: jax.Array, low: jax.Array, high: jax.Array, bits: int, is_narrow: bool) -> Any:
    return _rounded(x, low, high, bits, is_narrow), (x, low, high)


def _backward(
    bits: int, is_narrow: bool, kept: tuple[jax.Array, jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    x, low, high = kept
    least, most, step = _range(low, high, bits, is_narrow)
    is_empty = step == 0
    before = tuple(range(x.ndim - low.ndim))
    below, above = jnp.sum(gradient * (x < least), before), jnp.sum(gradient * (x > most), before)
    return (
        jnp.where(is_empty | ((x >= least) & (x <= most)), gradient, 0),
        jnp.where(is_empty, 0, below),
        jnp.where(is_empty, 0, above),
    )


_rounded.defvjp(_forward, _backward)


@op(name="FakeQuantWithMinMaxVars")
def _fake_quant(x: jax.Array, low: jax.Array, high: jax.Array, *, bits: int, is_narrow: bool) -> jax.Array:
    FLOATING.check("FakeQuantWithMinMaxVars", inputs=x, min=low, max=high)
    return _rounded(x, low, high, bits, is_narrow)


@op(name="FakeQuantWithMinMaxVarsPerChannel")
def _fake_quant_per_channel(
    x: jax.Array, low: jax.Array, high: jax.Array, *, bits: int, is_narrow: bool
) -> jax.Array:
    FLOATING.check("FakeQuantWithMinMaxVarsPerChannel", inputs=x, min=low, max=high)
    if not x.shape[-1:] == low.shape == high.shape:
        raise invalid(
            "FakeQuantWithMinMaxVarsPerChannel expected a minimum and a maximum for each channel; got inputs of shape "
            f"{list(x.shape)}, min of {list(low.shape)}, max of {list(high.shape)}. Make their last dimensions equal."
        )
    return _rounded(x, low, high, bits, is_narrow)


def fake_quant_with_min_max_args(
    inputs: jax.Array | np.ndarray,
    min: int = -6,
    max: int = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` rounded to the numbers that `num_bits` bits have between `min` and `max`, which are not trained."""
    return fake_quant_with_min_max_vars(inputs, float(min), float(max), num_bits, narrow_range)


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` rounded to the numbers that `num_bits` bits have between `min` and `max`.

    The range is moved so that 0 is one of the numbers. Gradients pass to `inputs` inside the range, to `min` and `max`
    from what was cut off there.

    >>> [round(float(x), 3) for x in fake_quant_with_min_max_vars([-1.0, 0.1, 0.6], 0.0, 1.0, num_bits=2)]
    [0.0, 0.0, 0.667]
    """
    _check_bits("tf.quantization.fake_quant_with_min_max_vars", num_bits)
    return _fake_quant(inputs, min, max, bits=int(num_bits), is_narrow=bool(narrow_range))


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The same with a `min` and a `max` for each channel, the last axis."""
    _check_bits("tf.quantization.fake_quant_with_min_max_vars_per_channel", num_bits)
    return _fake_quant_per_channel(inputs, min, max, bits=int(num_bits), is_narrow=bool(narrow_range))


def _check_bits(where: str, bits: int) -> None:
    if not 2 <= bits <= MOST_BITS:
        raise invalid(
            f"{where} expected 2 to {MOST_BITS} bits; got num_bits={bits!r}. Choose another number of bits."
        )
