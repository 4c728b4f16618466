"""Sizes that several networks work out alike: padding, widths, and the images there are weights for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.keras.applications.assembly import channel_axis

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor


def padding_before_stride(x: KerasTensor, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Pixels to add before and after, along rows and columns: one less before an even length.

    A strided convolution then sees an image as it was trained to.
    """
    sizes = tuple(x.shape)[1:3] if channel_axis() == 3 else tuple(x.shape)[2:4]
    half = size // 2
    less = [1 if n is None else 1 - n % 2 for n in sizes]
    return (half - less[0], half), (half - less[1], half)


def in_eights(count: float) -> int:
    """A count of channels rounded to eights, by less than a tenth downwards."""
    rounded = max(8, int(count + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * count else rounded


def trained_size(shape: Any, sizes: Sequence[int]) -> int:
    """The size of images that there are weights for: that of the input if it is among them, or 224."""
    if shape is None or len(shape) != 3:
        return 224
    rows, columns = shape[:2] if channel_axis() == 3 else shape[1:]
    return rows if rows == columns and rows in sizes else 224


def rows_of(shape: Any, otherwise: int | None) -> int | None:
    """The rows of images of this shape, if it is given."""
    return otherwise if shape is None else shape[0 if channel_axis() == 3 else 1]
