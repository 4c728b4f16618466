"""Learning-rate schedules, one op each: `rate` is what they start from, `step` how far training is.

All parameters are inputs, so they may be tensors; the result has the dtype of `rate`.
"""

from __future__ import annotations

import math
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op


def _cast(like: jax.Array, *values: jax.Array) -> list[Any]:
    return [v.astype(like.dtype) for v in values]


@op(name="ExponentialDecay", same_dtype=False, differentiable=False)
def exponential_decay(
    rate: jax.Array, step: jax.Array, decay_steps: jax.Array, decay_rate: jax.Array, *, staircase: bool
) -> jax.Array:
    """`rate * decay_rate ** (step / decay_steps)`."""
    step, decay_steps, decay_rate = _cast(rate, step, decay_steps, decay_rate)
    done = step / decay_steps
    return rate * jnp.power(decay_rate, jnp.floor(done) if staircase else done)


@op(name="InverseTimeDecay", same_dtype=False, differentiable=False)
def inverse_time_decay(
    rate: jax.Array, step: jax.Array, decay_steps: jax.Array, decay_rate: jax.Array, *, staircase: bool
) -> jax.Array:
    """`rate / (1 + decay_rate * step / decay_steps)`."""
    step, decay_steps, decay_rate = _cast(rate, step, decay_steps, decay_rate)
    done = step / decay_steps
    return rate / (1 + decay_rate * (jnp.floor(done) if staircase else done))


@op(name="PolynomialDecay", same_dtype=False, differentiable=False)
def polynomial_decay(
    rate: jax.Array, step: jax.Array, decay_steps: jax.Array, end: jax.Array, power: jax.Array, *, cycle: bool
) -> jax.Array:
    """From `rate` to `end` in `decay_steps`, then staying there or, with `cycle`, starting afresh."""
    step, decay_steps, end, power = _cast(rate, step, decay_steps, end, power)
    if cycle:
        rounds = jnp.where(step == 0, jnp.ones_like(step), jnp.ceil(step / decay_steps))
        decay_steps = decay_steps * rounds
    else:
        step = jnp.minimum(step, decay_steps)
    return (rate - end) * jnp.power(1 - step / decay_steps, power) + end


def _half_cosine(fraction: jax.Array) -> jax.Array:
    return 0.5 * (1 + jnp.cos(jnp.asarray(math.pi, fraction.dtype) * fraction))


@op(name="CosineDecay", same_dtype=False, differentiable=False)
def cosine_decay(rate: jax.Array, step: jax.Array, decay_steps: jax.Array, alpha: jax.Array) -> jax.Array:
    """Half a cosine from `rate` to `alpha * rate`."""
    step, decay_steps, alpha = _cast(rate, step, decay_steps, alpha)
    fraction = jnp.minimum(step, decay_steps) / decay_steps
    return rate * ((1 - alpha) * _half_cosine(fraction) + alpha)


@op(name="WarmupCosineDecay", same_dtype=False, differentiable=False)
def warmup_cosine_decay(
    rate: jax.Array,
    step: jax.Array,
    decay_steps: jax.Array,
    alpha: jax.Array,
    target: jax.Array,
    warmup_steps: jax.Array,
) -> jax.Array:
    """A line from `rate` to `target`, then half a cosine from there to `alpha * target`."""
    step, decay_steps, alpha, target, warmup_steps = _cast(
        rate, step, decay_steps, alpha, target, warmup_steps
    )
    rising = (target - rate) * (step / warmup_steps) + rate
    fraction = jnp.minimum(step - warmup_steps, decay_steps) / decay_steps
    falling = target * ((1 - alpha) * _half_cosine(fraction) + alpha)
    return jnp.where(step < warmup_steps, rising, falling)


@op(name="CosineDecayRestarts", same_dtype=False, differentiable=False)
def cosine_decay_restarts(
    rate: jax.Array,
    step: jax.Array,
    first_steps: jax.Array,
    t_mul: jax.Array,
    m_mul: jax.Array,
    alpha: jax.Array,
) -> jax.Array:
    """Half a cosine again and again, each `t_mul` times as long and `m_mul` times as high as the last."""
    step, first_steps, t_mul, m_mul, alpha = _cast(rate, step, first_steps, t_mul, m_mul, alpha)
    fraction = step / first_steps
    is_even = t_mul == 1
    growth = jnp.where(is_even, jnp.asarray(2, t_mul.dtype), t_mul)  # anything but 1: not looked at then
    round_number = jnp.floor(jnp.log(1 - fraction * (1 - growth)) / jnp.log(growth))
    length = jnp.power(growth, round_number)
    within = (fraction - (1 - length) / (1 - growth)) / length
    round_number = jnp.where(is_even, jnp.floor(fraction), round_number)
    within = jnp.where(is_even, fraction - jnp.floor(fraction), within)
    height = jnp.power(m_mul, round_number)
    return rate * ((1 - alpha) * height * _half_cosine(within) + alpha)


@op(name="PiecewiseConstantDecay", same_dtype=False, differentiable=False)
def piecewise_constant(values: jax.Array, step: jax.Array, boundaries: jax.Array) -> Any:
    """The value of the piece that `step` is in; a boundary belongs to the piece before it."""
    return values[jnp.sum(step > boundaries.astype(step.dtype), dtype=jnp.int32)]
