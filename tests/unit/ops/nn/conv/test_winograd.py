"""Convolution with fewer multiplications, against sums that XLA makes in double precision, and where it is used."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.conv import kernel as conv_kernel
from tapeflow.ops.nn.conv import winograd as conv_winograd
from tapeflow.ops.nn.window import Window, same_padding

SAME = "SAME"
WINDOWS = {
    "even": ((6, 4), SAME),
    "odd": ((5, 7), SAME),
    "VALID": ((6, 7), ((0, 0), (0, 0))),
    "uneven": ((6, 5), ((2, 0), (1, 3))),
    "cropped": ((8, 7), ((-1, 1), (1, -2))),
}


def window_of(input: tuple[int, int], padding: Any = SAME, **options: Any) -> Window:
    strides, dilations = options.get("strides", (1, 1)), options.get("dilations", (1, 1))
    size = options.get("size", (3, 3))
    if padding == SAME:
        padding = same_padding(input, size, strides, dilations)
    return Window(input, size, strides, padding, dilations)


def plain(window: Window, x: Any, filters: Any) -> Any:
    return lax.conv_general_dilated(
        x, filters, window.strides, window.padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def arrays(window: Window, samples: int, inputs: int, outputs: int, dtype: str = "f8") -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = ((samples, *window.input, inputs), (3, 3, inputs, outputs), (samples, *window.output, outputs))
    return [jnp.asarray(rng.normal(size=shape), dtype) for shape in shapes]


@pytest.mark.parametrize(("input", "padding"), WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("samples", [1, 5])
def test_values_are_those_of_the_convolution(input: tuple[int, int], padding: Any, samples: int) -> None:
    window = window_of(input, padding)
    x, filters, y = arrays(window, samples, 3, 2)
    expected, backward = jax.vjp(lambda x, filters: plain(window, x, filters), x, filters)
    np.testing.assert_allclose(conv_winograd.forward(window, x, filters), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(conv_winograd.to_filter(window, x, y), backward(y)[1], rtol=1e-12, atol=1e-12)


def test_blocks_give_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    window = window_of((6, 6))
    x, filters, y = arrays(window, 5, 3, 2)
    monkeypatch.setattr(conv_winograd, "_BLOCK_BYTES", 1)
    expected, backward = jax.vjp(lambda x, filters: plain(window, x, filters), x, filters)
    np.testing.assert_allclose(conv_winograd.forward(window, x, filters), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(conv_winograd.to_filter(window, x, y), backward(y)[1], rtol=1e-12, atol=1e-12)


def test_float32_is_as_exact_as_the_convolution() -> None:
    window = window_of((16, 16))
    x, filters, _ = arrays(window, 2, 64, 32)
    exact = plain(window, x, filters)
    scale = float(jnp.abs(exact).max())
    single = jnp.asarray(x, "f4"), jnp.asarray(filters, "f4")
    errors = [
        float(jnp.abs(function(window, *single) - exact).max()) / scale
        for function in (conv_winograd.forward, plain)
    ]
    assert errors[0] < 3e-6
    assert errors[0] < 5 * errors[1]


def test_it_is_used_where_it_pays() -> None:
    window, single = window_of((28, 28)), np.dtype("f4")
    assert conv_winograd.pays(window, 64, 32, 64, single)
    assert not conv_winograd.pays_for_filter(window, 64, 32, 64, single)
    assert conv_winograd.pays_for_filter(window, 32, 64, 64, single)
    assert not conv_winograd.pays(window, 4, 64, 64, single)
    assert not conv_winograd.pays(window, 256, 16, 64, single)
    assert not conv_winograd.pays(window, 64, 64, 64, np.dtype("f8"))
    assert not conv_winograd.pays(window_of((28, 28), strides=(2, 2)), 256, 64, 64, single)
    assert not conv_winograd.pays(window_of((28, 28), dilations=(2, 2)), 64, 64, 64, single)
    assert not conv_winograd.pays(window_of((28, 28), size=(5, 5)), 64, 64, 64, single)
    assert not conv_winograd.pays(window_of((3, 3)), 128, 512, 512, single)


def test_gradients_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its two gradients, and the gradient of a gradient, where this way is taken."""
    monkeypatch.setattr(conv_winograd, "_FEWEST_OPERATIONS", 0)
    window, inputs, outputs = window_of((8, 9)), 64, 64
    assert conv_winograd.pays_for_filter(window, 4, inputs, outputs, np.dtype("f4"))
    x, filters, y = arrays(window, 4, inputs, outputs, "f4")
    statics = (window, 1)

    def second(convolve: Any, x: Any, filters: Any) -> Any:
        def of_filters(filters: Any) -> Any:
            return jnp.sum(jnp.sin(convolve(x, filters) / 10) * y)

        return jax.grad(lambda x, f: jnp.sum(jax.grad(of_filters)(f) ** 2), (0, 1))(x, filters)

    def run(convolve: Any) -> Any:
        result, backward = jax.vjp(convolve, x, filters)
        return result, backward(y), second(convolve, x, filters)

    found = jax.jit(lambda: run(lambda x, w: conv_kernel.forward(statics, x, w)))()
    with jax.default_matmul_precision("highest"):
        expected = jax.jit(lambda: run(lambda x, w: plain(window, x, w)))()
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * float(jnp.abs(other).max()))
