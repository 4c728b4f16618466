"""The padding that makes a strided convolution see an image as it was trained to."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.applications.assembly import channel_axis


def padding_before_stride(x: Any, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Pixels to add before and after, along rows and columns: one less before an even length."""
    sizes = tuple(x.shape)[1:3] if channel_axis() == 3 else tuple(x.shape)[2:4]
    half = size // 2
    less = [1 if n is None else 1 - n % 2 for n in sizes]
    return (half - less[0], half), (half - less[1], half)
