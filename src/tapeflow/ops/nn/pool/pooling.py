"""Max and average pooling of `tf.nn`, over one, two or three spatial axes, channels first or last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.domains import FLOATING, REAL
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.nn.pool import kernel as pool_kernel
from tapeflow.ops.nn.window import Paddings, Sizes, Window
from tapeflow.ops.nn.window_args import Layout, make_window, read_layout, read_padding, read_sizes


@op(name="MaxPool")
def max_pool_op(
    x: jax.Array,
    *,
    layout: Layout,
    size: Sizes,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> jax.Array:
    """The largest value in each window; among equals the first one gets the gradient."""
    REAL.check(layout.where, input=x)
    return _slide(pool_kernel.pool_max, x, layout, size, strides, padding, dilations)


@op(name="AvgPool")
def avg_pool_op(
    x: jax.Array,
    *,
    layout: Layout,
    size: Sizes,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> Any:
    """The mean of each window; cells of padding are not counted."""
    FLOATING.check(layout.where, input=x)
    return _slide(pool_kernel.pool_mean, x, layout, size, strides, padding, dilations)


def _slide(
    function: Callable[[Window, Any], Any],
    x: jax.Array,
    layout: Layout,
    size: Sizes,
    strides: Sizes,
    padding: str | Paddings,
    dilations: Sizes,
) -> jax.Array:
    if x.ndim != layout.rank:
        raise invalid(
            f"{layout.where} expected input of rank {layout.rank}: it must have {layout.spatial} "
            f"spatial dimensions; got input of shape {list(x.shape)}. Its axes are those of "
            f"{layout.data_format}."
        )
    if layout.is_channels_first:
        x = jnp.moveaxis(x, 1, -1)
    y = function(make_window(x.shape[1:-1], size, strides, padding, dilations), x)
    return jnp.moveaxis(y, -1, 1) if layout.is_channels_first else y


def _pool(
    pool_op: Op,
    input: Any,
    layout: Layout,
    ksize: Any,
    strides: Any,
    padding: Any,
    dilations: Sizes | None = None,
    size_name: str = "ksize",
) -> Tensor:
    if pool_op is max_pool_op and _is_over_channels(ksize, strides, layout):
        return _pool_channels(convert_to_tensor(input), ksize[-1], layout)
    size = read_sizes(ksize, layout, size_name)
    steps = read_sizes(strides, layout, "strides")
    cells = read_padding(padding, layout, allow_explicit=pool_op is max_pool_op)
    if not isinstance(cells, str) and any(max(pair) >= n for pair, n in zip(cells, size, strict=True)):
        raise invalid(
            f"{layout.where} expected padding smaller than the window; got padding={padding!r} for "
            f"a window of {list(size)}. A window of nothing but padding has no maximum."
        )
    return pool_op(
        input,
        layout=layout,
        size=size,
        strides=steps,
        padding=cells,
        dilations=dilations or (1,) * layout.spatial,
    )


def _is_over_channels(ksize: Any, strides: Any, layout: Layout) -> bool:
    """Whether windows lie side by side along the channels alone, the last axis."""
    if (
        layout.is_channels_first
        or not isinstance(ksize, (list, tuple))
        or not isinstance(strides, (list, tuple))
    ):
        return False
    alone = [1] * (layout.rank - 1)
    return [*ksize[:-1]] == [*strides[:-1]] == alone and ksize[-1] == strides[-1] != 1


def _pool_channels(x: Tensor, count: int, layout: Layout) -> Tensor:
    *outer, channels = x.spec.shape
    if channels % count:
        raise errors.UnimplementedError(
            None,
            None,
            f"{layout.where} expected a window over channels to evenly divide their number; got a window of {count} "
            f"for {channels} channels.",
        )
    pooled = max_pool1d(reshape(x, [-1, channels, 1]), count, count, "VALID")
    return reshape(pooled, [*outer, channels // count])


def max_pool2d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value in each window of an image.

    Args:
        input: rank 4, of any real dtype.
        ksize: the size of the window; an int, or a list of 1, 2 or 4.
        strides: the stride; an int, or a list of 1, 2 or 4.
        padding: `"SAME"`, `"VALID"`, or a pair of counts for each of the four axes.
        data_format: `"NHWC"` or `"NCHW"`.
        name: ignored.

    >>> tf.nn.max_pool2d(tf.reshape(tf.range(16), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0]
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[ 5,  7],
           [13, 15]], dtype=int32)>
    """
    del name
    layout = read_layout(data_format, 2, "tf.nn.max_pool2d")
    return _pool(max_pool_op, input, layout, ksize, strides, padding)


