"""The oracle of these tests: Keras 3 on its JAX backend, and arrays that Keras 2 gave, kept as files."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

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
