"""Windows: where they land, SAME padding, and the window that carries gradients back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.ops.nn.window import Window, same_padding


@pytest.mark.parametrize(
    ("cells", "size", "stride", "dilation", "padding"),
    [
        (6, 3, 1, 1, (1, 1)),
        (6, 3, 2, 1, (0, 1)),
        (7, 2, 2, 1, (0, 1)),
        (7, 2, 5, 1, (0, 0)),
        (7, 3, 1, 2, (2, 2)),
        (2, 7, 1, 1, (3, 3)),
        (0, 3, 1, 1, (1, 1)),
    ],
)
def test_same_padding_is_tensorflows(
    cells: int, size: int, stride: int, dilation: int, padding: tuple[int, int]
) -> None:
    assert same_padding((cells,), (size,), (stride,), (dilation,)) == (padding,)


def test_a_window_that_does_not_fit_takes_no_place() -> None:
    assert Window((2, 9), (3, 3), (1, 1), ((0, 0), (0, 0)), (1, 1)).output == (0, 7)


def test_extent_and_offset_count_the_dilation() -> None:
    window = Window((9,), (3,), (1,), ((2, 0),), (2,))
    assert window.extent == (5,)
    assert [window.offset(0, tap) for tap in range(3)] == [-2, 0, 2]


@given(
    cells=st.integers(1, 12),
    size=st.integers(1, 4),
    stride=st.integers(1, 5),
    dilation=st.integers(1, 3),
    low=st.integers(0, 4),
    high=st.integers(0, 4),
)
def test_transposed_gives_a_place_for_every_cell(
    cells: int, size: int, stride: int, dilation: int, low: int, high: int
) -> None:
    window = Window((cells,), (size,), (stride,), ((low, high),), (dilation,))
    if window.output != (0,):
        back = window.transposed()
        assert back.output == window.input
        assert back.input == ((window.output[0] - 1) * stride + 1,)
