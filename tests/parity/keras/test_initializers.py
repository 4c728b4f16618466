"""Initializers against Keras 3: names, configs, fixed values, and the distributions of drawn ones."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tapeflow.keras import initializers

DRAWN: list[tuple[str, dict[str, Any]]] = [
    ("RandomUniform", {"minval": -0.3, "maxval": 0.1}),
    ("RandomNormal", {"mean": 0.2, "stddev": 0.3}),
    ("TruncatedNormal", {"mean": -0.1, "stddev": 0.3}),
    ("VarianceScaling", {"scale": 3.0, "mode": "fan_out", "distribution": "untruncated_normal"}),
    ("VarianceScaling", {"scale": 0.5, "mode": "fan_avg", "distribution": "uniform"}),
    ("GlorotUniform", {}),
    ("GlorotNormal", {}),
    ("HeUniform", {}),
    ("HeNormal", {}),
    ("LecunUniform", {}),
    ("LecunNormal", {}),
    ("GlorotNormal", {"input_axes": [0], "output_axes": [-1]}),
    ("Orthogonal", {"gain": 1.5}),
]


@pytest.mark.parametrize("shape", [(120, 80), (3, 3, 16, 64)])
@pytest.mark.parametrize(("name", "arguments"), DRAWN)
def test_distribution(
    name: str, arguments: dict[str, Any], shape: tuple[int, ...], keras: ModuleType
) -> None:
    ours = getattr(initializers, name)(**arguments, seed=5)(shape).numpy()
    theirs = np.asarray(getattr(keras.initializers, name)(**arguments, seed=5)(shape))
    assert ours.dtype == theirs.dtype == np.float32
    scale = float(theirs.std())
    assert abs(ours.mean() - theirs.mean()) < 0.1 * scale
    assert ours.std() == pytest.approx(scale, rel=0.05)
    for q in (0.01, 0.25, 0.75, 0.99):
        assert np.quantile(ours, q) == pytest.approx(np.quantile(theirs, q), abs=0.15 * scale)
    assert abs(ours).max() < 1.3 * abs(theirs).max()


@pytest.mark.parametrize(("name", "arguments"), DRAWN)
def test_config(name: str, arguments: dict[str, Any], keras: ModuleType) -> None:
    ours = getattr(initializers, name)(**arguments, seed=5).get_config()
    theirs = getattr(keras.initializers, name)(**arguments, seed=5).get_config()
    assert ours == {key: value for key, value in theirs.items() if value is not None}
    assert getattr(initializers, name).from_config(theirs).get_config() == ours


@pytest.mark.parametrize(
    ("name", "arguments", "shape"),
    [
        ("Zeros", {}, (3, 4)),
        ("Ones", {}, (5,)),
        ("Constant", {"value": 2.5}, (2, 3)),
        ("Constant", {"value": [1.0, 2.0, 3.0]}, (2, 3)),
        ("Identity", {"gain": 0.5}, (3, 5)),
    ],
)
def test_fixed(name: str, arguments: dict[str, Any], shape: tuple[int, ...], keras: ModuleType) -> None:
    ours = getattr(initializers, name)(**arguments)(shape).numpy()
    theirs = np.asarray(getattr(keras.initializers, name)(**arguments)(shape))
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"side": "imag", "scaling": "spectrum", "periodic": True},
        {"window": None},
        {"window": "hamming", "scaling": None},
    ],
)
def test_stft(arguments: dict[str, Any], keras: ModuleType) -> None:
    ours, theirs = initializers.STFT(**arguments), keras.initializers.STFT(**arguments)
    value = ours((16, 1, 9)).numpy()
    np.testing.assert_allclose(value, np.asarray(theirs((16, 1, 9))), atol=2e-6)
    assert value.dtype == np.float32
    assert ours.get_config() == theirs.get_config()


def test_one_axis_counts_as_both(keras: ModuleType) -> None:
    ours = initializers.GlorotUniform(seed=1)((4000,)).numpy()
    assert ours.std() == pytest.approx(
        float(np.asarray(keras.initializers.GlorotUniform(1)((4000,))).std()), rel=0.05
    )


def test_every_name_of_keras_3_is_here(keras: ModuleType) -> None:
    missing = [name for name in dir(keras.initializers) if name[0] != "_" and not hasattr(initializers, name)]
    assert missing == []
