"""Grey-scale dilation and erosion: the largest sum, or the smallest difference, under a moving shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.rearranging import reverse
from tapeflow.ops.host_args import describe, invalid, read_ints

Ints = tuple[int, int]


@op(name="Dilation2D")
def _dilation_op(x: jax.Array, shape: jax.Array, *, strides: Ints, rates: Ints, padding: str) -> Any:
    """For each place of the shape, the image moved by it plus its height; of these the largest."""
    sizes, widths = [], [(0, 0)]
    for i in range(2):
        reach = (shape.shape[i] - 1) * rates[i] + 1
        length = x.shape[1 + i]
        if padding == "SAME":
            count = -(-length // strides[i])
            short = max((count - 1) * strides[i] + reach - length, 0)
        else:
            count, short = max((length - reach) // strides[i] + 1, 0), 0
        sizes.append(count)
        widths.append((short // 2, short - short // 2))
    lowest = jnp.finfo(x.dtype).min if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    x = jnp.pad(x, [*widths, (0, 0)], constant_values=lowest)
    found = None
    for i in range(shape.shape[0]):
        for j in range(shape.shape[1]):
            rows = slice(i * rates[0], i * rates[0] + (sizes[0] - 1) * strides[0] + 1, strides[0])
            columns = slice(j * rates[1], j * rates[1] + (sizes[1] - 1) * strides[1] + 1, strides[1])
            moved = x[:, rows, columns] + shape[i, j]
            found = moved if found is None else jnp.maximum(found, moved)
    return found


def _read(
    where: str,
    x: TensorLike,
    filters: Any,
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
) -> Any:
    tensor, shape = convert_to_tensor(x), convert_to_tensor(filters)
    if data_format != "NHWC":
        raise ValueError(f"{where}: Data formats other than NHWC are not yet supported; got {data_format!r}.")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"{where} expected padding 'SAME' or 'VALID'; got padding={padding!r}.")
    if tensor.ndim != 4 or shape.ndim != 3 or tensor.spec.shape[-1] != shape.spec.shape[-1]:
        raise invalid(
            f"{where} expected images of 4 dimensions and filters of shape [rows, columns, channels]; got "
            f"{describe(tensor)} and filters {describe(shape)}."
        )
    steps, rates = read_ints(strides, where, "strides"), read_ints(dilations, where, "dilations")
    return tensor, shape, (steps[1], steps[2]), (rates[1], rates[2])


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The largest of pixel plus filter under the filter, at each place."""
    where = "tf.nn.dilation2d"
    x, shape, steps, rates = _read(where, input, filters, strides, padding, data_format, dilations)
    return _dilation_op(x, shape, strides=steps, rates=rates, padding=padding)


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The smallest of pixel minus filter under the filter, at each place."""
    where = "tf.nn.erosion2d"
    x, shape, steps, rates = _read(where, value, filters, strides, padding, data_format, dilations)
    return -_dilation_op(-x, reverse(shape, [0, 1]), strides=steps, rates=rates, padding=padding)
