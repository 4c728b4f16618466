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
        np.testing.assert_allclose(found.numpy(), array(wanted), rtol=5e-6, atol=2e-7)
        assert found.dtype.name == wanted["dtype"]
    assert [w.name for w in metric.weights] == [name for name, _ in case["weights"]]
    for variable, (_, wanted) in zip(metric.weights, case["weights"], strict=True):
        np.testing.assert_allclose(variable.numpy(), array(wanted), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("case", CASES, ids=identity)
def test_config_is_that_of_keras_2(case: dict[str, Any]) -> None:
    metric = getattr(tf.keras.metrics, case["metric"])(name="it", **case["arguments"])
    config = metric.get_config()
    assert set(config) == set(case["config"])
    for key, wanted in case["config"].items():
        np.testing.assert_array_equal(config[key], array(wanted))
