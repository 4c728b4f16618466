"""What `tensorflow.python.ops.random_ops` has beside public names."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.random import next_key
from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.host_args import read_shape
from tapeflow.ops.random.draw import draw_bounded


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers drawn again while they are outside of `[minvals, maxvals]`; the parameters vary along axis 0."""
    where = "parameterized_truncated_normal"
    sizes = read_shape(shape, where)

    def along_the_first_axis(value: Any) -> Tensor:
        tensor = convert_to_tensor(value, dtype)
        return reshape(tensor, (-1, *[1] * (len(sizes) - 1))) if tensor.ndim else tensor

    parameters = [along_the_first_axis(p) for p in (means, stddevs, minvals, maxvals)]
    return draw_bounded(where, lambda: next_key(seed), sizes, *parameters)
