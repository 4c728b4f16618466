"""Every metric against Keras 2, batch by batch: results, Variables and configs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FIXTURE = json.loads((Path(__file__).parent / "fixtures" / "metrics.json").read_text())
CASES = FIXTURE["cases"]
FLOAT64 = json.loads((Path(__file__).parent / "fixtures" / "float64.json").read_text())["metrics"]


def array(value: Any) -> Any:
    return np.asarray(value["value"], value["dtype"]) if isinstance(value, dict) else value


def identity(case: dict[str, Any]) -> str:
    arguments = "-".join(f"{key}={value}" for key, value in case["arguments"].items())
    return f"{case['metric']}-{arguments}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=identity)
def test_metric_gives_what_keras_2_gives(case: dict[str, Any]) -> None:
    metric = getattr(tf.keras.metrics, case["metric"])(name="it", **case["arguments"])
    results = []
    for batch in FIXTURE["batches"][case["batches"]]:
        try:
            metric.update_state(*map(array, batch))
        except (ValueError, tf.errors.InvalidArgumentError):
            results.append("error")
        else:
            results.append(metric.result())
    for found, wanted in zip(results, case["results"], strict=True):
        if isinstance(wanted, str):
            assert isinstance(found, str)
            continue
        assert not isinstance(found, str)
        np.testing.assert_allclose(found.numpy(), array(wanted), rtol=1e-6, atol=2e-7)
        assert found.dtype.name == wanted["dtype"]
    assert [w.name for w in metric.weights] == [name for name, _ in case["weights"]]
    for variable, (_, wanted) in zip(metric.weights, case["weights"], strict=True):
        np.testing.assert_allclose(variable.numpy(), array(wanted), rtol=2e-6, atol=2e-6)


def wide(value: Any) -> Any:
    found = array(value)
    return found.astype("float64") if isinstance(found, np.ndarray) and found.dtype.kind == "f" else found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("op_by_op", "float64")
@pytest.mark.parametrize("number", FLOAT64, ids=lambda n: identity(CASES[int(n)]))
def test_nine_digits_in_float64(number: str) -> None:
    case, expected = CASES[int(number)], FLOAT64[number]
    metric = getattr(tf.keras.metrics, case["metric"])(**case["arguments"])
    atol = 3e-9 if case["metric"] == "LogCoshError" else 1e-12  # Keras 2 has log(2) of it in float32
    for batch, wanted in zip(FIXTURE["batches"][case["batches"]], expected, strict=True):
        if wanted != "error":
            metric.update_state(*map(wide, batch))
            np.testing.assert_allclose(metric.result(), wanted, rtol=1e-9, atol=atol)


@pytest.mark.parametrize("case", CASES, ids=identity)
def test_config_is_that_of_keras_2(case: dict[str, Any]) -> None:
    metric = getattr(tf.keras.metrics, case["metric"])(name="it", **case["arguments"])
    config = metric.get_config()
    assert set(config) == set(case["config"])
    for key, wanted in case["config"].items():
        np.testing.assert_array_equal(config[key], array(wanted))
