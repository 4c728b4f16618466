"""The preprocessing layers against Keras 2 (from files) and Keras 3 (in process)."""

from __future__ import annotations

from types import ModuleType

import pytest

from .fixtures.layer_cases import PREPROCESSING
from .layer_parity import compare_with_keras_2, compare_with_keras_3


@pytest.mark.parametrize("name", PREPROCESSING)
def test_as_keras_2(name: str) -> None:
    compare_with_keras_2(name, PREPROCESSING[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in PREPROCESSING.items() if "not 3" not in entry])
def test_as_keras_3(keras: ModuleType, name: str) -> None:
    compare_with_keras_3(keras, name, PREPROCESSING[name])
