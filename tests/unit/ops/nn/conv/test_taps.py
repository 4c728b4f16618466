"""Taps: what each cell of a window sees, and the depthwise convolution made of them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from tapeflow.ops.nn.conv import taps as conv_taps
from tapeflow.ops.nn.window import Window

X = jnp.arange(12, dtype=jnp.float32).reshape(1, 3, 4, 1)


def test_pad_axis_before_after_and_between() -> None:
    row = X[:, :1]
    padded = conv_taps.pad_axis(row, conv_taps.WIDTH, 1, -1, 1)
    assert padded[0, 0, :, 0].tolist() == [0, 0, 0, 1, 0, 2, 0]
    assert conv_taps.pad_axis(row, conv_taps.WIDTH, 0, 0) is row


def test_taps_are_in_the_order_of_the_filter() -> None:
    window = Window((3, 4), (2, 2), (1, 2), ((0, 0), (0, 0)), (1, 1))
    seen = [t[0, :, :, 0].tolist() for t in conv_taps.taps(window, X)]
    assert seen == [[[0, 2], [4, 6]], [[1, 3], [5, 7]], [[4, 6], [8, 10]], [[5, 7], [9, 11]]]


def test_depthwise_outputs_are_grouped_by_channel() -> None:
    window = Window((1, 1), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1))
    x = jnp.asarray([[[[2.0, 3.0]]]])
    filters = jnp.asarray([[[[1.0, 10.0, 100.0, 1000.0]]]])
    assert conv_taps.forward(window, x, filters).tolist() == [[[[2, 20, 300, 3000]]]]
    y = jnp.asarray([[[[1.0, 2.0, 3.0, 4.0]]]])
    np.testing.assert_array_equal(conv_taps.to_filter(window, x, y), [[[[2, 4, 9, 12]]]])
