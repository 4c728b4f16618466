"""Every schedule against Keras 3 on JAX, at many steps."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tapeflow.keras.optimizers import schedules

CASES: list[tuple[str, dict[str, Any]]] = [
    ("ExponentialDecay", {"initial_learning_rate": 0.3, "decay_steps": 7, "decay_rate": 0.8}),
    (
        "ExponentialDecay",
        {"initial_learning_rate": 0.3, "decay_steps": 7, "decay_rate": 0.8, "staircase": True},
    ),
    ("InverseTimeDecay", {"initial_learning_rate": 0.3, "decay_steps": 7, "decay_rate": 0.8}),
    (
        "InverseTimeDecay",
        {"initial_learning_rate": 0.3, "decay_steps": 7, "decay_rate": 2.0, "staircase": True},
    ),
    ("PolynomialDecay", {"initial_learning_rate": 0.3, "decay_steps": 20}),
    (
        "PolynomialDecay",
        {"initial_learning_rate": 0.3, "decay_steps": 9, "power": 0.5, "end_learning_rate": 0.01},
    ),
    ("PolynomialDecay", {"initial_learning_rate": 0.3, "decay_steps": 9, "power": 2.0, "cycle": True}),
    ("CosineDecay", {"initial_learning_rate": 0.3, "decay_steps": 20}),
    ("CosineDecay", {"initial_learning_rate": 0.3, "decay_steps": 20, "alpha": 0.2}),
    (
        "CosineDecay",
        {
            "initial_learning_rate": 0.0,
            "decay_steps": 20,
            "warmup_target": 0.3,
            "warmup_steps": 6,
            "alpha": 0.1,
        },
    ),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.3, "first_decay_steps": 5}),
    (
        "CosineDecayRestarts",
        {"initial_learning_rate": 0.3, "first_decay_steps": 6, "t_mul": 1.5, "m_mul": 0.8, "alpha": 0.1},
    ),
    (
        "CosineDecayRestarts",
        {"initial_learning_rate": 0.3, "first_decay_steps": 6, "t_mul": 1.0, "m_mul": 0.5},
    ),
    ("PiecewiseConstantDecay", {"boundaries": [5, 10, 20], "values": [1.0, 0.5, 0.2, 0.1]}),
]
STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 14, 19, 20, 21, 25, 26, 27, 35, 50, 1000]


@pytest.mark.parametrize(("name", "config"), CASES, ids=[f"{i}-{name}" for i, (name, _) in enumerate(CASES)])
def test_as_keras_3(name: str, config: dict[str, Any], keras: ModuleType) -> None:
    theirs = getattr(keras.optimizers.schedules, name)(**config)
    ours = getattr(schedules, name)(**config)
    expected = [float(theirs(step)) for step in STEPS]
    found = [float(ours(step)) for step in STEPS]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
