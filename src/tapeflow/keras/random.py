"""`tf.keras.random`: Keras 3's random functions, whose `seed` says where their numbers come from.

An integer gives the same numbers at every call, a `SeedGenerator` others at each, and None those of the generator that
`tf.keras.utils.set_random_seed` resets.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.keras.layers.base.seed import SeedGenerator as SeedGenerator


def normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """Normal numbers.

    >>> one = tf.keras.random.normal((2,), seed=1)
    >>> bool(tf.reduce_all(one == tf.keras.random.normal((2,), seed=1)))
    True
    """
    return tf.random.stateless_normal(shape, _key(seed), mean, stddev, _floating(dtype))


def truncated_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """Normal numbers at most two standard deviations from the mean."""
    return tf.random.stateless_truncated_normal(shape, _key(seed), mean, stddev, _floating(dtype))


def uniform(
    shape: Any,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """Numbers spread evenly over `[minval, maxval)`."""
    return tf.random.stateless_uniform(shape, _key(seed), minval, maxval, _floating(dtype))


def randint(
    shape: ShapeLike,
    minval: int,
    maxval: int,
    dtype: DTypeLike = "int32",
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """Integers from `minval` to `maxval - 1`."""
    return tf.random.stateless_uniform(shape, _key(seed), minval, maxval, dtype)


def gamma(
    shape: ShapeLike, alpha: float, dtype: DTypeLike | None = None, seed: int | SeedGenerator | None = None
) -> tf.Tensor:
    """Numbers of the gamma distribution of shape `alpha`."""
    return tf.random.stateless_gamma(shape, _key(seed), alpha, dtype=_floating(dtype))


def beta(
    shape: ShapeLike,
    alpha: float,
    beta: float,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """Numbers of the beta distribution."""
    one, two = tf.unstack(tf.random.experimental.stateless_split(_key(seed), 2))
    wanted = _floating(dtype)
    left = tf.random.stateless_gamma(shape, one, tf.cast(alpha, wanted), dtype=wanted)
    right = tf.random.stateless_gamma(shape, two, tf.cast(beta, wanted), dtype=wanted)
    return left / (left + right)


def binomial(
    shape: ShapeLike,
    counts: TensorLike,
    probabilities: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """How many of `counts` tries succeed."""
    key = _key(seed)
    return tf.random.stateless_binomial(shape, key, counts, probabilities, output_dtype=_floating(dtype))


def categorical(
    logits: TensorLike, num_samples: int, dtype: DTypeLike = "int32", seed: int | SeedGenerator | None = None
) -> tf.Tensor:
    """For each row of logits, `num_samples` classes."""
    return tf.random.stateless_categorical(logits, num_samples, _key(seed), dtype)


def dropout(
    inputs: TensorLike,
    rate: float,
    noise_shape: ShapeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> tf.Tensor:
    """A share `rate` of the inputs set to 0, the others divided by 1 - rate."""
    inputs = tf.convert_to_tensor(inputs)
    keep = tf.random.stateless_uniform(noise_shape or inputs.shape, _key(seed)) >= rate
    return tf.where(keep, inputs / (1.0 - rate), tf.zeros((), inputs.dtype))


def shuffle(x: TensorLike, axis: int = 0, seed: int | SeedGenerator | None = None) -> tf.Tensor:
    """The parts of `x` along an axis, in random order."""
    x = tf.convert_to_tensor(x)
    order = tf.argsort(tf.random.stateless_uniform((x.shape[axis],), _key(seed)))
    return tf.gather(x, order, axis=axis)


def _key(seed: Any) -> Any:
    """The seed of a stateless op."""
    if seed is None:
        return SeedGenerator().next()
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if isinstance(seed, int) and not isinstance(seed, bool):
        return [seed, 0]
    raise ValueError(
        "tf.keras.random expected seed to be an integer, None or a SeedGenerator; got "
        f"seed={seed!r}. Argument `seed` must be either an integer or an instance of `SeedGenerator`."
    )


def _floating(dtype: Any) -> Any:
    return dtype or tf.keras.config.floatx()
