"""Tests for tapeflow.compat.report."""

from __future__ import annotations

import sys

import pytest

from tapeflow.compat import is_installed
from tapeflow.compat.report import report_on
from tapeflow.compat.usage import usage_of

pytestmark = pytest.mark.usefixtures("no_real_tensorflow")

SCRIPT = """
import tensorflow as tf
from tensorflow.keras import layers
layers.Dense, layers.Desne, tf.version.VERSION, tf.data.Dataset.from_tensor_slices
tf.nosuch.deeper
"""


def test_names_are_looked_up_and_what_is_missing_comes_first() -> None:
    report = report_on("a.py", usage_of(SCRIPT))
    assert [(f.name, f.missing) for f in report.missing] == [
        ("tensorflow.keras.layers.Desne", "tensorflow.keras.layers.Desne"),
        ("tensorflow.nosuch.deeper", "tensorflow.nosuch"),
    ]
    assert "'Dense'" in report.missing[0].advice
    assert report.findings[: len(report.missing)] == tuple(report.missing)
    lines = str(report).splitlines()
    assert lines[0] == "a.py: TapeFlow has 5 of the 7 TensorFlow names it uses."
    assert " ".join(lines[1].split()) == "no tensorflow.keras.layers.Desne line 4; the nearest are 'Dense'"
    assert "tensorflow.nosuch is missing" in lines[2]
    has = {entry["name"]: entry["has"] for entry in report.as_json()["names"]}
    assert has["tensorflow.keras.layers.Dense"]
    assert has["tensorflow.version.VERSION"]
    assert not has["tensorflow.nosuch.deeper"]


def test_a_star_import_is_shown() -> None:
    assert "line 1: `import *` hides" in str(report_on("a.py", usage_of("from keras import *")))


def test_nothing_stays_installed() -> None:
    was = is_installed(), "tensorflow" in sys.modules
    report_on("a.py", usage_of("import tensorflow"))
    assert (is_installed(), "tensorflow" in sys.modules) == was
