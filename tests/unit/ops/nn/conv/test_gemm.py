"""Both layouts of a convolution as matrix products, and which one is chosen."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.conv import gemm as conv_gemm
from tapeflow.ops.nn.window import Window

ROWS = Window((6, 5), (3, 2), (1, 2), ((1, 1), (0, 1)), (2, 1))


@pytest.mark.parametrize("advantage", [0.0, 1e9], ids=["patches", "rows"])
def test_layouts_agree_with_the_native_convolution(advantage: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conv_gemm, "_ROWS_ADVANTAGE", advantage)
    rng = np.random.default_rng(0)
    x, w = jnp.asarray(rng.normal(size=(3, 6, 5, 2))), jnp.asarray(rng.normal(size=(3, 2, 2, 4)))
    assert conv_gemm._layout(ROWS, 3, 2, 4)[0] is (advantage > 0)

    def native(x: Any, w: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, w, ROWS.strides, ROWS.padding, None, ROWS.dilations, numbers)

    expected, back = jax.vjp(native, x, w)
    y = jnp.asarray(rng.normal(size=expected.shape))
    np.testing.assert_allclose(conv_gemm.forward(ROWS, x, w), expected, rtol=1e-12)
    np.testing.assert_allclose(conv_gemm.to_input(ROWS, y, w), back(y)[0], rtol=1e-12)
    np.testing.assert_allclose(conv_gemm.to_filter(ROWS, x, y), back(y)[1], rtol=1e-12)


def test_rows_are_chosen_unless_they_would_hold_far_more() -> None:
    square = Window((16, 16), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    strided = Window((16, 16), (3, 3), (2, 1), ((0, 1), (1, 1)), (1, 1))
    assert conv_gemm._layout(square, 8, 32, 64) == (True, 16 * 16 * (3 * 32 + 3 * 64))
    assert conv_gemm._layout(square, 8, 3, 64) == (False, 16 * 16 * (9 * 3 + 64))
    assert not conv_gemm._layout(strided, 8, 32, 64)[0]


def test_rows_are_not_chosen_where_copying_the_filters_costs_most() -> None:
    small = Window((2, 2), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    assert not conv_gemm._layout(small, 16, 512, 512)[0]
    assert conv_gemm._layout(small, 1024, 512, 512)[0]


@pytest.mark.parametrize("samples", [1, 2, 5])
def test_patches_are_added_up_in_blocks_of_any_size(samples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y, w = (
        jnp.asarray(rng.normal(size=(samples, *ROWS.output, 4))),
        jnp.asarray(rng.normal(size=(3, 2, 2, 4))),
    )
    whole = conv_gemm.to_input(ROWS, y, w)
    monkeypatch.setattr(conv_gemm, "_block", lambda *_: 2)
    np.testing.assert_allclose(conv_gemm.to_input(ROWS, y, w), whole, rtol=1e-12)
