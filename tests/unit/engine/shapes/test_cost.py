"""Estimates of how long programs run and compile."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from tapeflow.engine.shapes.cost import compile_time, run_time


def trace(function, shape: str, *shapes: str):
    arguments = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(s), jnp.float32) for s in (shape, *shapes)]
    return jax.make_jaxpr(function)(*arguments).jaxpr


def test_elements_and_products_count() -> None:
    added, multiplied = trace(jnp.add, "8, 8", "8, 8"), trace(jnp.matmul, "8, 8", "8, 8")
    assert 0 < run_time(added, {}) < run_time(multiplied, {})


@pytest.mark.parametrize(
    ("function", "times"),
    [
        (lambda x: x + 1, 4),
        (lambda x: x @ x.T, 16),
        (lambda x: lax.scan(lambda total, row: (total + row, row * 2), x[0] * 0, x)[1], 4),
    ],
)
def test_time_grows_with_the_sizes(function, times: int) -> None:
    jaxpr = trace(function, "n, 1000")
    assert run_time(jaxpr, {"n": 400}) / run_time(jaxpr, {"n": 100}) == pytest.approx(times, rel=0.3)


def test_convolutions_count_their_filters() -> None:
    def times(size: int) -> int:
        def convolve(x, filters):
            return lax.conv_general_dilated(
                x, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )

        return run_time(trace(convolve, "b, 8, 8, 16", f"{size}, {size}, 16, 4"), {"b": 2})

    assert times(5) / times(1) == pytest.approx(25, rel=0.7)


def test_what_loops_run_is_compiled_once() -> None:
    def loop(turns: str):
        return trace(
            lambda x, y: lax.scan(lambda total, row: (total + row, None), x, y)[0], "3", f"{turns}, 3"
        )

    assert compile_time(loop("n")) == compile_time(loop("9"))
    assert compile_time(trace(lambda x: jnp.sin(jnp.sin(x)), "n")) == 2 * compile_time(trace(jnp.sin, "n"))
