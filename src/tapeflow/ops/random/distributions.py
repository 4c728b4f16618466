"""`tf.random`: random tensors from the global state.

Each call draws a key from the engine's counters: `tf.random.set_seed` fixes them all, and `seed=`
chooses one of its own. The numbers are not TensorFlow's, their distributions are.
"""

from __future__ import annotations

from typing import Any

from tapeflow.engine.random import next_key
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_shape
from tapeflow.ops.random.draw import (
    draw_categorical,
    draw_gamma,
    draw_normal,
    draw_poisson,
    draw_truncated,
    draw_uniform,
    shuffled,
)


def normal(
    shape: TensorLike | None,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers of the given mean and standard deviation, which broadcast with `shape`."""
    return draw_normal("tf.random.normal", lambda: next_key(seed), shape, mean, stddev, dtype)


def truncated_normal(
    shape: ShapeLike | Tensor,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers, drawn again while they are more than two standard deviations away."""
    where = "tf.random.truncated_normal"
    return draw_truncated(where, lambda: next_key(seed), shape, mean, stddev, dtype)


def uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers in `[minval, maxval)`; maxval is 1 for floats and must be given for integers."""
    where = "tf.random.uniform"
    minval = 0 if minval is None else minval
    return draw_uniform(where, lambda: next_key(seed), shape, minval, maxval, dtype)


def gamma(
    shape: ShapeLike | Tensor,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers: a draw of `shape` for each pair of shape parameter `alpha` and rate `beta`.

    The result has the shape `shape + alpha.shape`, and gradients go to both parameters.
    """
    where = "tf.random.gamma"
    prefix = read_shape(shape, where, scalar=True)
    return draw_gamma(where, lambda: next_key(seed), None, prefix, alpha, beta, dtype)


def poisson(
    shape: ShapeLike | Tensor,
    lam: TensorLike,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Poisson counts: a draw of `shape` for each mean in `lam`, of shape `shape + lam.shape`."""
    where = "tf.random.poisson"
    prefix = read_shape(shape, where, scalar=True)
    return draw_poisson(where, lambda: next_key(seed), None, prefix, lam, dtype)


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`num_samples` class numbers for each row of `logits`, unscaled log-probabilities."""
    where = "tf.random.categorical"
    return draw_categorical(where, lambda: next_key(seed), logits, num_samples, dtype)


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with the rows of its first axis in a random order; it has no gradient."""
    return shuffled(next_key(seed), value)
