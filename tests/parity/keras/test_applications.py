"""Networks against Keras 2: layers, names and shapes of weights in order; and what they compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

from .application_cases import FIRST, network, outputs, summary

FOUND = json.loads((Path(__file__).parent / "fixtures" / "applications.json").read_text())
QUICK = set(FIRST) - {"VGG16", "InceptionResNetV2", "RegNetX002", "ResNetRS50"}


def made(name: str, include_top: bool) -> Any:
    tf.keras.backend.clear_session()
    return network(tf.keras.applications, name, include_top)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FOUND]
)
def test_layers_and_weights_are_keras_s(name: str) -> None:
    assert summary(made(name, include_top=True)) == FOUND[name]["classes"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_layers_without_a_head_are_keras_s(name: str) -> None:
    assert summary(made(name, include_top=False)) == FOUND[name]["features"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_outputs_are_keras_s(name: str) -> None:
    expected = np.array(FOUND[name]["outputs"])
    found = outputs(made(name, include_top=True))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
