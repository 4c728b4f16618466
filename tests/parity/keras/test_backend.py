"""`keras.backend` against Keras 2: one expression a line in fixtures/backend_cases.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import backend as K

CASES = (Path(__file__).parent / "fixtures" / "backend_cases.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def recorded(fixtures: Path) -> dict[str, np.ndarray]:
    with np.load(fixtures / "backend.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("expression", CASES)
def test_keras_2(expression: str, recorded: dict[str, np.ndarray]) -> None:
    names: dict[str, Any] = {"K": K}
    names |= {name: tf.constant(array) for name, array in recorded.items() if "/" not in name}
    expected = recorded[f"result/{expression}"]
    ours = np.asarray(K.get_value(eval(expression, names)))
    assert ours.shape == expected.shape
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(ours, expected, rtol=2e-5, atol=2e-6)
