"""The normalization layers against Keras 2 (from files) and Keras 3 (in process)."""

from __future__ import annotations

from types import ModuleType

import pytest

from .fixtures.layer_cases import NORMALIZATION
from .layer_parity import compare_with_keras_2, compare_with_keras_3


@pytest.mark.parametrize("name", NORMALIZATION)
def test_as_keras_2(name: str) -> None:
    compare_with_keras_2(name, NORMALIZATION[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in NORMALIZATION.items() if "not 3" not in entry])
def test_as_keras_3(keras: ModuleType, name: str) -> None:
    compare_with_keras_3(keras, name, NORMALIZATION[name])
