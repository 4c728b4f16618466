"""Moments and normalisation, of `tf.nn`: batch normalisation and its older relatives.

Half-precision inputs have their moments computed in float32, as in TensorFlow: a mean over
thousands of float16 numbers would lose most digits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import describe, invalid, read_ints, same_dtype
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.reduction import read_axes
from tapeflow.ops.math.stable_math import variance

lax = jax.lax
Axes = tuple[int, ...]


def _widened(x: jax.Array) -> jax.Array:
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def _without(x: jax.Array, axes: Axes, keepdims: bool) -> jax.Array:
    return x if keepdims else lax.squeeze(x, axes)


def _mean_and_variance(x: jax.Array, axes: Axes) -> tuple[Any, Any]:
    return jnp.mean(x, axes, keepdims=True), variance(x, axes)


@op(name="Moments")
def _moments(x: jax.Array, *, axes: Axes, keepdims: bool) -> Any:
    FLOATING.check("Moments", x=x)
    found = _mean_and_variance(_widened(x), axes)
    return tuple(_without(m, axes, keepdims).astype(x.dtype) for m in found)


@op(name="WeightedMoments")
def _weighted_moments(x: jax.Array, weights: jax.Array, *, axes: Axes, keepdims: bool) -> Any:
    FLOATING.check("WeightedMoments", x=x)
    y, weights = jnp.broadcast_arrays(_widened(x), _widened(weights))
    total = jnp.sum(weights, axes, keepdims=True)
    # Nothing at all weighs nothing: moments of 0, not NaN.
    share = jnp.where(total == 0, jnp.zeros((), y.dtype), weights / jnp.where(total == 0, 1, total))
    mean = jnp.sum(share * y, axes, keepdims=True)
    spread = jnp.sum(share * jnp.square(y - mean), axes, keepdims=True)
    return tuple(_without(m, axes, keepdims).astype(x.dtype) for m in (mean, spread))


@op(name="SufficientStatistics")
def _sufficient_statistics(x: jax.Array, shift: jax.Array, *, axes: Axes, keepdims: bool) -> Any:
    FLOATING.check("SufficientStatistics", x=x)
    centred = x - shift
    mean_ss = jnp.sum(centred, axes, keepdims=keepdims)
    return mean_ss, jnp.sum(jnp.square(centred), axes, keepdims=keepdims)


@op(name="NormalizeMoments")
def _normalize_moments(
    counts: jax.Array, mean_ss: jax.Array, variance_ss: jax.Array, shift: jax.Array
) -> Any:
    shifted_mean = mean_ss / counts
    return shifted_mean + shift, variance_ss / counts - jnp.square(shifted_mean)


@op(name="BatchNormalization", same_dtype=False)
def _batch_normalization(
    x: jax.Array,
    mean: jax.Array,
    spread: jax.Array,
    epsilon: jax.Array,
    *rest: jax.Array,
    has_offset: bool,
    has_scale: bool,
) -> jax.Array:
    factor = lax.rsqrt(spread + epsilon)
    if has_scale:
        factor = factor * rest[-1]
    shift = rest[0] - mean * factor if has_offset else -mean * factor
    return x * factor.astype(x.dtype) + shift.astype(x.dtype)


@op(name="FusedBatchNormV3", same_dtype=False)
def _fused_batch_norm(
    x: jax.Array,
    scale: jax.Array,
    offset: jax.Array,
    mean: jax.Array,
    spread: jax.Array,
    *,
    channel: int,
    options: tuple[Any, ...],
) -> tuple[jax.Array, jax.Array, jax.Array]:
    epsilon, is_training, factor = options
    across = tuple(a for a in range(x.ndim) if a != channel)
    vector = tuple(-1 if a == channel else 1 for a in range(x.ndim))
    y = _widened(x)
    if not is_training:
        scaling = lax.rsqrt(spread + epsilon) * scale
        moved = y * scaling.reshape(vector) + (offset - mean * scaling).reshape(vector)
        return moved.astype(x.dtype), mean, spread
    batch_mean, batch_spread = _mean_and_variance(y, across)
    scaling = lax.rsqrt(batch_spread + epsilon) * scale.reshape(vector)
    moved = (y - batch_mean) * scaling + offset.reshape(vector)
    count = math.prod(x.shape[a] for a in across)
    # What is kept for inference is the estimate for the population, hence count - 1.
    seen_mean = batch_mean.reshape(-1)
    seen_spread = batch_spread.reshape(-1) * (count / max(count - 1, 1))
    if factor != 1.0:
        seen_mean = (1 - factor) * mean + factor * seen_mean
        seen_spread = (1 - factor) * spread + factor * seen_spread
    return moved.astype(x.dtype), seen_mean, seen_spread


@op(name="LRN")
def _lrn(x: jax.Array, *, radius: int, bias: float, alpha: float, beta: float) -> Any:
    FLOATING.check("LRN", input=x)
    if x.ndim != 4:
        raise invalid(
            "tf.nn.local_response_normalization expected a 4-dimensional tensor: in must be "
            f"4-dimensional; got input of shape {list(x.shape)}."
        )
    wide = _widened(x)
    window = (1, 1, 1, 2 * radius + 1)
    padding = ((0, 0), (0, 0), (0, 0), (radius, radius))
    total = lax.reduce_window(
        jnp.square(wide), np.zeros((), wide.dtype), lax.add, window, (1, 1, 1, 1), padding
    )
    return (wide * (bias + alpha * total) ** -beta).astype(x.dtype)


def _read(x: Any, axes: Any, where: str) -> tuple[Tensor, Axes]:
    tensor = convert_to_tensor(x)
    if axes is not None:
        axes = read_ints(axes, where, "axes", scalar=True, error=TypeError)
    return tensor, read_axes(axes, len(tensor.spec.shape), where)


def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`.

    Args:
        x: a floating-point tensor.
        axes: the axes to take them over; all but the last for batch normalisation of images.
        shift: ignored, as in TensorFlow.
        keepdims: keep the reduced axes with length 1.
        name: ignored.
    """
    tensor, over = _read(x, axes, "tf.nn.moments")
    return _moments(tensor, axes=over, keepdims=bool(keepdims))


