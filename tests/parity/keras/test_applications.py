"""Networks against Keras 2: layers, names and shapes of weights in order; and what they compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

from .application_cases import NAMES, digest, features, listing

FOUND = json.loads((Path(__file__).parent / "fixtures" / "applications.json").read_text())


def network(name: str) -> Any:
    tf.keras.backend.clear_session()
    build = getattr(tf.keras.applications, name)
    return build(weights=None, include_top=False, pooling="avg", input_shape=(75, 75, 3))


@pytest.mark.parametrize("name", NAMES)
def test_layers_and_weights_are_keras_s(name: str) -> None:
    lines = listing(network(name))
    assert (len(lines), digest(lines)) == (FOUND[name]["layers"], FOUND[name]["digest"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_features_are_keras_s(name: str) -> None:
    np.testing.assert_allclose(features(network(name))[:8], FOUND[name]["features"], rtol=2e-3, atol=2e-4)
