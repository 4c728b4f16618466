"""Tests for tapeflow.compat.usage: names told from the syntax tree."""

from __future__ import annotations

import textwrap

import pytest

from tapeflow.compat.usage import usage_of


def names(source: str) -> dict[str, list[int]]:
    return usage_of(textwrap.dedent(source)).by_name()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tensorflow as tf\ntf.nn.relu(1)", {"tensorflow": [1], "tensorflow.nn.relu": [2]}),
        ("import keras\nkeras.Model", {"keras": [1], "keras.Model": [2]}),
        (
            "import tensorflow.keras.backend as K\nK.epsilon()",
            {"tensorflow.keras.backend": [1], "tensorflow.keras.backend.epsilon": [2]},
        ),
        ("import tensorflow.keras\ntensorflow.nn", {"tensorflow.keras": [1], "tensorflow.nn": [2]}),
        (
            "from tensorflow.keras import layers as L\nL.Dense(1)\nL.Dense(2)",
            {"tensorflow.keras.layers": [1], "tensorflow.keras.layers.Dense": [2, 3]},
        ),
        ("from tensorflow import constant\nconstant(1)", {"tensorflow.constant": [1]}),
        (
            "import tensorflow as tf\nk = tf.keras\nl = k.layers\nl.Dense",
            {
                "tensorflow": [1],
                "tensorflow.keras": [2],
                "tensorflow.keras.layers": [3],
                "tensorflow.keras.layers.Dense": [4],
            },
        ),
        (
            "import tensorflow as tf\nx = (tf\n  .keras\n  .Desne)",
            {"tensorflow": [1], "tensorflow.keras.Desne": [4]},
        ),
        (
            "import tensorflow as tf\ntf.constant(1).numpy().foo",
            {"tensorflow": [1], "tensorflow.constant": [2]},
        ),
        ("import numpy as np\nnp.relu", {}),
        ("from . import tensorflow\nfrom .keras import x", {}),
    ],
    ids=["as", "keras", "module", "root", "from", "name", "alias", "lines", "result", "others", "relative"],
)
def test_names(source: str, expected: dict[str, list[int]]) -> None:
    assert names(source) == expected


def test_a_name_with_two_meanings_counts_as_both() -> None:
    found = names(
        "def f():\n  from tensorflow import nn as n\ndef g():\n  from tensorflow import math as n\n  n.log"
    )
    assert {"tensorflow.nn.log", "tensorflow.math.log"} <= set(found)


def test_a_star_import_is_said() -> None:
    usage = usage_of("from tensorflow.keras.layers import *\nDense(1)")
    assert usage.hidden == [1]
    assert list(usage.by_name()) == ["tensorflow.keras.layers"]


def test_an_alias_of_itself_comes_to_an_end() -> None:
    assert "tensorflow" in names("import tensorflow as a\nb = a.x\na = b.y\nb = a.z")


def test_what_is_no_python() -> None:
    with pytest.raises(SyntaxError):
        usage_of("def f(:")