def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`, each element counted as often as its weight."""
    where = "tf.nn.weighted_moments"
    tensor, over = _read(x, axes, where)
    weights = cast(convert_to_tensor(frequency_weights, dtype_hint=tensor.spec.dtype), tensor.spec.dtype)
    return _weighted_moments(tensor, weights, axes=over, keepdims=bool(keepdims))


def sufficient_statistics(
    x: TensorLike, axes: Any, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """The statistics for `normalize_moments`: the count, the sum, the sum of squares, and the shift.

    A shift near the mean, subtracted first, saves digits.
    """
    tensor, over = _read(x, axes, "tf.nn.sufficient_statistics")
    dtype = tensor.spec.dtype
    count = math.prod(tensor.spec.shape[a] for a in over)
    shifted = None if shift is None else convert_to_tensor(shift, dtype=dtype)
    mean_ss, variance_ss = _sufficient_statistics(
        tensor, 0 if shifted is None else shifted, axes=over, keepdims=bool(keepdims)
    )
    return cast(convert_to_tensor(count), dtype), mean_ss, variance_ss, shifted


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and variance from `sufficient_statistics`, which may cover several batches."""
    sums = same_dtype("NormalizeMoments", mean_ss, variance_ss)
    return _normalize_moments(counts, *sums, 0 if shift is None else shift)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike,
    scale: Any,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, all broadcasting against `x`.

    Args:
        x: a floating-point tensor.
        mean: as from `tf.nn.moments`; may be float32 where `x` is of half precision.
        variance: of the dtype of `mean`, as are the next two.
        offset: what to add, often called beta; or None.
        scale: what to multiply by, often called gamma; or None.
        variance_epsilon: a small number that keeps the root from 0.
        name: ignored.
    """
    where = "tf.nn.batch_normalization"
    tensor = convert_to_tensor(x)
    extra = [v for v in (offset, scale) if v is not None]
    stats = same_dtype("BatchNormalization", mean, variance, variance_epsilon, *extra)
    for value in (tensor, stats[0]):
        if not value.spec.dtype.is_floating:
            raise invalid(
                f"{where} expected floating-point tensors; got x {describe(tensor)} and mean "
                f"{describe(stats[0])}. Use tf.cast."
            )
    return _batch_normalization(tensor, *stats, has_offset=offset is not None, has_scale=scale is not None)


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` under an older name; `gamma` is used only if asked."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation of images in one op, as in `tf.compat.v1.nn`.

    Args:
        x: a tensor of rank 4 or 5; of any floating dtype.
        scale: a float32 vector, one element a channel.
        offset: another.
        mean: the moving mean; needed for inference and for a factor other than 1.
        variance: the moving variance; likewise.
        epsilon: a small number that keeps the root from 0.
        data_format: the layout: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: normalise by the moments of this batch, not by those given.
        name: ignored.
        exponential_avg_factor: the weight of this batch in the moments returned.

    Returns:
        The result; the moments to keep, the variance being that of the population.
    """
    where = "tf.compat.v1.nn.fused_batch_norm"
    tensor = convert_to_tensor(x)
    shape = tensor.spec.shape
    if data_format not in ("NHWC", "NCHW", "NDHWC", "NCDHW") or len(shape) != len(data_format):
        raise invalid(
            f"{where} expected a tensor of rank 4 or 5 with data_format to match: input must be 4 "
            f"or 5-dimensional; got x {describe(tensor)} and data_format={data_format!r}."
        )
    needs_moments = not is_training or exponential_avg_factor != 1.0
    if needs_moments and (mean is None or variance is None):
        raise ValueError(
            f"{where} expected both mean and variance when is_training is False or "
            f"exponential_avg_factor is not 1; got mean={mean!r}, variance={variance!r}."
        )
    channel = 1 if data_format.startswith("NC") else len(shape) - 1
    given = [scale, offset, mean, variance] if needs_moments else [scale, offset]
    vectors = same_dtype("FusedBatchNormV3", *given)
    for vector in vectors:
        if vector.spec.shape != (shape[channel],):
            raise invalid(
                f"{where} expected one element a channel: scale, offset, mean and variance must "
                f"have the same number of elements as the channels of x, {shape[channel]}; got "
                f"{describe(vector)}."
            )
    if not needs_moments:
        vectors += vectors  # not looked at
    options = (float(epsilon), bool(is_training), float(exponential_avg_factor))
    return _fused_batch_norm(tensor, *vectors, channel=channel, options=options)


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each element divided by (bias + alpha * the sum of squares around it) ** beta.

    The sum runs over `depth_radius` channels to either side.
    """
    if depth_radius < 0:
        raise invalid(
            "tf.nn.local_response_normalization expected depth_radius of at least 0; got "
            f"depth_radius={depth_radius!r}."
        )
    return _lrn(input, radius=int(depth_radius), bias=float(bias), alpha=float(alpha), beta=float(beta))


lrn = local_response_normalization
