"""The learning phase, and the names of layers in progress."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tapeflow as tf
from tapeflow.keras.layers.base.call_context import (
    call_context,
    default_training,
    learning_phase,
    set_learning_phase,
)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    set_learning_phase(None)


def test_the_learning_phase_is_the_default_of_training() -> None:
    dropout = tf.keras.layers.Dropout(0.5)
    x = tf.ones((100,))
    assert learning_phase() == 0
    assert default_training(None) is None
    set_learning_phase(1)
    assert default_training(None) is True
    assert (dropout(x).numpy() == 0).any()
    set_learning_phase(0)
    assert (dropout(x).numpy() == 1).all()


def test_other_phases_are_refused() -> None:
    with pytest.raises(ValueError, match="set_learning_phase expected 0 or 1; got value=2"):
        set_learning_phase(2)


def test_a_failing_call_leaves_no_trace() -> None:
    with pytest.raises(ValueError, match="incompatible"):
        tf.keras.Sequential([tf.keras.layers.Dense(1), tf.keras.layers.Dense(1)])(tf.ones(2), training=True)
    assert call_context.layers == []
    assert call_context.training is None
