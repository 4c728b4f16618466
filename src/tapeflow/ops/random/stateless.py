"""`tf.random.stateless_*`: random tensors decided by a seed of two integers, and nothing else.

The same seed gives the same numbers, in any order of calls and in any process.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.random import stateless_key
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32, int32, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import range as range_
from tapeflow.ops.array.indexing import gather
from tapeflow.ops.array.joining import stack
from tapeflow.ops.host_args import read_int, read_shape
from tapeflow.ops.math.casting import cast
from tapeflow.ops.random.draw import (
    Key,
    draw_binomial,
    draw_bounded,
    draw_categorical,
    draw_full_int,
    draw_gamma,
    draw_normal,
    draw_poisson,
    draw_truncated,
    draw_uniform,
    shuffled,
)


class Algorithm(enum.Enum):
    """TensorFlow's names of generators. Here every one of them means Threefry."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = tuple(member.name.lower() for member in Algorithm)


def read_algorithm(where: str, alg: TensorLike) -> None:
    """Raise unless `alg` is an `Algorithm`, or its name or number."""
    if not (isinstance(alg, Algorithm) or alg in (1, 2, 3) or alg in _NAMES):
        raise ValueError(
            f"{where} expected alg to be one of {', '.join(_NAMES)}: unsupported value; got alg={alg!r}."
        )


def _stateless(where: str, seed: TensorLike, alg: str = "auto_select") -> Key:
    read_algorithm(where, alg)
    return lambda: stateless_key(seed)


def split(seed: TensorLike, num: TensorLike = 2, alg: str = "auto_select") -> Tensor:
    """Derive `num` new seeds from one, as a tensor of shape [num, 2] with the dtype of `seed`."""
    where = "tf.random.split"
    tensor = convert_to_tensor(seed)
    shape = (read_int(num, where, "num"), 2)
    return draw_full_int(where, _stateless(where, tensor, alg), shape, tensor.dtype)


def fold_in(seed: TensorLike, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """The seed that `seed` and an integer determine, such as the number of a step."""
    where = "tf.random.fold_in"
    tensor = convert_to_tensor(seed)
    drawn = draw_full_int(where, _stateless(where, tensor, alg), (1,), tensor.dtype)
    return stack([drawn[0], cast(convert_to_tensor(data), tensor.dtype)])


def stateless_normal(
    shape: Any,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """`normal`, decided by `seed`, two integers, alone."""
    where = "tf.random.stateless_normal"
    return draw_normal(where, _stateless(where, seed, alg), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """`truncated_normal`, decided by `seed`, two integers, alone."""
    where = "tf.random.stateless_truncated_normal"
    return draw_truncated(where, _stateless(where, seed, alg), shape, mean, stddev, dtype)


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers drawn again while they are outside of `[minvals, maxvals]`."""
    where = "tf.random.stateless_parameterized_truncated_normal"
    return draw_bounded(where, _stateless(where, seed), shape, means, stddevs, minvals, maxvals)


def stateless_uniform(
    shape: Any,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """`uniform`, decided by `seed`, two integers, alone.

    With `minval=None` and `maxval=None` integers come from the whole range of their dtype.
    """
    where = "tf.random.stateless_uniform"
    return draw_uniform(where, _stateless(where, seed, alg), shape, minval, maxval, dtype)


def stateless_categorical(
    logits: TensorLike, num_samples: int, seed: TensorLike, dtype: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """`categorical`, decided by `seed`, two integers, alone."""
    where = "tf.random.stateless_categorical"
    return draw_categorical(where, _stateless(where, seed), logits, num_samples, dtype)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers of `shape`, to which `alpha` and `beta` broadcast, decided by `seed` alone."""
    where = "tf.random.stateless_gamma"
    dims = read_shape(shape, where)
    return draw_gamma(where, _stateless(where, seed), dims, (), alpha, beta, dtype)


def stateless_poisson(
    shape: ShapeLike, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Poisson counts of `shape`, to which `lam` broadcasts, decided by `seed` alone."""
    where = "tf.random.stateless_poisson"
    dims = read_shape(shape, where)
    return draw_poisson(where, _stateless(where, seed), dims, (), lam, dtype)


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Draw from a binomial distribution with `counts` trials and probability `probs`, determined by `seed` alone."""
    where = "tf.random.stateless_binomial"
    return draw_binomial(where, _stateless(where, seed), shape, counts, probs, output_dtype)


def stateless_shuffle(
    value: jax.Array | np.ndarray, seed: TensorLike, alg: str = "auto_select", name: str | None = None
) -> Tensor:
    """`shuffle`, decided by `seed`, two integers, alone."""
    return shuffled(_stateless("tf.random.experimental.stateless_shuffle", seed, alg)(), value)


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: Any) -> Tensor:
    """The position of each index after the numbers from 0 to `max_index` are shuffled, determined by `seed` alone.

    Args:
        index: one index or several.
        seed: integers; the same give the same order. TensorFlow takes three, and so may be given.
        max_index: the largest index.
    """
    where = "tf.random.experimental.index_shuffle"
    given = convert_to_tensor(index)
    count = read_int(max_index, where, "max_index") + 1
    whole = convert_to_tensor(seed)
    order = shuffled(stateless_key(whole[:2]), range_(count, dtype=given.dtype))
    return gather(order, given)
