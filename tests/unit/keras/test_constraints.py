"""Constraints: the contract of the family, look-up and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import constraints

ALL = [
    constraints.MaxNorm(0.7, axis=[0, 1]),
    constraints.NonNeg(),
    constraints.UnitNorm(axis=1),
    constraints.MinMaxNorm(0.2, 0.4, 0.5, axis=0),
    constraints.RadialConstraint(),
]
W = np.random.default_rng(0).normal(size=(3, 3, 2, 4)).astype("float32")


@pytest.mark.parametrize("constraint", ALL, ids=lambda constraint: type(constraint).__name__)
class TestContract:
    def test_applied_to_a_variable_in_a_staged_step(self, constraint: Any) -> None:
        w = tf.Variable(W)
        expected = constraint(tf.constant(W)).numpy()

        @tf.function
        def step() -> None:
            w.assign(constraint(w))

        step()
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-6, atol=1e-7)

    def test_config_round_trip(self, constraint: Any) -> None:
        again = constraints.get(constraints.serialize(constraint))
        assert type(again) is type(constraint)
        assert again.get_config() == constraint.get_config()

    def test_dtype_is_kept(self, constraint: Any) -> None:
        assert constraint(tf.constant(W, "float64")).dtype == tf.float64


def test_norms() -> None:
    norms = np.linalg.norm(constraints.MaxNorm(0.7)(tf.constant(W)).numpy(), axis=0)
    assert norms.max() < 0.7001
    np.testing.assert_allclose(
        np.linalg.norm(constraints.UnitNorm()(tf.constant(W)).numpy(), axis=0), 1, rtol=1e-5
    )
    assert (constraints.NonNeg()(tf.constant(W)).numpy() >= 0).all()


def test_radial_kernel_of_one_cell_is_kept() -> None:
    w = tf.constant(W[:1, :1])
    np.testing.assert_array_equal(constraints.RadialConstraint()(w).numpy(), W[:1, :1])


def test_constraints_are_found_by_name() -> None:
    for name, kind in {
        "max_norm": constraints.MaxNorm,
        "maxnorm": constraints.MaxNorm,
        "non_neg": constraints.NonNeg,
        "nonneg": constraints.NonNeg,
        "unit_norm": constraints.UnitNorm,
        "unitnorm": constraints.UnitNorm,
        "min_max_norm": constraints.MinMaxNorm,
        "radial_constraint": constraints.RadialConstraint,
        "MaxNorm": constraints.MaxNorm,
    }.items():
        assert type(constraints.get(name)) is kind
    assert constraints.get(None) is None
    assert type(constraints.get(constraints.NonNeg)) is constraints.NonNeg
    assert constraints.max_norm(3).max_value == 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: constraints.get("norm2"), "Unknown constraint: 'norm2'. Please ensure"),
        (lambda: constraints.get(3), "Could not interpret constraint function identifier: 3"),
        (
            lambda: constraints.RadialConstraint()(tf.ones((2, 2))),
            "The weight tensor must have rank 4. Received",
        ),
        (
            lambda: constraints.RadialConstraint()(tf.ones((2, 3, 1, 1))),
            r"RadialConstraint expected a square kernel; got w of shape \(2, 3, 1, 1\)",
        ),
    ],
)
def test_unknown_identifiers_and_wrong_kernels_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
