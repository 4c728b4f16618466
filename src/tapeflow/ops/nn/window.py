"""Where a sliding window lands: sizes, strides, paddings and dilations of convolution and pooling.

Plain Python, no arrays: both the kernels and the functions that read the user's arguments build on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tapeflow.engine.shapes.expression import at_least, is_symbolic

Sizes = tuple[int, ...]
Paddings = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Window:
    """A window sliding over the spatial axes of an array; every field has one entry an axis.

    Attributes:
        input: how many cells the axis has.
        size: how many cells the window sees.
        strides: the stride.
        padding: cells of nothing before and after; negative ones crop.
        dilations: the distance between two cells the window sees.
    """

    input: Sizes
    size: Sizes
    strides: Sizes
    padding: Paddings
    dilations: Sizes

    @property
    def extent(self) -> Sizes:
        """From the first cell the window sees to the last, both included."""
        return extent_of(self.size, self.dilations)

    @property
    def output(self) -> Sizes:
        """How many places the window takes; 0 where it does not fit once."""
        return tuple(
            max(0, (cells + low + high - extent) // stride + 1)
            for cells, (low, high), extent, stride in zip(
                self.input, self.padding, self.extent, self.strides, strict=True
            )
        )

    @property
    def is_dense(self) -> bool:
        """Whether the window moves one cell at a time along every axis."""
        return all(stride == 1 for stride in self.strides)

    def transposed(self) -> Window:
        """The window that carries gradients back: over the places, spread out by the strides.

        It sees its taps in reverse order, moves by one cell, and gives as many places as this one
        has cells.
        """
        spread, padding = [], []
        for cells, places, stride, extent, (low, _) in zip(
            self.input, self.output, self.strides, self.extent, self.padding, strict=True
        ):
            length = (places - 1) * stride + 1
            before = extent - 1 - low
            spread.append(length)
            padding.append((before, cells - length - before + extent - 1))
        ones = (1,) * len(self.size)
        return Window(tuple(spread), self.size, ones, tuple(padding), self.dilations)

    def offset(self, axis: int, tap: int) -> int:
        """The input cell that the tap sees from place 0; places further on add the stride."""
        return tap * self.dilations[axis] - self.padding[axis][0]


def extent_of(size: Sizes, dilations: Sizes) -> Sizes:
    """How many cells a dilated window spans."""
    return tuple((n - 1) * d + 1 for n, d in zip(size, dilations, strict=True))


def same_padding(input: Sizes, size: Sizes, strides: Sizes, dilations: Sizes) -> Paddings:
    """TensorFlow's SAME: ceil(input / stride) places, the odd cell of padding at the end."""
    paddings = []
    for cells, extent, stride in zip(input, extent_of(size, dilations), strides, strict=True):
        places = -(-cells // stride)
        total = (places - 1) * stride + extent - cells
        low = at_least(total, 0) // 2
        if not is_symbolic(total):
            total = max(total, 0)  # a symbolic one may crop cells at the end, which no window sees
        paddings.append((low, total - low))
    return tuple(paddings)
