"""Optimizers by name."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras import optimizers
from tapeflow.keras.saving.registry import custom_object_scope


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("adam", "Adam"),
        ("ADAM", "Adam"),
        ("Adam", "Adam"),
        ("sgd", "SGD"),
        ("rmsprop", "RMSprop"),
        ("adamw", "AdamW"),
        ("nadam", "Nadam"),
        ("ftrl", "Ftrl"),
        ("adafactor", "Adafactor"),
        ("lion", "Lion"),
        ("lamb", "Lamb"),
    ],
)
def test_by_name(name: str, kind: str) -> None:
    assert type(optimizers.get(name)).__name__ == kind


def test_an_optimizer_is_given_back() -> None:
    optimizer = optimizers.SGD()
    assert optimizers.get(optimizer) is optimizer


def test_by_config() -> None:
    found = optimizers.get({"class_name": "sgd", "config": {"learning_rate": 0.5, "momentum": 0.25}})
    assert (float(found.lr), found.momentum) == (0.5, 0.25)


def test_unknown() -> None:
    with pytest.raises(ValueError, match="Unknown optimizer"):
        optimizers.get("nonsense")
    for wrong in (3, None, optimizers.Adam):
        with pytest.raises(ValueError, match="Could not interpret optimizer identifier"):
            optimizers.get(wrong)
    with pytest.raises(TypeError, match="Invalid keyword arguments"):
        optimizers.get("adam", wrong=1)


class Own(optimizers.SGD):
    """A user's own."""


def test_custom_objects() -> None:
    described: Any = optimizers.serialize(Own(0.5))
    found = optimizers.deserialize(described, custom_objects={"Own": Own})
    assert type(found) is Own
    with custom_object_scope({"Own": Own}):
        assert type(optimizers.get("Own")) is Own


def test_names_of_old() -> None:
    assert optimizers.experimental.Adam is optimizers.Adam
    assert isinstance(optimizers.legacy.SGD(), optimizers.legacy.Optimizer)
    assert not isinstance(optimizers.SGD(), optimizers.legacy.Optimizer)
    assert float(optimizers.legacy.SGD(learning_rate=0.5, decay=0.1).lr) == 0.5
    assert isinstance(tf.keras.optimizers.get("adam"), optimizers.Optimizer)


def test_configs_of_old_optimizers_give_old_ones() -> None:
    legacy = optimizers.legacy
    made = legacy.Adam(0.5, decay=0.1, clipnorm=1.0)
    config = optimizers.serialize(made)
    assert sorted(config["config"]) == [
        *("amsgrad", "beta_1", "beta_2", "clipnorm", "decay", "epsilon", "learning_rate", "name")
    ]
    again = optimizers.deserialize(config)
    assert isinstance(again, legacy.Adam)
    assert (float(again.lr), again.get_config()) == (0.5, made.get_config())
    assert not isinstance(optimizers.deserialize(optimizers.serialize(optimizers.Adam())), legacy.Adam)
    assert isinstance(optimizers.get("sgd", use_legacy_optimizer=True), legacy.SGD)
    assert not isinstance(optimizers.get("sgd"), legacy.SGD)


def test_gradients_of_a_scaled_loss() -> None:
    x = tf.Variable(1.0)
    optimizers.legacy.SGD(0.1).minimize(lambda: 3.0 * x, [x], grad_loss=tf.constant(2.0), name="step")
    assert float(x) == pytest.approx(1.0 - 0.1 * 6.0)
    ((gradient, _),) = optimizers.legacy.SGD(0.1)._compute_gradients(lambda: 3.0 * x, [x])
    assert float(gradient) == 3.0
