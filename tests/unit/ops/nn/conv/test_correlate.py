"""The gradient of the filters as a convolution, against the native one."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow.engine.backend  # noqa: F401 (switches float64 on)
from tapeflow.ops.nn.conv import correlate as conv_correlate
from tapeflow.ops.nn.window import Window


@settings(max_examples=20, deadline=None)
@given(
    input=st.tuples(st.integers(3, 7), st.integers(3, 7)),
    size=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    strides=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    dilations=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    padding=st.tuples(*[st.tuples(st.integers(0, 2), st.integers(0, 2))] * 2),
    samples=st.sampled_from([2, 4]),
)
def test_any_window(input: Any, size: Any, strides: Any, dilations: Any, padding: Any, samples: int) -> None:
    window = Window(input, size, strides, padding, dilations)
    if 0 in window.output:
        return
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(samples, *input, 3)))
    y = jnp.asarray(rng.normal(size=(samples, *window.output, 5)))

    def native(w: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, w, strides, padding, None, dilations, numbers)

    (expected,) = jax.linear_transpose(native, jax.ShapeDtypeStruct((*size, 3, 5), x.dtype))(y)
    np.testing.assert_allclose(conv_correlate.to_filter(window, 2, x, y), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("samples", "outputs", "block"),
    [(32, 64, 8), (24, 17, 8), (12, 64, 0), (64, 16, 32), (16, 16, 0), (64, 8, 0)],
)
def test_samples_of_a_block(samples: int, outputs: int, block: int) -> None:
    assert conv_correlate.samples_of_block(samples, outputs) == block
