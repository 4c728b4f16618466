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
    assert " ".join(lines[1].split()) == "no tensorflow.keras.layers.Desne line 4; the nearest is 'Dense'"
    assert "tensorflow.nosuch is missing" in lines[2]
    has = {entry["name"]: entry["has"] for entry in report.as_json()["names"]}
    assert has["tensorflow.keras.layers.Dense"]
    assert has["tensorflow.version.VERSION"]
    assert not has["tensorflow.nosuch.deeper"]


def test_what_a_star_import_brings_is_looked_up() -> None:
    source = "from keras.layers import *\nfrom tensorflow import *\nDense, load_op_library, constant, nn.relu, mine"
    report = report_on("a.py", usage_of(source))
    assert {f.name: f.verdict for f in report.findings if f.lines == [3]} == {
        "tensorflow.load_op_library": "no",
        "keras.layers.Dense": "yes",
        "tensorflow.constant": "yes",
        "tensorflow.nn.relu": "yes",
    }
    assert report.hidden == ("mine",)
    assert "mine: nothing in the script says what these are" in str(report)


def test_what_differs_is_told_how() -> None:
    report = report_on("a.py", usage_of("import keras\nkeras.layers.RandomHeight"))
    assert [f.verdict for f in report.findings] == ["part", "yes"]
    assert "the training step runs as plain Python" in str(report).splitlines()[2]
    assert report.as_json()["names"][0]["differs"]
    assert report.is_runnable


def test_one_of_two_meanings_is_enough() -> None:
    both = "try:\n  import keras.nosuch as k\nexcept ImportError:\n  import tensorflow.keras as k\n"
    report = report_on("a.py", usage_of(f"{both}k.Model"))
    assert [(f.name, f.verdict) for f in report.findings] == [
        *(("keras.nosuch", "no"), ("tensorflow.keras", "yes"), ("tensorflow.keras.Model", "yes")),
    ]
    assert report.is_runnable
    assert "line 2, where the script goes on without it" in str(report)
    assert not report_on("a.py", usage_of(f"{both}k.Modle")).is_runnable


def test_what_may_be_the_scripts_own_is_not_called_missing() -> None:
    assert not report_on("a.py", usage_of("from keras import losses\nlosses = []\nlosses.append(1)")).missing


def test_nothing_stays_installed() -> None:
    was = is_installed(), "tensorflow" in sys.modules
    report_on("a.py", usage_of("import tensorflow"))
    assert (is_installed(), "tensorflow" in sys.modules) == was
