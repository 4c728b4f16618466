"""What users may say of a window; `test_conv.py` and `test_pooling.py` have what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine.values.convert import constant
from tapeflow.ops.nn.window_args import make_window, read_layout, read_padding, read_sizes


@pytest.mark.parametrize(
    ("spatial", "data_format", "name", "is_first"),
    [
        (1, None, "NWC", False),
        (1, "NCW", "NCW", True),
        (2, "NHWC", "NHWC", False),
        (2, "NCHW", "NCHW", True),
        (3, "NCDHW", "NCDHW", True),
    ],
)
def test_layouts(spatial: int, data_format: Any, name: str, is_first: bool) -> None:
    layout = read_layout(data_format, spatial, "here")
    assert (layout.data_format, layout.is_channels_first) == (name, is_first)
    assert layout.rank == spatial + 2


@pytest.mark.parametrize(
    ("value", "data_format", "expected"),
    [
        (3, "NHWC", (3, 3)),
        ([3], "NHWC", (3, 3)),
        ([3, 4], "NHWC", (3, 4)),
        ([1, 3, 4, 1], "NHWC", (3, 4)),
        ([1, 1, 3, 4], "NCHW", (3, 4)),
        (np.int64(3), "NHWC", (3, 3)),
        (constant([3, 4]), "NHWC", (3, 4)),
    ],
)
def test_sizes(value: Any, data_format: str, expected: tuple[int, int]) -> None:
    assert read_sizes(value, read_layout(data_format, 2, "here"), "strides") == expected


def test_padding_of_the_spatial_axes() -> None:
    pairs = [[0, 0], [1, 2], [3, 4], [0, 0]]
    assert read_padding(pairs, read_layout("NHWC", 2, "here")) == ((1, 2), (3, 4))
    first = [[0, 0], [0, 0], [1, 2], [3, 4]]
    assert read_padding(first, read_layout("NCHW", 2, "here")) == ((1, 2), (3, 4))
    assert read_padding("SAME", read_layout(None, 2, "here")) == "SAME"


def test_windows_know_their_padding() -> None:
    ones = (1, 1)
    assert make_window((6, 6), (3, 3), (2, 2), "SAME", ones).padding == ((0, 1), (0, 1))
    assert make_window((6, 6), (3, 3), (2, 2), "VALID", ones).padding == ((0, 0), (0, 0))
    assert make_window((6, 6), (3, 3), (2, 2), ((1, 0), (0, 2)), ones).output == (3, 3)
