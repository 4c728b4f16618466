"""The oracle of these tests: Keras 3 on its JAX backend, and arrays that Keras 2 gave, kept as files."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tapeflow as tf

# Keras reads it once, when first imported.
os.environ["KERAS_BACKEND"] = "jax"

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session")
def keras() -> ModuleType:
    """Real Keras 3."""
    return importlib.import_module("keras")


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The folder of what Keras 2 (tf_keras) gave; the scripts that made the files lie beside them."""
    return FIXTURES


@pytest.fixture
def op_by_op() -> Iterator[None]:
    """Ops that run as they are called: each compiles once for all cases, not once for every formula."""
    tf.debugging.enable_op_by_op()
    yield
    tf.debugging.disable_op_by_op()


@pytest.fixture
def float64() -> Iterator[None]:
    """Keras computes in float64, where the order of a sum does not show."""
    tf.keras.backend.set_floatx("float64")
    yield
    tf.keras.backend.set_floatx("float32")
