"""The public namespace: every name is there and documented, and importing it brings in no JAX."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types
from typing import Any

import pytest

import tapeflow as tf

NAMESPACES = ["bitwise", "config", "debugging", "dtypes", "errors", "linalg", "math", "nest", "nn", "random"]


def _public(module: Any) -> list[str]:
    names = getattr(module, "__all__", None) or vars(module)
    return sorted(n for n in names if not n.startswith("_") and n != "annotations")


@pytest.mark.parametrize("name", tf.__all__)
def test_names_of_tf(name: str) -> None:
    value = getattr(tf, name)
    if inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, types.ModuleType):
        assert inspect.getdoc(value), f"tf.{name} has no docstring"


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_names_of_namespaces(namespace: str) -> None:
    module = importlib.import_module(f"tapeflow.{namespace}")
    assert getattr(tf, namespace) is module
    assert module.__doc__
    missing = [
        name
        for name in _public(module)
        if inspect.isroutine(value := getattr(module, name)) and not inspect.getdoc(value)
    ]
    assert not missing


@pytest.mark.parametrize(
    "statement",
    ["import tapeflow", "import tapeflow as tf; tf.float32, tf.TensorShape, tf.keras.datasets.digits"],
)
def test_importing_brings_in_no_jax(statement: str) -> None:
    code = f"import sys\n{statement}\nassert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        tf.no_such_name  # noqa: B018


def test_the_first_op_leaves_numpys_generator_alone() -> None:
    code = "import numpy as np, tapeflow as tf\nnp.random.seed(0)\n{}\nassert np.random.rand() == 0.5488135039273248"
    for first in ("tf.constant(1.0)", "tf.config.list_physical_devices()"):
        subprocess.run([sys.executable, "-c", code.format(first)], check=True)
