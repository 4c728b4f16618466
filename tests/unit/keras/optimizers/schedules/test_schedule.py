"""The base class of schedules, and users' own."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import schedules


def test_the_base_class_leaves_call_and_config_to_subclasses() -> None:
    with pytest.raises(NotImplementedError, match=r"must override `__call__\(self, step\)`"):
        schedules.LearningRateSchedule()(1)
    with pytest.raises(NotImplementedError, match=r"must override `get_config\(\)`"):
        schedules.LearningRateSchedule().get_config()


class Halving(schedules.LearningRateSchedule):
    """A user's own."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self, step: Any) -> Any:
        return self.start * tf.pow(0.5, tf.cast(step, tf.float32))

    def get_config(self) -> dict[str, Any]:
        return {"start": self.start}


def test_users_own_is_saved_and_found_again() -> None:
    described = schedules.serialize(Halving(4.0))
    again = schedules.deserialize(described, custom_objects={"Halving": Halving})
    assert float(again(2)) == 1.0
    with pytest.raises(ValueError, match="Halving"):
        schedules.deserialize(described)
