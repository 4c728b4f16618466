"""Twenty steps of every optimizer, against Keras 2 (from a file) and Keras 3 on JAX (run here)."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import optimizers

# Keras 3 itself, with the numpy of today.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "fixtures" / "optimizer_cases.json").read_text())
KEPT = (0, 1, 4, 9, 19)


@pytest.fixture(scope="module")
def recorded(fixtures: Path) -> dict[str, np.ndarray]:
    return dict(np.load(fixtures / "optimizers.npz"))


def trajectory(
    optimizer: Any,
    variables: list[Any],
    gradients: list[np.ndarray],
    convert: Any,
    read: Any = tf.Variable.numpy,
) -> np.ndarray:
    rows = []
    for step in range(len(gradients[0])):
        optimizer.apply_gradients(zip([convert(g[step]) for g in gradients], variables, strict=True))
        rows.append(np.concatenate([np.ravel(read(v)) for v in variables]))
    return np.stack(rows)


def ours(case: str, recorded: dict[str, np.ndarray]) -> tuple[np.ndarray, Any, list[tf.Variable]]:
    name, config = CASES[case]
    optimizer = optimizers.deserialize({"class_name": name, "config": config})
    variables = [tf.Variable(recorded[f"start_{i}"]) for i in range(2)]
    gradients = [recorded[f"gradients_{i}"] for i in range(2)]
    return trajectory(optimizer, variables, gradients, tf.constant), optimizer, variables


@pytest.mark.parametrize("case", CASES)
def test_as_keras_2(case: str, recorded: dict[str, np.ndarray]) -> None:
    rows, optimizer, variables = ours(case, recorded)
    np.testing.assert_allclose(rows[list(KEPT)], recorded[case], rtol=1e-5, atol=1e-6)
    if f"{case}/final" in recorded:
        optimizer.finalize_variable_values(variables)
        final = np.concatenate([v.numpy().ravel() for v in variables])
        np.testing.assert_allclose(final, recorded[f"{case}/final"], rtol=1e-5, atol=1e-6)


# One of each, for Keras 3 runs op by op and slowly; and what only Keras 3 has.
KERAS_3: dict[str, Any] = {
    **{case: CASES[case] for case in CASES if "_" not in case},
    "lamb": ["Lamb", {"learning_rate": 0.01}],
    "lamb_options": ["Lamb", {"learning_rate": 0.01, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 0.01}],
    "sgd_accumulation": ["SGD", {"learning_rate": 0.1, "momentum": 0.9, "gradient_accumulation_steps": 3}],
    "adam_accumulation": [
        "Adam",
        {"learning_rate": 0.01, "gradient_accumulation_steps": 4, "clipnorm": 0.3, "weight_decay": 0.1},
    ],
    "adam_scaled": ["Adam", {"learning_rate": 0.01, "loss_scale_factor": 4.0, "epsilon": 0.1}],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", KERAS_3)
def test_as_keras_3(case: str, keras: ModuleType, recorded: dict[str, np.ndarray]) -> None:
    name, config = KERAS_3[case]
    rate = config["learning_rate"]
    if isinstance(rate, dict):
        rate = getattr(keras.optimizers.schedules, rate["class_name"])(**rate["config"])
    theirs = getattr(keras.optimizers, name)(**{**config, "learning_rate": rate})
    variables = [keras.Variable(recorded[f"start_{i}"]) for i in range(2)]
    gradients = [recorded[f"gradients_{i}"] for i in range(2)]
    expected = trajectory(
        theirs, variables, gradients, keras.ops.convert_to_tensor, keras.ops.convert_to_numpy
    )
    optimizer = optimizers.deserialize({"class_name": name, "config": config})
    mine = [tf.Variable(recorded[f"start_{i}"]) for i in range(2)]
    found = trajectory(optimizer, mine, gradients, tf.constant)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
