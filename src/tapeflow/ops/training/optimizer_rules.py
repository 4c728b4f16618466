"""How each optimizer moves one variable: `rule(g, w, slots, lr, step, ...) -> (w, slots)`.

`step` counts from 1 and, like `lr`, has the variable's dtype; hyperparameters are Python floats, so
that `1 - beta_2` is taken in double precision as Keras takes it. Where epsilon stands and how moments
are corrected is Keras's, which differs from the papers and from Optax.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp

lax = jax.lax
Slots = tuple[Any, ...]


class Rule(NamedTuple):
    """One optimizer's arithmetic.

    Attributes:
        update: moves one variable and its slots.
        advance: moves what all variables share (Nadam's running product), before any of them.
    """

    update: Callable[..., tuple[Any, Slots]]
    advance: Callable[..., Any] | None = None


def _sgd(
    g: jax.Array,
    w: jax.Array | np.ndarray,
    slots: Slots,
    lr: jax.Array | np.ndarray,
    step: object,
    *,
    momentum: float,
    nesterov: bool,
) -> Any:
    if not slots:  # without momentum there is nothing to remember
        return w - g * lr, ()
    m = -g * lr + slots[0] * momentum
    return w + (-g * lr + m * momentum if nesterov else m), (m,)


def _rmsprop(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: object,
    *,
    rho: float,
    momentum: float,
    epsilon: float,
    centered: bool,
    adds_to_root: bool = False,
) -> Any:
    velocity, *rest = slots
    velocity = rho * velocity + (1 - rho) * g * g
    averages = [rho * rest[-1] + (1 - rho) * g] if centered else []
    variance = velocity - averages[0] * averages[0] if centered else velocity
    if adds_to_root:
        increment = lr * g / (lax.sqrt(variance) + epsilon)
    else:
        increment = lr * g * lax.rsqrt(variance + epsilon)
    if momentum > 0:
        increment = momentum * rest[0] + increment
    kept = [increment] if momentum > 0 else []
    return w - increment, (velocity, *kept, *averages)


def _moments(g: jax.Array, m: jax.Array, v: jax.Array, beta_1: float, beta_2: float) -> tuple[Any, Any]:
    return m + (g - m) * (1 - beta_1), v + (g * g - v) * (1 - beta_2)


def _power(base: float, exponent: jax.Array) -> jax.Array:
    return jnp.power(jnp.asarray(base, exponent.dtype), exponent)


def _adam(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: jax.Array,
    *,
    beta_1: float,
    beta_2: float,
    epsilon: float,
    amsgrad: bool,
    adaptive_epsilon: bool = False,
) -> Any:
    m, v = _moments(g, slots[0], slots[1], beta_1, beta_2)
    correction = lax.sqrt(1 - _power(beta_2, step))
    alpha = lr * correction / (1 - _power(beta_1, step))
    new: Slots = (m, v)
    if amsgrad:
        v = jnp.maximum(slots[2], v)
        new = (*new, v)
    small = epsilon * correction if adaptive_epsilon else epsilon
    return w - (m * alpha) / (lax.sqrt(v) + small), new


def _adamax(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: jax.Array,
    *,
    beta_1: float,
    beta_2: float,
    epsilon: float,
) -> Any:
    m = slots[0] + (g - slots[0]) * (1 - beta_1)
    u = jnp.maximum(beta_2 * slots[1], jnp.abs(g))
    return w - (lr * m) / ((1 - _power(beta_1, step)) * (u + epsilon)), (m, u)


def _nadam_momentum(step: jax.Array, beta_1: float, pace: float) -> jax.Array:
    return beta_1 * (1 - 0.5 * _power(0.96**pace, step))


def _nadam_advance(
    product: jax.Array, step: jax.Array, *, beta_1: float, pace: float = 1.0, **_: Any
) -> jax.Array:
    return product * _nadam_momentum(step, beta_1, pace)


def _nadam(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: jax.Array,
    *,
    shared: jax.Array,
    beta_1: float,
    beta_2: float,
    epsilon: float,
    pace: float = 1.0,
) -> Any:
    m, v = _moments(g, slots[0], slots[1], beta_1, beta_2)
    now, following = _nadam_momentum(step, beta_1, pace), _nadam_momentum(step + 1, beta_1, pace)
    product = shared.astype(w.dtype)
    m_hat = following * m / (1 - product * following) + (1 - now) * g / (1 - product)
    v_hat = v / (1 - _power(beta_2, step))
    return w - (m_hat * lr) / (lax.sqrt(v_hat) + epsilon), (m, v)


def _adagrad(g: jax.Array, w: jax.Array, slots: Slots, lr: jax.Array, step: object, *, epsilon: float) -> Any:
    total = slots[0] + g * g
    return w - lr * g / lax.sqrt(total + epsilon), (total,)


def _adadelta(
    g: jax.Array, w: jax.Array, slots: Slots, lr: jax.Array, step: object, *, rho: float, epsilon: float
) -> Any:
    squares = rho * slots[0] + (1 - rho) * g * g
    delta = -lax.sqrt(slots[1] + epsilon) * g / lax.sqrt(squares + epsilon)
    return w + lr * delta, (squares, rho * slots[1] + (1 - rho) * delta * delta)


def _rms(x: jax.Array) -> jax.Array:
    return lax.sqrt(jnp.mean(x * x, dtype=x.dtype))


def _adafactor(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: jax.Array,
    *,
    beta_2_decay: float,
    epsilon_1: float,
    epsilon_2: float,
    clip_threshold: float,
    relative_step: bool,
) -> Any:
    if relative_step:
        lr = jnp.minimum(lr, lax.rsqrt(step))
    alpha = jnp.maximum(jnp.asarray(epsilon_2, w.dtype), _rms(w)) * jnp.minimum(lr, lax.rsqrt(step))
    squares = g * g + epsilon_1
    beta = 1 - jnp.power(step, jnp.asarray(beta_2_decay, w.dtype))
    if w.ndim >= 2:
        rows, columns, _ = slots
        rows = beta * rows + (1 - beta) * jnp.mean(squares, -1, dtype=w.dtype)
        columns = beta * columns + (1 - beta) * jnp.mean(squares, -2, dtype=w.dtype)
        scaled = rows / jnp.mean(rows, -1, keepdims=True, dtype=w.dtype)
        v = scaled[..., None] * columns[..., None, :]
        new: Slots = (rows, columns, v)
    else:
        v = beta * slots[0] + (1 - beta) * squares
        new = (v,)
    u = g * lax.rsqrt(v)
    u = u / jnp.maximum(jnp.ones((), w.dtype), _rms(u) / clip_threshold)
    return w - alpha * u, new


def _ftrl(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: object,
    *,
    learning_rate_power: float,
    l1: float,
    l2: float,
    l2_shrinkage: float,
    beta: float,
) -> Any:
    total, linear = slots
    l2_scaled = l2 + beta / (2 * lr)
    new_total = total + g * g
    power = jnp.asarray(-learning_rate_power, w.dtype)
    raised = jnp.power(new_total, power)
    linear = linear + (g + 2 * l2_shrinkage * w) - (raised - jnp.power(total, power)) / lr * w
    clipped = jnp.clip(linear, jnp.asarray(-l1, w.dtype), jnp.asarray(l1, w.dtype))
    return (clipped - linear) / (raised / lr + 2 * l2_scaled), (new_total, linear)


def _lion(
    g: jax.Array, w: jax.Array, slots: Slots, lr: jax.Array, step: object, *, beta_1: float, beta_2: float
) -> Any:
    m = slots[0]
    return w - lr * jnp.sign(m * beta_1 + g * (1 - beta_1)), (m * beta_2 + g * (1 - beta_2),)


def _lamb(
    g: jax.Array,
    w: jax.Array,
    slots: Slots,
    lr: jax.Array,
    step: jax.Array,
    *,
    beta_1: float,
    beta_2: float,
    epsilon: float,
) -> Any:
    m, v = _moments(g, slots[0], slots[1], beta_1, beta_2)
    update = (m / (1 - _power(beta_1, step))) / (lax.sqrt(v / (1 - _power(beta_2, step))) + epsilon)
    w_norm = lax.sqrt(jnp.sum(w * w, dtype=w.dtype))
    update_norm = lax.sqrt(jnp.sum(update * update, dtype=w.dtype))
    ratio = jnp.where((w_norm > 0) & (update_norm > 0), w_norm / update_norm, jnp.ones((), w.dtype))
    return w - ratio * lr * update, (m, v)


RULES: dict[str, Rule] = {
    "sgd": Rule(_sgd),
    "rmsprop": Rule(_rmsprop),
    "adam": Rule(_adam),
    "adamax": Rule(_adamax),
    "nadam": Rule(_nadam, _nadam_advance),
    "adagrad": Rule(_adagrad),
    "adadelta": Rule(_adadelta),
    "adafactor": Rule(_adafactor),
    "ftrl": Rule(_ftrl),
    "lion": Rule(_lion),
    "lamb": Rule(_lamb),
}
