"""Bessel functions against scipy's."""

from __future__ import annotations

import numpy as np

import tapeflow as tf


def test_bessel_functions_are_exact_where_the_formulas_meet() -> None:
    from scipy import special

    x = np.concatenate([np.linspace(1.9, 2.1, 21), np.geomspace(1e-6, 1e3, 40)])
    for name in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e"):
        found = getattr(tf.math.special, f"bessel_{name}")(tf.constant(x)).numpy()
        np.testing.assert_allclose(found, getattr(special, name)(x), rtol=2e-12, atol=1e-13, err_msg=name)
    np.testing.assert_array_equal(tf.math.special.bessel_j1([-1.0]), -tf.math.special.bessel_j1([1.0]))
    assert float(tf.math.special.bessel_j0(np.inf)) == float(tf.math.special.bessel_k1(np.inf)) == 0
