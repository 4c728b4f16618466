"""`tensorflow.python.ops.nn_ops`: a convolution whose arguments are kept until it is called."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.nn.conv.convolution import convolution


class Convolution:
    """`tf.nn.convolution` with everything but the input and the filters.

    Args:
        input_shape: not needed.
        filter_shape: not needed.
        padding: as for `tf.nn.convolution`, and so are the rest.
        strides: see there.
        dilation_rate: `dilations` there.
        name: ignored.
        data_format: see there.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        del input_shape, filter_shape, name
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.data_format = data_format

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        return convolution(inp, filter, self.strides, self.padding, self.data_format, self.dilation_rate)
