"""3-D convolutions and their transposes, against XLA's own."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.ops.nn.conv import convolution as conv
from tapeflow.ops.nn.conv import transpose as conv_transpose
from tapeflow.ops.nn.conv import volume as conv_volume
from tapeflow.ops.nn.window_args import make_window

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    ("strides", "padding", "dilations", "groups"),
    [
        ((1, 1, 1), "SAME", (1, 1, 1), 1),
        ((2, 1, 2), "VALID", (1, 1, 1), 2),
        ((1, 1, 1), "SAME", (2, 1, 1), 1),
    ],
)
def test_equals_xla(strides: Any, padding: Any, dilations: Any, groups: int) -> None:
    x, w = normal(2, 5, 4, 4, 4), normal(3, 2, 2, 4 // groups, 6)
    window = make_window((5, 4, 4), (3, 2, 2), strides, padding, dilations)

    def native(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x,
            w,
            strides,
            window.padding,
            rhs_dilation=dilations,
            dimension_numbers=("NDHWC", "DHWIO", "NDHWC"),
            feature_group_count=groups,
        )

    @jax.jit
    def both(x: Any, w: Any, dy: Any) -> Any:
        expected, native_back = jax.vjp(native, x, w)
        found, back = jax.vjp(lambda x, w: conv_volume.forward((window, groups), x, w), x, w)
        transposed = conv_volume.to_input((window, groups), dy, w)
        return (expected, *native_back(dy), native_back(dy)[0]), (found, *back(dy), transposed)

    dy = normal(2, *window.output, 6)
    for expected, found in zip(*both(x, w, dy), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_public_functions() -> None:
    x, w = normal(1, 3, 4, 4, 2), normal(2, 2, 2, 2, 3)
    y = conv.conv3d(x, w, [1, 1, 2, 2, 1], "VALID")
    assert y.shape == (1, 2, 2, 2, 3)
    np.testing.assert_array_equal(conv.convolution(x, w, (1, 2, 2)).numpy(), y.numpy())
    first = conv.conv3d(np.moveaxis(x, -1, 1), w, (1, 2, 2), "VALID", "NCDHW")
    np.testing.assert_allclose(np.moveaxis(first.numpy(), 1, -1), y.numpy(), rtol=1e-5, atol=1e-6)
    back = conv_transpose.conv3d_transpose(y, w, x.shape, (1, 2, 2), "VALID")
    assert back.shape == x.shape
    same = conv_transpose.conv_transpose(y, w, x.shape, (1, 2, 2), "VALID")
    np.testing.assert_array_equal(same.numpy(), back.numpy())


def test_empty_results() -> None:
    assert conv.conv3d(normal(1, 1, 4, 4, 2), normal(2, 2, 2, 2, 3), 1, "VALID").shape == (1, 0, 3, 3, 3)
    empty = conv_transpose.conv3d_transpose(
        normal(0, 2, 2, 2, 3), normal(2, 2, 2, 2, 3), (0, 3, 3, 3, 2), 1, "VALID"
    )
    assert empty.shape == (0, 3, 3, 3, 2)


def test_refuses_a_flat_input() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="tf.nn.conv3d expected input of rank 5 or more"):
        conv.conv3d(normal(3, 4, 4, 2), normal(2, 2, 2, 2, 3), 1, "VALID")
