"""The pooling kernel against XLA's own window reductions: values, ties, gradients of both modes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.pool import kernel as pool_kernel
from tapeflow.ops.nn.window import Window, same_padding


def window_of(
    input: tuple[int, ...], size: tuple[int, ...], strides: tuple[int, ...], padding: Any = "SAME"
) -> Window:
    ones = (1,) * len(input)
    if padding == "SAME":
        padding = same_padding(input, size, strides, ones)
    return Window(input, size, strides, padding or ((0, 0),) * len(input), ones)


WINDOWS = {
    "tiles": window_of((6, 8), (2, 2), (2, 2)),
    "tiles, padded": window_of((7, 5), (2, 3), (2, 3)),
    "tiles, cropped": window_of((7, 5), (2, 2), (2, 2), None),
    "overlapping": window_of((7, 6), (3, 3), (2, 2)),
    "by one": window_of((5, 6), (2, 2), (1, 1)),
    "gaps": window_of((9, 8), (2, 2), (3, 4), None),
    "every cell": window_of((4, 4), (1, 1), (1, 1)),
    "every other cell": window_of((5, 4), (1, 1), (2, 2)),
    "explicit": window_of((5, 6), (3, 2), (2, 1), ((1, 2), (0, 1))),
    "a sequence": window_of((9,), (3,), (2,)),
    "a volume": window_of((4, 5, 6), (2, 2, 2), (2, 2, 2)),
    "an overlapping volume": window_of((4, 5, 6), (3, 2, 2), (1, 2, 1)),
}
EACH = pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)


def reduced(window: Window, x: Any, start: Any, operation: Any) -> Any:
    return jax.lax.reduce_window(
        x,
        np.asarray(start, x.dtype),
        operation,
        (1, *window.size, 1),
        (1, *window.strides, 1),
        ((0, 0), *window.padding, (0, 0)),
    )


def native_max(window: Window, x: Any) -> Any:
    return reduced(window, x, -jnp.inf, jax.lax.max)


def data(window: Window, samples: int = 3, dtype: Any = "f8", levels: int | None = None) -> Any:
    rng = np.random.default_rng(0)
    shape = (samples, *window.input, 2)
    values = rng.normal(size=shape) if levels is None else rng.integers(0, levels, shape)
    return jnp.asarray(values, dtype)


@EACH
def test_max_and_its_gradient(window: Window) -> None:
    x = data(window)
    y = native_max(window, x)
    weights = jnp.cos(jnp.arange(y.size, dtype=jnp.float64)).reshape(y.shape)
    np.testing.assert_array_equal(pool_kernel.pool_max(window, x), y)

    def gradient(pool: Any) -> Any:
        return jax.jit(jax.value_and_grad(lambda x: jnp.sum(pool(window, x) * weights)))(x)

    for found, expected in zip(gradient(pool_kernel.pool_max), gradient(native_max), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["tiles", "overlapping", "by one", "a volume"])
@pytest.mark.parametrize("samples", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_the_first_of_equals_gets_the_gradient(name: str, samples: int) -> None:
    window = WINDOWS[name]
    x = data(window, samples, levels=2)
    found, expected = (
        jax.jit(jax.grad(lambda x, p=pool: jnp.sum(p(window, x))))(x)
        for pool in (pool_kernel.pool_max, native_max)
    )
    np.testing.assert_array_equal(found, expected)


@EACH
def test_mean_counts_no_padding(window: Window) -> None:
    x = data(window)
    count = reduced(window, jnp.ones_like(x), 0, jax.lax.add)
    expected = reduced(window, x, 0, jax.lax.add) / count
    np.testing.assert_allclose(pool_kernel.pool_mean(window, x), expected, rtol=1e-12)
    found = jax.jit(jax.grad(lambda x: jnp.sum(pool_kernel.pool_mean(window, x) ** 2)))(x)
    native = jax.grad(lambda x: jnp.sum((reduced(window, x, 0.0, jax.lax.add) / count) ** 2))(x)
    np.testing.assert_allclose(found, native, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiles", "overlapping"])
def test_higher_orders_forward_mode_and_vmap(name: str) -> None:
    window = WINDOWS[name]
    x = data(window, 2)

    def score(pool: Any) -> Any:
        return lambda x: jnp.sum(pool(window, x) ** 4)

    def third(pool: Any) -> Any:
        second = jax.grad(lambda x: jnp.sum(jax.grad(score(pool))(x) ** 2))
        return jax.jit(jax.grad(lambda x: jnp.sum(second(x) ** 2)))(x)

    np.testing.assert_allclose(third(pool_kernel.pool_max), third(_gathered_max), rtol=1e-9)
    direction = jnp.ones_like(x)
    _, slope = jax.jvp(score(pool_kernel.pool_max), (x,), (direction,))
    np.testing.assert_allclose(slope, jnp.sum(jax.grad(score(pool_kernel.pool_max))(x)), rtol=1e-9)
    rows = jax.vmap(jax.grad(score(pool_kernel.pool_max)))(jnp.stack([x, 2 * x]))
    np.testing.assert_allclose(rows[1], 8 * rows[0], rtol=1e-9)


def _gathered_max(window: Window, x: Any) -> Any:
    """A maximum that differentiates as often as one likes, by taking the largest of all taps."""
    rows = jnp.stack(pool_kernel._taps(window, x, jnp.asarray(-jnp.inf, x.dtype)), -1)
    return jnp.take_along_axis(rows, jnp.argmax(rows, -1, keepdims=True), -1)[..., 0]


def test_a_nan_is_the_maximum_of_its_window() -> None:
    for name in ("tiles", "overlapping"):
        window = WINDOWS[name]
        x = data(window, 1).at[0, 1, 1, 0].set(jnp.nan)
        plain = pool_kernel.pool_max(window, x)
        assert jnp.isnan(plain[0, 0, 0, 0])
        y, _ = jax.vjp(lambda x, w=window: pool_kernel.pool_max(w, x), x)
        np.testing.assert_array_equal(y, plain)


@pytest.mark.parametrize("dtype", ["float16", pytest.param("bfloat16", marks=pytest.mark.slow), "float32"])
@pytest.mark.parametrize("name", ["tiles", "overlapping"])
def test_dtypes_are_kept(dtype: str, name: str) -> None:
    window = WINDOWS[name]
    x = data(window, dtype=dtype)
    for pool in (pool_kernel.pool_max, pool_kernel.pool_mean):
        y, back = jax.vjp(lambda x, p=pool: p(window, x), x)
        assert y.dtype == dtype
        assert back(y)[0].dtype == dtype


def test_half_precision_is_averaged_in_float32() -> None:
    window = window_of((64, 64), (64, 64), (64, 64))
    x = jnp.ones((1, 64, 64, 1), jnp.float16)
    assert float(pool_kernel.pool_mean(window, x)[0, 0, 0, 0]) == 1


@pytest.mark.parametrize("dtype", ["int32", "uint8", pytest.param("int64", marks=pytest.mark.slow)])
def test_maximum_of_integers(dtype: str) -> None:
    for name in ("tiles, padded", "overlapping"):
        window = WINDOWS[name]
        x = data(window, dtype=dtype, levels=9)
        expected = native_max(window, x.astype(jnp.float64))
        found = pool_kernel.pool_max(window, x)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(0, 4, 4, 2), (2, 0, 4, 2), (2, 1, 4, 2), (2, 4, 4, 0)])
def test_nothing_to_pool(shape: tuple[int, ...]) -> None:
    window = window_of(shape[1:-1], (2, 2), (2, 2), None)
    x = jnp.zeros(shape, jnp.float32)
    for pool in (pool_kernel.pool_max, pool_kernel.pool_mean):
        y, back = jax.vjp(lambda x, p=pool: p(window, x), x)
        assert y.shape == (shape[0], *window.output, shape[-1])
        assert back(y)[0].shape == shape


@EACH
def test_float32_work_has_no_float64_in_it(window: Window) -> None:
    x = data(window, dtype="f4")
    for pool in (pool_kernel.pool_max, pool_kernel.pool_mean):
        text = str(jax.make_jaxpr(jax.grad(lambda x, p=pool: jnp.sum(p(window, x))))(x))
        assert "f64" not in text
        assert "i64" not in text
