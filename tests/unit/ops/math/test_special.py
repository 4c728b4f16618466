"""Special functions at their poles and ends; the rest is compared with SciPy in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import special as tf

nan, inf = np.nan, np.inf


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (lambda: tf.erfinv([1.0, -1.0, 2.0]), [inf, -inf, nan]),
        (lambda: tf.erfcinv([0.0, 1.0, 2.0]), [inf, 0, -inf]),
        (lambda: tf.ndtri([0.0, 0.5, 1.0]), [-inf, 0, inf]),
        (lambda: tf.lgamma([0.0, -1.0, -0.5]), [inf, inf, 1.2655121]),
        (lambda: tf.digamma([0.0, -1.0, -0.5]), [nan, nan, 0.03648998]),
        (lambda: tf.polygamma([0.0, 1.0, 1.5, -1.0], 1.0), [-0.5772157, 1.6449341, nan, nan]),
        (lambda: tf.zeta([2.0, 1.0], 1.0), [1.6449341, inf]),
        (lambda: tf.lbeta([[1.0, 2.0], [3.0, 4.0]]), [-0.6931472, -4.0943446]),
        (lambda: tf.betainc(0.5, 1.0, constant([0.3])), [0.5477226]),
    ],
)
def test_result(result: Any, value: Any) -> None:
    tensor = result()
    assert tensor.dtype.name == "float32"
    np.testing.assert_allclose(tensor.numpy(), value, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["erf", "lgamma", "digamma", "ndtri", "bessel_i0", "lbeta"])
def test_integers_are_refused(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a floating-point tensor for x"):
        getattr(tf, name)(constant([1]))
