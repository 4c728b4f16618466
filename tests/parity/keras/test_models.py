"""What models show (summaries, names, orders, shapes, configs), line by line against Keras 2."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = json.loads((FIXTURES / "models.json").read_text())
CASES = runpy.run_path(str(FIXTURES / "model_cases.py"))["CASES"]


def test_every_case_was_recorded():
    assert sorted(CASES) == sorted(EXPECTED)


@pytest.mark.parametrize("name", CASES)
def test_a_model_shows_what_keras_2_shows(name):
    tf.keras.backend.clear_session()
    found = json.loads(json.dumps(CASES[name](tf, tf.keras)))
    assert_agrees(found, EXPECTED[name], name)


def assert_agrees(found, expected, where):
    """Equal, floating numbers to 1e-6, and say where not."""
    if isinstance(expected, dict):
        assert sorted(found) == sorted(expected), where
        for key, value in expected.items():
            assert_agrees(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list) and all(isinstance(v, float) for v in expected):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6, err_msg=where)
    elif isinstance(expected, list) and all(isinstance(v, str) for v in expected):
        assert found == expected, where
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_agrees(found[i], value, f"{where}[{i}]")
    else:
        assert found == expected, where
