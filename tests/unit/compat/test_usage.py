"""Tests for tapeflow.compat.usage: names told from the syntax tree."""

from __future__ import annotations

import textwrap

import pytest

from tapeflow.compat.usage import usage_of


def names(source: str) -> dict[str, list[int]]:
    """The lines of each name."""
    found: dict[str, list[int]] = {}
    for use in usage_of(textwrap.dedent(source)).uses:
        for name in use.names:
            found.setdefault(name, []).append(use.line)
    return found


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


def test_a_name_is_what_its_scope_says() -> None:
    found = names(
        """
        from tensorflow.keras import layers, losses
        def f(layers, *, losses=losses.mse):
            layers.append(1)
            return [losses.x for losses in layers]
        class A:
            losses = []
            def g(self):
                return losses.mae
        lambda layers: layers.pop()
        with open("a") as losses_file:
            losses_file.x
        """
    )
    assert sorted(found) == [
        *("tensorflow.keras.layers", "tensorflow.keras.losses"),
        *("tensorflow.keras.losses.mae", "tensorflow.keras.losses.mse"),
    ]


def test_a_name_that_is_bound_again_is_uncertain() -> None:
    uses = usage_of("from keras import losses\nlosses = []\nlosses.append(1)").uses
    assert [(use.names[0], use.is_certain) for use in uses] == [
        ("keras.losses", True),
        ("keras.losses.append", False),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import tensorflow as tf\ngetattr(tf.keras, 'layers').Dense",
            {"tensorflow.keras.layers.Dense": [2]},
        ),
        ("import tensorflow as tf\ntf = tf.compat.v1\ntf.Session", {"tensorflow.compat.v1.Session": [3]}),
        ("import keras\nL, K = keras.layers, keras.backend\nK.sum", {"keras.backend.sum": [3]}),
        (
            "from tensorboard.plugins.hparams import api as hp\nhp.HParam",
            {"tensorboard.plugins.hparams.api.HParam": [2]},
        ),
        (
            "import keras\nglobal_k = None\ndef f():\n  global global_k\n  global_k = keras\nglobal_k.Model",
            {"keras.Model": [6]},
        ),
        ("import tensorflow as tf\nf'{tf.nn.relu}', 'tf.nn.elu'", {"tensorflow.nn.relu": [2]}),
        (
            "import tensorflow as tf\nasync def f(x: tf.Tensor) -> tf.DType: pass",
            {"tensorflow.Tensor": [2], "tensorflow.DType": [2]},
        ),
    ],
    ids=["getattr", "again", "pairs", "tensorboard", "global", "strings", "annotations"],
)
def test_names_are_followed(source: str, expected: dict[str, list[int]]) -> None:
    found = names(source)
    assert {name: found.get(name) for name in expected} == expected
    assert "tensorflow.nn.elu" not in found


@pytest.mark.parametrize(
    "source",
    [
        "try:\n  tf.x\nexcept AttributeError: pass",
        "try:\n  from tensorflow import x\nexcept: x = None",
        "if hasattr(tf, 'x'):\n  tf.x",
        "tf.x if tf.__version__ > '2' else 1",
        "getattr(tf, 'x', None)",
        "try:\n  x = tf.x\nexcept Exception: x = None\nx.y",
        "try:\n  t = tf.distribute.cluster_resolver.TPUClusterResolver()\n  tf.x(t)\nexcept ValueError: pass",
        "tpu = None\nif tpu is not None:\n  tf.x(tpu)",
    ],
    ids=["try", "import", "hasattr", "version", "default", "alias", "tpu", "if_tpu"],
)
def test_what_a_script_goes_on_without_is_guarded(source: str) -> None:
    uses = [use for use in usage_of(f"import tensorflow as tf\n{source}").uses if ".x" in use.names[0]]
    assert uses
    assert all(use.is_guarded and use.is_certain for use in uses)


def test_a_try_around_everything_guards_nothing() -> None:
    uses = usage_of("import keras\ntry:\n  keras.Model()\nexcept Exception as e: print(e)").uses
    assert not any(use.is_guarded for use in uses)


def test_a_name_with_two_meanings_has_both() -> None:
    uses = usage_of(
        "try:\n  import keras as k\nexcept ImportError:\n  import tensorflow.keras as k\nk.Model"
    ).uses
    assert uses[-1].names == ("keras.Model", "tensorflow.keras.Model")


def test_what_a_star_import_may_bring_is_told() -> None:
    usage = usage_of(
        "from tensorflow.keras.layers import *\nimport keras\nDense(len([x for x in a])), keras.Model"
    )
    assert [(star.module, star.line) for star in usage.stars] == [("tensorflow.keras.layers", 1)]
    assert [name for name, _ in usage.unbound] == ["Dense", "a"]


def test_an_alias_of_itself_comes_to_an_end() -> None:
    assert "tensorflow" in names("import tensorflow as a\nb = a.x\na = b.y\nb = a.z")


def test_what_is_no_python() -> None:
    with pytest.raises(SyntaxError):
        usage_of("def f(:")
