"""Constraints against Keras 2 (values from a file) and Keras 3 (in process)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import constraints

KERAS_2 = {
    "max_norm": constraints.MaxNorm(1.2, axis=0),
    "max_norm_rows": constraints.MaxNorm(1, axis=1),
    "non_neg": constraints.NonNeg(),
    "unit_norm": constraints.UnitNorm(),
    "min_max_norm": constraints.MinMaxNorm(0.5, 1.5, rate=0.8),
}


@pytest.mark.parametrize("case", KERAS_2)
def test_keras_2(case: str, fixtures: Path) -> None:
    with np.load(fixtures / "base_families.npz") as arrays:
        x, expected = arrays["x"], arrays[f"constraint/{case}"]
    np.testing.assert_allclose(KERAS_2[case](tf.constant(x)).numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_radial(size: int, fixtures: Path) -> None:
    with np.load(fixtures / "base_families.npz") as arrays:
        kernel, expected = arrays[f"kernel/{size}"], arrays[f"radial/{size}"]
    np.testing.assert_array_equal(constraints.RadialConstraint()(tf.constant(kernel)).numpy(), expected)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("MaxNorm", {"max_value": 0.7, "axis": [0, 1, 2]}),
        ("NonNeg", {}),
        ("UnitNorm", {"axis": [0, 1, 2]}),
        ("MinMaxNorm", {"min_value": 0.3, "max_value": 0.6, "rate": 0.5, "axis": 1}),
    ],
)
def test_keras_3(name: str, arguments: dict[str, Any], keras: ModuleType) -> None:
    w = np.random.default_rng(2).normal(size=(3, 3, 2, 4)).astype("float32")
    ours, oracle = getattr(constraints, name)(**arguments), getattr(keras.constraints, name)(**arguments)
    np.testing.assert_allclose(ours(tf.constant(w)).numpy(), np.asarray(oracle(w)), rtol=2e-6, atol=1e-7)
    assert ours.get_config() == oracle.get_config()


def test_every_name_of_keras_3_is_here(keras: ModuleType) -> None:
    missing = [name for name in dir(keras.constraints) if name[0] != "_" and not hasattr(constraints, name)]
    assert missing == []
