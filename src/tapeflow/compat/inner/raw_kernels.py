"""The ops of `tf.raw_ops` that are no public function."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.compat.inner.array_ops import prevent_gradient as prevent_gradient
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.data_dependent import unique_with_counts as _unique_with_counts
from tapeflow.ops.array.joining import split as _split
from tapeflow.ops.array.rearranging import tile
from tapeflow.ops.host_args import read_int, read_shape
from tapeflow.ops.image.transform import transform_op
from tapeflow.ops.math.arithmetic import maximum, rsqrt, sign
from tapeflow.ops.math.special import igamma_derivative, random_gamma_derivative
from tapeflow.ops.nn.norm.normalization import fused_batch_norm as _fused_batch_norm


class FusedBatchNorm(NamedTuple):
    """Normalised images and the moments to keep; the last two are the batch's, which gradients reuse."""

    y: Tensor
    batch_mean: Tensor
    batch_variance: Tensor
    reserve_space_1: Tensor
    reserve_space_2: Tensor


class FusedBatchNormV3(NamedTuple):
    """The same, with a third value that TensorFlow's kernels of other devices use."""

    y: Tensor
    batch_mean: Tensor
    batch_variance: Tensor
    reserve_space_1: Tensor
    reserve_space_2: Tensor
    reserve_space_3: Tensor


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> FusedBatchNorm:
    """Batch normalisation of images, and the moments after it."""
    given = {"mean": mean, "variance": variance}
    if is_training and exponential_avg_factor == 1.0:
        given = {}
    y, kept_mean, kept_variance = _fused_batch_norm(
        x,
        scale,
        offset,
        epsilon=epsilon,
        data_format=data_format,
        is_training=is_training,
        exponential_avg_factor=exponential_avg_factor,
        **given,
    )
    return FusedBatchNorm(y, kept_mean, kept_variance, kept_mean, kept_variance)


fused_batch_norm_v2 = fused_batch_norm


def fused_batch_norm_v3(**kwargs: Any) -> FusedBatchNormV3:
    """The same, with one more output."""
    found = fused_batch_norm(**kwargs)
    return FusedBatchNormV3(*found, convert_to_tensor(np.zeros(0, np.float32)))


class GradientAxes(NamedTuple):
    """The axes over which the gradients of two operands that broadcast are summed."""

    r0: Tensor
    r1: Tensor


def broadcast_gradient_args(s0: Any, s1: Any) -> GradientAxes:
    """The axes along which each of two shapes is repeated when they broadcast."""
    first, second = (convert_to_tensor(s) for s in (s0, s1))
    shapes = [tuple(int(n) for n in s.numpy()) for s in (first, second)]
    whole = np.broadcast_shapes(*shapes)
    found: list[Tensor] = []
    for shape in shapes:
        padded = (1,) * (len(whole) - len(shape)) + shape
        if shapes[0] == shapes[1]:
            axes: list[int] = []
        else:
            axes = [i for i, n in enumerate(padded) if n == 1]
        found.append(convert_to_tensor(np.array(axes, np.int32), first.dtype))
    return GradientAxes(*found)


def igamma_grad_a(a: Any, x: Any) -> Tensor:
    """The derivative of `tf.math.igamma(a, x)` by `a`."""
    return igamma_derivative(a, x)


def random_gamma_grad(alpha: Any, sample: Any) -> Tensor:
    """The derivative of a sample of the gamma distribution by its parameter."""
    return random_gamma_derivative(alpha, sample)


def resource_apply_gradient_descent(
    var: Variable, alpha: Any, delta: Any, use_locking: bool = False
) -> Variable:
    """One step of gradient descent, in place."""
    return var.assign_sub(convert_to_tensor(alpha, var.dtype) * convert_to_tensor(delta, var.dtype))


def resource_apply_keras_momentum(
    var: Variable,
    accum: Variable,
    lr: Any,
    grad: Any,
    momentum: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Variable:
    """One step of gradient descent with momentum, in place."""
    rate, share = (convert_to_tensor(value, var.dtype) for value in (lr, momentum))
    step = rate * convert_to_tensor(grad, var.dtype)
    velocity = accum.assign(accum * share - step)
    return var.assign_add(velocity * share - step if use_nesterov else velocity)


def resource_apply_proximal_adagrad(
    var: Variable, accum: Variable, lr: Any, l1: Any, l2: Any, grad: Any, use_locking: bool = False
) -> Variable:
    """One step of Adagrad, and then towards zero: by `l1` at most, and by the factor that `l2` gives."""
    gradient = convert_to_tensor(grad, var.dtype)
    first, second = (convert_to_tensor(value, var.dtype) for value in (l1, l2))
    rate = convert_to_tensor(lr, var.dtype) * rsqrt(accum.assign_add(gradient * gradient))
    moved = var - rate * gradient
    return var.assign(sign(moved) * maximum(abs(moved) - rate * first, 0) / (1 + rate * second))


def split(axis: Any, value: Any, num_split: int) -> list[Tensor]:
    """A tensor cut into equal pieces."""
    return _split(value, num_split, read_int(axis, "tf.raw_ops.Split", "axis"))


def split_v(value: Any, size_splits: Any, axis: Any, num_split: int) -> list[Tensor]:
    """A tensor cut into pieces of given sizes."""
    return _split(value, size_splits, read_int(axis, "tf.raw_ops.SplitV", "axis"))


class Uniques(NamedTuple):
    """The different rows, in the order in which they come first, and for each row which of them it is."""

    y: Tensor
    idx: Tensor


class CountedUniques(NamedTuple):
    """The same, and how often each comes."""

    y: Tensor
    idx: Tensor
    count: Tensor  # pyright: ignore[reportIncompatibleMethodOverride]


def unique_with_counts_v2(x: Any, axis: Any, out_idx: Any = np.int32) -> CountedUniques:
    """The different slices of a tensor along an axis. It reads the values, so functions with it run as plain Python."""
    tensor, axes = convert_to_tensor(x), convert_to_tensor(axis).numpy()
    if axes.size == 0 and tensor.ndim == 1:
        return CountedUniques(*_unique_with_counts(tensor, out_idx))
    place = int(axes[0]) if axes.size else 0
    rows, first, index, count = np.unique(
        tensor.numpy(), return_index=True, return_inverse=True, return_counts=True, axis=place
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return CountedUniques(
        convert_to_tensor(np.take(rows, order, place)),
        convert_to_tensor(rank[np.ravel(index)], out_idx),
        convert_to_tensor(count[order], out_idx),
    )


def unique_v2(x: Any, axis: Any, out_idx: Any = np.int32) -> Uniques:
    """The same without counts."""
    found = unique_with_counts_v2(x, axis, out_idx)
    return Uniques(found.y, found.idx)


def image_projective_transform_v3(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Tensor:
    """Images read through matrices `[a, b, c, d, e, f, g, h]`, one each or one for all; see `ops.image_transform`."""
    tensor, matrices = convert_to_tensor(images), convert_to_tensor(transforms, "float32")
    where = "tf.raw_ops.ImageProjectiveTransformV3"
    height, width = read_shape(output_shape, where, "output_shape")
    if matrices.shape[0] == 1 != tensor.shape[0]:
        matrices = tile(matrices, (tensor.shape[0], 1))
    return transform_op(
        tensor,
        matrices,
        interpolation=interpolation.lower(),
        fill_mode=fill_mode.lower(),
        fill_value=float(convert_to_tensor(fill_value)),
        size=(height, width),
    )
