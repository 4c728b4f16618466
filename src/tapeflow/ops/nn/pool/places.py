"""Max pooling that also says where in the image each maximum was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.nn.pool.pooling import max_pool2d
from tapeflow.ops.nn.window import Paddings, Sizes
from tapeflow.ops.nn.window_args import make_window, read_layout, read_padding, read_sizes


class MaxPoolWithArgmax(NamedTuple):
    """What `max_pool_with_argmax` returns."""

    output: Tensor
    argmax: Tensor


@op(name="MaxPoolArgmax", differentiable=False)
def _places_op(
    x: jax.Array, *, size: Sizes, strides: Sizes, padding: str | Paddings, counts_batch: bool, dtype: DType
) -> Any:
    """The number of the pixel and channel of each maximum, counted through the image, or the batch."""
    batch, height, width, channels = x.shape
    window = make_window((height, width), size, strides, padding, (1, 1))
    rows, columns = (
        np.arange(n)[:, None] * step + np.arange(k) - low
        for n, step, k, (low, _) in zip(window.output, strides, size, window.padding, strict=True)
    )
    is_inside = ((rows >= 0) & (rows < height))[:, None, :, None] & ((columns >= 0) & (columns < width))[
        None, :, None
    ]
    safe_rows, safe_columns = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
    seen = x[:, safe_rows[:, None, :, None], safe_columns[None, :, None, :]]
    lowest = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    seen = jnp.where(is_inside[..., None], seen, jnp.asarray(lowest, x.dtype))
    flat = seen.reshape(*seen.shape[:3], seen.shape[3] * seen.shape[4], channels)
    best = jnp.argmax(flat, 3)
    pixels = (safe_rows[:, None, :, None] * width + safe_columns[None, :, None, :]).reshape(
        *window.output, -1
    )
    found = jnp.take_along_axis(jnp.asarray(pixels)[None, ..., None], best[:, :, :, None], 3)[:, :, :, 0]
    places = found * channels + np.arange(channels)
    if counts_batch:
        places = places + (np.arange(batch) * (height * width * channels))[:, None, None, None]
    return places.astype(dtype.as_numpy_dtype)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The largest value in each window of an image, and its place: (row * width + column) * channels + channel.

    Args:
        include_batch_in_index: count through the whole batch instead of within each image.
    """
    where = "tf.nn.max_pool_with_argmax"
    if data_format != "NHWC":
        raise ValueError(
            f"{where}: Data formats other than 'NHWC' are not yet supported; got {data_format!r}."
        )
    layout = read_layout(data_format, 2, where)
    tensor = convert_to_tensor(input)
    places = _places_op(
        tensor,
        size=read_sizes(ksize, layout, "ksize"),
        strides=read_sizes(strides, layout, "strides"),
        padding=read_padding(padding, layout, allow_explicit=False),
        counts_batch=bool(include_batch_in_index),
        dtype=as_dtype(output_dtype),
    )
    return MaxPoolWithArgmax(max_pool2d(tensor, ksize, strides, padding), places)
