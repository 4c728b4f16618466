"""Folded convolutions against the native one, and which layers are folded."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.conv import fold as conv_fold
from tapeflow.ops.nn.window import Window, same_padding


def window_of(input: tuple[int, int], width: int = 3, stride: int = 1, dilation: int = 1) -> Window:
    size, strides, dilations = (3, width), (1, stride), (1, dilation)
    return Window(input, size, strides, same_padding(input, size, strides, dilations), dilations)


@settings(max_examples=20, deadline=None)
@given(
    height=st.integers(3, 6),
    folds=st.integers(1, 3),
    places=st.sampled_from([2, 4]),
    size=st.tuples(st.integers(1, 3), st.integers(3, 5)),
    stride=st.integers(1, 2),
    padding=st.tuples(*[st.tuples(st.integers(0, 2), st.integers(0, 2))] * 2),
)
def test_any_window(height: int, folds: int, places: int, size: Any, stride: int, padding: Any) -> None:
    width = folds * places + size[1] - 1 - sum(padding[1])
    # XLA aborts on JAX's own gradient of a window of 2 cells with a stride of 2 and a cell of padding before it: the
    # algebraic simplifier takes that axis for one of groups. Layers get their gradients another way (`conv_kernel`).
    if width < 1 or (size[0] == stride == 2 and padding[0][0] == 1):
        return
    window = Window((height, width), size, (stride, 1), padding, (1, 1))
    assert window.output[1] == folds * places
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(2, *window.input, 3)))
    w = jnp.asarray(rng.normal(size=(*size, 3, 5)))

    def native(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x, w, window.strides, window.padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    found, back = jax.vjp(lambda x, w: conv_fold.forward(window, places, x, w), x, w)
    expected, native_back = jax.vjp(native, x, w)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    for a, b in zip(back(expected), native_back(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("window", "inputs", "outputs", "places"),
    [
        (window_of((32, 32)), 16, 16, 2),
        (window_of((32, 32)), 1, 9, 2),
        (window_of((32, 32)), 8, 8, 4),
        (window_of((32, 32)), 16, 8, 1),  # more multiplications than it is worth
        (window_of((32, 32)), 8, 4, 1),
        (window_of((32, 31)), 16, 16, 1),  # an odd number of places
        (window_of((32, 32), stride=2), 16, 16, 1),
        (window_of((32, 32), dilation=2), 16, 16, 1),
        (window_of((32, 32), width=1), 16, 16, 1),
        (window_of((32, 32)), 3, 16, 1),
    ],
)
def test_which_layers_are_folded(window: Window, inputs: int, outputs: int, places: int) -> None:
    assert conv_fold.places_to_fold(window, inputs, outputs) == places
