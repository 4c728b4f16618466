"""Strings, ragged and sparse tensors, tables and tf.io against what TensorFlow gives."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"


def _maker() -> Any:
    """The script that made the fixtures: what a case's expression means is said there."""
    spec = importlib.util.spec_from_file_location("make_host", FIXTURES / "make_host.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(FIXTURES / "make_host.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = _maker()
CASES: dict[str, str] = json.loads((FIXTURES / "host.json").read_text())


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    return MAKER.names(tf, np)


@pytest.mark.parametrize("case", CASES)
def test_as_in_tensorflow(case: str, known: dict[str, Any]) -> None:
    assert MAKER.outcome(case, known) == CASES[case]
