"""The convolution kernel against sums written out in numpy: values, gradients of every order, devices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.conv import blocks as conv_blocks
from tapeflow.ops.nn.conv import gemm as conv_gemm
from tapeflow.ops.nn.conv import kernel as conv_kernel
from tapeflow.ops.nn.window import Window, same_padding


def window_of(
    input: tuple[int, int],
    size: tuple[int, int] = (3, 3),
    strides: tuple[int, int] = (1, 1),
    padding: Any = "SAME",
    dilations: tuple[int, int] = (1, 1),
) -> Window:
    if padding == "SAME":
        padding = same_padding(input, size, strides, dilations)
    return Window(input, size, strides, padding or ((0, 0), (0, 0)), dilations)


def ties(window: Window) -> list[tuple[int, int, int, int, int, int]]:
    """Every (row, column) of the input, of the filters and of the result that meet."""
    found = []
    for place in product(*map(range, window.output)):
        for tap in product(*map(range, window.size)):
            cell = [
                place[a] * window.strides[a] + tap[a] * window.dilations[a] - window.padding[a][0]
                for a in range(2)
            ]
            if all(0 <= c < n for c, n in zip(cell, window.input, strict=True)):
                found.append((*cell, *tap, *place))
    return found


def reference(window: Window, groups: int, x: Any, w: Any, y: Any) -> tuple[Any, Any, Any]:
    """What each of the three functions makes of the other two arrays, cell by cell."""
    x, w, y = (np.asarray(a, np.float64) for a in (x, w, y))
    to_x, to_w, to_y = np.zeros_like(x), np.zeros_like(w), np.zeros_like(y)
    inputs, outputs = x.shape[-1] // groups, y.shape[-1] // groups
    for g in range(groups):
        i, o = slice(g * inputs, (g + 1) * inputs), slice(g * outputs, (g + 1) * outputs)
        for r, c, p, q, u, v in ties(window):
            to_y[:, u, v, o] += x[:, r, c, i] @ w[p, q, :, o]
            to_x[:, r, c, i] += y[:, u, v, o] @ w[p, q, :, o].T
            to_w[p, q, :, o] += x[:, r, c, i].T @ y[:, u, v, o]
    return to_y, to_x, to_w


def arrays(
    window: Window, inputs: int, outputs: int, groups: int = 1, samples: int = 3, dtype: Any = "f4"
) -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = (
        (samples, *window.input, inputs),
        (*window.size, inputs // groups, outputs),
        (samples, *window.output, outputs),
    )
    return [jnp.asarray(rng.normal(size=shape), dtype) for shape in shapes]


def check(
    window: Window,
    inputs: int,
    outputs: int,
    groups: int = 1,
    rtol: float = 1e-5,
    **options: Any,
) -> None:
    x, w, y = arrays(window, inputs, outputs, groups, **options)
    statics = (window, groups)

    @jax.jit
    def all_three(x: Any, w: Any, y: Any) -> Any:
        return (
            conv_kernel.forward(statics, x, w),
            conv_kernel.to_input(statics, y, w),
            conv_kernel.to_filter(statics, x, y),
        )

    for found, expected, like in zip(
        all_three(x, w, y), reference(window, groups, x, w, y), (y, x, w), strict=True
    ):
        assert (found.shape, found.dtype) == (like.shape, like.dtype)
        scale = max(float(np.abs(expected).max(initial=0)), 1.0)
        np.testing.assert_allclose(np.asarray(found, "f8"), expected, rtol=rtol, atol=rtol * scale)


WINDOWS = {
    "3x3": window_of((6, 5)),
    "1x1": window_of((6, 5), (1, 1)),
    "VALID": window_of((6, 5), padding=None),
    "explicit": window_of((6, 5), (2, 4), padding=((2, 0), (1, 3))),
    "strides": window_of((7, 6), strides=(2, 3)),
    "strides over the kernel": window_of((9, 8), (2, 2), (4, 5), None),
    "1x1 strides": window_of((7, 6), (1, 1), (2, 2)),
    "dilations": window_of((7, 9), dilations=(2, 3)),
    "dilated strides": window_of((9, 9), strides=(2, 2), dilations=(2, 2), padding=None),
    "one row": window_of((1, 9), (1, 3)),
    "kernel as large as the input": window_of((4, 5), (4, 5), padding=None),
    "kernel larger than the image": window_of((2, 2)),
    "kernel far larger than the image": window_of((2, 3), (7, 5), (2, 1)),
    "even width": window_of((5, 6)),
    "image of one cell": window_of((1, 1)),
    "more padding than kernel": window_of((4, 5), (2, 2), padding=((3, 2), (4, 0))),
}


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize(
    ("inputs", "outputs", "groups"),
    [
        pytest.param(3, 5, 1, id="narrow"),
        pytest.param(2, 40, 1, id="widening", marks=pytest.mark.slow),
        pytest.param(4, 10, 1, id="folded", marks=pytest.mark.slow),
        pytest.param(33, 34, 1, id="wide"),
        pytest.param(4, 6, 2, id="groups", marks=pytest.mark.slow),
        pytest.param(18, 27, 9, id="many groups", marks=pytest.mark.slow),
        pytest.param(3, 3, 3, id="depthwise"),
        pytest.param(3, 6, 3, id="multiplied", marks=pytest.mark.slow),
    ],
)
def test_values(window: Window, inputs: int, outputs: int, groups: int) -> None:
    check(window, inputs, outputs, groups)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize(("inputs", "outputs", "groups"), [(3, 5, 1), (33, 34, 1), (4, 4, 4)])
def test_dtypes(dtype: str, inputs: int, outputs: int, groups: int) -> None:
    rtol = {"float64": 1e-13, "float16": 1e-3, "bfloat16": 8e-3}[dtype]
    check(WINDOWS["strides"], inputs, outputs, groups, rtol=rtol, dtype=dtype)


def test_half_precision_is_rounded_once() -> None:
    # Added up in float16, 1s stop growing at 2048.
    window = window_of((3, 3), padding=None)
    x, w = jnp.ones((1, 3, 3, 500), jnp.float16), jnp.ones((3, 3, 500, 2), jnp.float16)
    assert float(conv_kernel.forward((window, 1), x, w)[0, 0, 0, 0]) == 4500


def test_integers_are_exact() -> None:
    window = WINDOWS["3x3"]
    x, w, y = (jnp.round(a * 9).astype(jnp.int32) for a in arrays(window, 3, 5))
    found = conv_kernel.forward((window, 1), x, w)
    assert found.dtype == jnp.int32
    np.testing.assert_array_equal(found, reference(window, 1, x, w, y)[0])


@pytest.mark.parametrize(("outputs", "samples"), [(34, 8), (34, 24), (34, 9), (16, 64), (15, 32)])
def test_filters_of_batches_in_whole_blocks_and_others(outputs: int, samples: int) -> None:
    for name in ("3x3", "dilations", "strides", "dilated strides", "explicit", "more padding than kernel"):
        check(WINDOWS[name], 3, outputs, samples=samples)


@pytest.mark.parametrize("samples", [1, 2, 5, 31])
def test_any_batch_in_small_blocks(samples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conv_gemm, "_BLOCK_BYTES", 1 << 14)
    check(window_of((6, 6)), 3, 5, samples=samples)
    check(window_of((6, 6), strides=(2, 2)), 3, 5, samples=samples)


@pytest.mark.parametrize(
    ("samples", "input", "inputs", "outputs"),
    [(0, (4, 4), 3, 5), (2, (2, 2), 3, 5), (2, (0, 4), 3, 5), (2, (4, 4), 3, 0)],
    ids=["batch", "places", "cells", "outputs"],
)
def test_nothing_to_do(samples: int, input: Any, inputs: int, outputs: int) -> None:
    check(window_of(input, padding=None), inputs, outputs, samples=samples)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    input=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    size=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    strides=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    dilations=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    padding=st.tuples(*[st.tuples(st.integers(0, 3), st.integers(0, 3))] * 2),
    channels=st.sampled_from([(1, 3, 1), (3, 1, 1), (20, 40, 1), (4, 8, 2), (2, 4, 2)]),
)
def test_any_window(input: Any, size: Any, strides: Any, dilations: Any, padding: Any, channels: Any) -> None:
    check(Window(input, size, strides, padding, dilations), *channels, rtol=1e-12, dtype="f8")


def gradients_to_third_order(convolve: Callable[..., Any], x: Any, w: Any) -> Any:
    def first(x: Any, w: Any) -> Any:
        return jax.grad(lambda x, w: jnp.sum(jnp.sin(convolve(x, w))), (0, 1))(x, w)

    def second(x: Any, w: Any) -> Any:
        return jax.grad(lambda x, w: sum(jnp.sum(g**2) for g in first(x, w)), (0, 1))(x, w)

    def third(x: Any, w: Any) -> Any:
        return jax.grad(lambda x, w: sum(jnp.sum(g**2) for g in second(x, w)), (0, 1))(x, w)

    return jax.jit(lambda x, w: (first(x, w), second(x, w), third(x, w)))(x, w)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "groups"),
    [
        ("3x3", 2, 3, 1),
        ("strides", 2, 3, 1),
        ("3x3", 2, 4, 2),
        ("strides", 4, 4, 2),
        ("3x3", 18, 18, 9),
        ("1x1 strides", 2, 3, 1),
        ("even width", 9, 10, 1),
        ("kernel larger than the image", 2, 3, 1),
        ("kernel far larger than the image", 2, 3, 1),
    ],
)
def test_gradients_to_third_order(name: str, inputs: int, outputs: int, groups: int) -> None:
    window = WINDOWS[name]
    x, w, _ = arrays(window, inputs, outputs, groups, samples=2, dtype="f8")
    statics = (window, groups)
    found = gradients_to_third_order(lambda *a: conv_kernel.forward(statics, *a), x, w)
    native = gradients_to_third_order(lambda *a: conv_kernel._native_forward(statics, *a), x, w)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(native), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * float(jnp.abs(b).max()))


@pytest.mark.parametrize("name", ["forward", "to_input", "to_filter"])
def test_gradients_against_finite_differences(name: str) -> None:
    window = WINDOWS["strides"]
    x, w, y = arrays(window, 2, 3, samples=2, dtype="f8")
    function = getattr(conv_kernel, name)
    pair = {"forward": (x, w), "to_input": (y, w), "to_filter": (x, y)}[name]
    scores = jax.jit(lambda *a: jnp.sum(jnp.sin(function((window, 1), *a))))
    found = jax.grad(scores, (0, 1))(*pair)
    rng = np.random.default_rng(1)
    for place, gradient in enumerate(found):
        step = jnp.asarray(rng.normal(size=gradient.shape)) * 1e-6
        ends = [
            scores(*[a + sign * step if i == place else a for i, a in enumerate(pair)]) for sign in (1, -1)
        ]
        np.testing.assert_allclose((ends[0] - ends[1]) / 2, jnp.sum(gradient * step), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("inputs", "outputs", "groups"), [(3, 5, 1), (33, 34, 1), (4, 6, 2), (3, 6, 3)])
def test_vmap_over_either_argument(inputs: int, outputs: int, groups: int) -> None:
    window = WINDOWS["3x3"]
    statics = (window, groups)
    x, w, _ = arrays(window, inputs, outputs, groups, samples=2, dtype="f8")
    xs, ws = jnp.stack([x, 2 * x]), jnp.stack([w, -w])

    def gradients(x: Any, w: Any) -> Any:
        return jax.grad(lambda *a: jnp.sum(conv_kernel.forward(statics, *a) ** 2), (0, 1))(x, w)

    base = jax.jit(gradients)(x, w)
    # Quadratic in both, so the gradients of scaled arguments are known.
    for axes, pair, factors in (
        ((0, None), (xs, w), ((1, 2), (1, 4))),
        ((None, 0), (x, ws), ((1, 1), (1, -1))),
        ((0, 0), (xs, ws), ((1, 2), (1, -4))),
    ):
        found = jax.jit(jax.vmap(gradients, in_axes=axes))(*pair)
        for gradient, one, scales in zip(found, base, factors, strict=True):
            for row, scale in zip(gradient, scales, strict=True):
                np.testing.assert_allclose(row, one * scale, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("inputs", "outputs", "groups"), [(3, 8, 1), (32, 64, 1), (4, 8, 2), (8, 8, 8)])
def test_the_same_bits_every_time(inputs: int, outputs: int, groups: int) -> None:
    window = window_of((12, 12))
    x, w, y = arrays(window, inputs, outputs, groups, samples=32)
    statics = (window, groups)
    run = jax.jit(
        lambda: (
            conv_kernel.forward(statics, x, w),
            conv_kernel.to_input(statics, y, w),
            conv_kernel.to_filter(statics, x, y),
        )
    )
    first = [np.asarray(a).tobytes() for a in run()]
    for _ in range(10):
        assert [np.asarray(a).tobytes() for a in run()] == first


def test_gradients_inside_a_scan() -> None:
    window = window_of((5, 5))
    x, w, _ = arrays(window, 3, 40)
    gradient = jax.grad(lambda w, x: jnp.sum(conv_kernel.forward((window, 1), x, w) ** 2))
    total, _ = jax.jit(
        lambda w, xs: jax.lax.scan(lambda t, x: (t + gradient(w, x), None), jnp.zeros_like(w), xs)
    )(w, jnp.stack([x, x]))
    np.testing.assert_allclose(total, 2 * gradient(w, x), rtol=1e-4, atol=1e-3)


def lowered(function: Callable[..., Any], platform: str, *args: Any) -> str:
    return jax.jit(function).trace(*args).lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
@pytest.mark.parametrize("name", ["forward", "to_input", "to_filter"])
def test_other_devices_run_the_native_convolution(platform: str, name: str) -> None:
    window = window_of((6, 6))
    x, w, y = arrays(window, 3, 5)
    pair = {"forward": (x, w), "to_input": (y, w), "to_filter": (x, y)}[name]
    function = getattr(conv_kernel, name)
    text = lowered(lambda *a: function((window, 1), *a), platform, *pair)
    assert "stablehlo.convolution" in text
    assert "stablehlo.dot_general" not in text
    assert "stablehlo.convolution" not in lowered(lambda *a: function((window, 1), *a), "cpu", *pair)


@pytest.mark.parametrize(
    "window", [window_of((2, 2)), window_of((4, 4), (5, 5)), window_of((9, 9), (1, 1), (2, 2))]
)
def test_small_images_and_single_cells_are_matrix_products_on_a_cpu(window: Window) -> None:
    x, w, y = arrays(window, 64, 64)
    statics = (window, 1)
    for function, pair in (
        (conv_kernel.forward, (x, w)),
        (conv_kernel.to_input, (y, w)),
        (conv_kernel.to_filter, (x, y)),
    ):
        text = lowered(lambda *a, f=function: f(statics, *a), "cpu", *pair)
        assert "stablehlo.dot_general" in text
        assert "stablehlo.convolution" not in text


def test_wide_layers_convolve_natively_on_a_cpu() -> None:
    window = window_of((6, 6))
    x, w, y = arrays(window, 32, 64, samples=8)
    assert "stablehlo.convolution" in lowered(
        lambda y, w: conv_kernel.to_input((window, 1), y, w), "cpu", y, w
    )
    assert "stablehlo.convolution" in lowered(
        lambda x, w: conv_kernel.forward((window, 1), x, w), "cpu", x, w
    )
    to_filter = lowered(lambda x, y: conv_kernel.to_filter((window, 1), x, y), "cpu", x, y)
    assert "stablehlo.convolution" in to_filter
    # The canonical layout; any other is slow inside of a loop.
    assert "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" in to_filter


@pytest.mark.parametrize(("inputs", "outputs", "groups"), [(3, 5, 1), (33, 34, 1), (4, 8, 4)])
def test_float32_work_has_no_float64_in_it(inputs: int, outputs: int, groups: int) -> None:
    window = WINDOWS["strides"]
    x, w, _ = arrays(window, inputs, outputs, groups)
    text = str(
        jax.make_jaxpr(jax.grad(lambda x, w: jnp.sum(conv_kernel.forward((window, groups), x, w)), (0, 1)))(
            x, w
        )
    )
    assert "f64" not in text
    assert "f32" in text


def test_memory_does_not_grow_with_the_batch() -> None:
    window = window_of((32, 32))

    def temporary_bytes(samples: int) -> int:
        x, _, y = arrays(window, 32, 32, samples=samples)
        run = jax.jit(lambda x, y: conv_kernel.to_filter((window, 1), x, y))
        return run.lower(x, y).compile().memory_analysis().temp_size_in_bytes

    assert temporary_bytes(64) < 1.5 * temporary_bytes(16) < 16 << 20


def test_blocks_of_a_layer_hold_several_samples() -> None:
    x = jnp.zeros((32, 16, 16, 32), jnp.float32)
    _, numbers = conv_gemm._layout(window_of((16, 16)), 32, 32, 64)
    assert 2 <= conv_blocks.block_size(x, numbers, conv_gemm._BLOCK_BYTES) < 32
