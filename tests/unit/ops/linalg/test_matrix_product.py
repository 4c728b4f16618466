"""Products of transposed matrices and the gradients made of them, in both orders of the operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.linalg import matrix_product


@pytest.mark.parametrize("shape", [(200, 20, 3), (200, 3, 20), (5, 20, 3), (200, 7, 7)])
def test_transposed_product(shape: tuple[int, int, int]) -> None:
    rows, height, width = shape
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(rows, height)), rng.normal(size=(rows, width))
    found = matrix_product.dot_transposed(jnp.asarray(a), jnp.asarray(b))
    np.testing.assert_allclose(found, a.T @ b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("inputs", [1, 3, 4, 5])
def test_product_of_few_inputs(inputs: int) -> None:
    rng = np.random.default_rng(0)
    x, kernel = rng.normal(size=(200, inputs)), rng.normal(size=(inputs, 8))
    found = matrix_product.dot_inputs(jnp.asarray(x), jnp.asarray(kernel))
    np.testing.assert_allclose(found, x @ kernel, rtol=1e-12, atol=1e-12)
    program = str(jax.make_jaxpr(matrix_product.dot_inputs)(x, kernel))
    assert ("dot_general" in program) is (inputs > 4)


@pytest.mark.parametrize(
    ("rows", "height", "width", "is_swapped"),
    [
        (1024, 576, 64, True),
        (1024, 64, 576, False),
        (1024, 64, 64, False),
        (32, 576, 64, False),  # too few rows to sum over
        (256, 4608, 512, False),  # a large result
    ],
)
def test_tall_results_of_many_rows_are_swapped(rows: int, height: int, width: int, is_swapped: bool) -> None:
    assert matrix_product._is_swapped(rows, height, width) is is_swapped


def gradients_to_second_order(multiply: Callable[..., Any], x: Any, kernel: Any) -> Any:
    def first(x: Any, kernel: Any) -> Any:
        return jax.grad(lambda x, kernel: jnp.sum(jnp.sin(multiply(x, kernel))), (0, 1))(x, kernel)

    def second(x: Any, kernel: Any) -> Any:
        return jax.grad(lambda x, kernel: sum(jnp.sum(g**2) for g in first(x, kernel)), (0, 1))(x, kernel)

    return jax.jit(lambda x, kernel: (multiply(x, kernel), first(x, kernel), second(x, kernel)))(x, kernel)


@pytest.mark.parametrize(
    ("shape", "outputs"),
    [((200, 20), 3), ((200, 3), 20), ((2, 100, 20), 3), ((4, 5, 10, 3), 5), ((5, 20), 3), ((3, 0, 4), 2)],
)
def test_projection_and_its_gradients_to_second_order(shape: tuple[int, ...], outputs: int) -> None:
    rng = np.random.default_rng(0)
    x, kernel = jnp.asarray(rng.normal(size=shape)), jnp.asarray(rng.normal(size=(shape[-1], outputs)))
    found = gradients_to_second_order(matrix_product.project, x, kernel)
    expected = gradients_to_second_order(jnp.matmul, x, kernel)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * float(jnp.abs(b).max(initial=1)))


def test_projection_under_vmap() -> None:
    rng = np.random.default_rng(0)
    xs, kernels = jnp.asarray(rng.normal(size=(2, 200, 20))), jnp.asarray(rng.normal(size=(2, 20, 3)))

    def gradient(multiply: Callable[..., Any]) -> Any:
        return jax.vmap(jax.grad(lambda x, w: jnp.sum(multiply(x, w) ** 2), (0, 1)))(xs, kernels)

    for a, b in zip(gradient(matrix_product.project), gradient(jnp.matmul), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32"])
def test_projection_keeps_the_dtype(dtype: str) -> None:
    x, kernel = jnp.ones((200, 20), dtype), jnp.ones((20, 3), dtype)
    assert matrix_product.project(x, kernel).dtype == dtype
    if dtype != "int32":
        found = jax.grad(lambda *a: jnp.sum(matrix_product.project(*a)), (0, 1))(x, kernel)
        assert [g.dtype for g in found] == [dtype, dtype]


@pytest.mark.parametrize(("platform", "is_swapped"), [("cpu", True), ("cuda", False), ("tpu", False)])
def test_the_order_is_changed_on_cpus_only(platform: str, is_swapped: bool) -> None:
    x, kernel = jnp.ones((200, 20), jnp.float32), jnp.ones((20, 3), jnp.float32)
    gradient = jax.grad(lambda w, x: jnp.sum(matrix_product.project(x, w) ** 2))
    text = jax.jit(gradient).trace(kernel, x).lower(lowering_platforms=(platform,)).as_text()
    assert ("optimization_barrier" in text) is is_swapped