def max_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest value in each window of a sequence; `ksize` and `strides` are ints or lists."""
    del name
    layout = read_layout(data_format, 1, "tf.nn.max_pool1d", error=ValueError)
    return _pool(max_pool_op, input, layout, ksize, strides, padding)


def max_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value in each window of a volume; `ksize` and `strides` are ints or lists."""
    del name
    layout = read_layout(data_format, 3, "tf.nn.max_pool3d")
    return _pool(max_pool_op, input, layout, ksize, strides, padding)


def avg_pool2d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of an image; with `"SAME"`, padding is not counted.

    Args:
        input: rank 4, of a floating dtype.
        ksize: the size of the window; an int, or a list of 1, 2 or 4.
        strides: the stride; an int, or a list of 1, 2 or 4.
        padding: `"SAME"` or `"VALID"`.
        data_format: `"NHWC"` or `"NCHW"`.
        name: ignored.

    >>> tf.nn.avg_pool2d(tf.ones([1, 3, 3, 1]), 2, 2, "SAME")[0, :, :, 0]
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[1., 1.],
           [1., 1.]], dtype=float32)>
    """
    del name
    layout = read_layout(data_format, 2, "tf.nn.avg_pool2d")
    return _pool(avg_pool_op, input, layout, ksize, strides, padding)


def avg_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence; `ksize` and `strides` are ints or lists."""
    del name
    layout = read_layout(data_format, 1, "tf.nn.avg_pool1d", error=ValueError)
    return _pool(avg_pool_op, input, layout, ksize, strides, padding)


def avg_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a volume; `ksize` and `strides` are ints or lists."""
    del name
    layout = read_layout(data_format, 3, "tf.nn.avg_pool3d")
    return _pool(avg_pool_op, input, layout, ksize, strides, padding)


def max_pool(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, by the rank of `input`."""
    del name
    tensor, layout = _by_rank(input, data_format, "tf.nn.max_pool")
    return _pool(max_pool_op, tensor, layout, ksize, strides, padding)


def avg_pool(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, by the rank of `input`."""
    del name
    tensor, layout = _by_rank(input, data_format, "tf.nn.avg_pool")
    return _pool(avg_pool_op, tensor, layout, ksize, strides, padding)


def _by_rank(input: Any, data_format: Any, where: str) -> tuple[Tensor, Layout]:
    tensor = convert_to_tensor(input)
    if not 3 <= tensor.ndim <= 5:
        raise ValueError(
            f"{where} expected input of rank 3, 4 or 5; got input {describe(tensor)}. Its axes are "
            "a batch, one to three spatial ones, and the channels."
        )
    return tensor, read_layout(data_format, tensor.ndim - 2, where)


def pool(
    input: TensorLike,
    window_shape: int | Sequence[int],
    pooling_type: str,
    strides: int | Sequence[int] | None = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Pooling with the window named by its shape, and `dilations` between the cells it sees.

    Args:
        input: a batch, one to three spatial axes, and channels.
        window_shape: the size of the window, one int a spatial axis.
        pooling_type: `"MAX"` or `"AVG"`.
        strides: the stride; 1 by default. Dilated windows have stride 1.
        padding: `"VALID"`, or `"SAME"` for windows that are not dilated.
        data_format: channels last by default.
        dilations: the distance between two cells of the window; 1 by default.
        name: ignored.
    """
    del name
    where = "tf.nn.pool"
    tensor, layout = _by_rank(input, data_format, where)
    pool_op = {"MAX": max_pool_op, "AVG": avg_pool_op}.get(pooling_type)
    if pool_op is None:
        raise ValueError(
            f"{where} expected pooling_type to be 'MAX' or 'AVG'; got pooling_type={pooling_type!r}. "
            "For a sum, multiply the average by the size of the window."
        )
    spacing = read_sizes(1 if dilations is None else dilations, layout, "dilations")
    steps = read_sizes(1 if strides is None else strides, layout, "strides")
    if max(spacing) > 1 and (max(steps) > 1 or padding != "VALID"):
        raise ValueError(
            f"{where} expected strides of 1 and padding 'VALID' with dilations of more than 1; got "
            f"strides={strides!r}, padding={padding!r} and dilations={dilations!r}. Pad the input "
            "with tf.pad, or slice the result."
        )
    return _pool(pool_op, tensor, layout, window_shape, steps, padding, spacing, "window_shape")
