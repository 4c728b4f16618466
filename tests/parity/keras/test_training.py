"""The logs of fit, evaluate and predict, and the weights they leave, against Keras 2."""

import json
import math
import runpy
from pathlib import Path

import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = json.loads((FIXTURES / "training.json").read_text())
CASES = runpy.run_path(str(FIXTURES / "training_cases.py"))["CASES"]


def test_every_case_was_recorded():
    assert sorted(CASES) == sorted(EXPECTED)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:Gradients do not exist")  # an output without a loss has none
def test_a_training_goes_as_in_keras_2(name):
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(1)
    found = json.loads(json.dumps(CASES[name](tf, tf.keras), default=float))
    assert_agrees(found, EXPECTED[name], name)


def assert_agrees(found, expected, where):
    """Equal, names in their order, numbers to 1e-6 of their size; and say where not."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            assert_agrees(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_agrees(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-6, abs_tol=2e-6), f"{where}: {found} for {expected}"
    else:
        assert found == expected, where
