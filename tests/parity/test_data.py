"""tf.data against what TensorFlow gives: order, structure, dtypes, specs, cardinality, kinds of error."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
import tapeflow.data

FIXTURES = Path(__file__).parent / "fixtures"


def _maker() -> Any:
    """The script that made the fixtures: what a case's expression means is said there."""
    spec = importlib.util.spec_from_file_location("make_data", FIXTURES / "make_data.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(FIXTURES / "make_data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = _maker()
KNOWN_HERE = ("tf.py_function", "tf.numpy_function")
"""TensorFlow does not know the shape of what these return; here it is that of the first elements."""
CASES: dict[str, Any] = json.loads((FIXTURES / "data.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_as_in_tensorflow(case: str) -> None:
    found = MAKER.outcome(case, MAKER.names(tf, np))
    wanted = CASES[case]
    if any(name in case for name in KNOWN_HERE):
        assert "<unknown>" in wanted["spec"]
        wanted = {**wanted, "spec": found["spec"]}
    assert found == wanted
