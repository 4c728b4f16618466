"""`LearningRateSchedule`: a learning rate as a function of the step."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Self

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config as keras_config
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object


class LearningRateSchedule:
    """The base class of schedules: override `__call__`, with tf ops, and `get_config`.

    >>> class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.1 * tf.minimum(tf.cast(step, tf.float32) / 100.0, 1.0)
    >>> float(Warmup()(50))
    0.05000000074505806
    """

    def __call__(self, step: TensorLike) -> Any:
        """The learning rate at `step`, a number or a tensor of the optimizer's counter."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be "
            "serializable."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The schedule that `get_config` described."""
        return cls(**config)


def as_rate(value: object) -> Tensor:
    """A rate as a floating tensor: whole numbers are taken as floats."""
    tensor = tf.convert_to_tensor(value)
    return tensor if tensor.dtype.is_floating else tf.cast(tensor, keras_config.floatx())


def serialize(learning_rate_schedule: Any, use_legacy_format: bool = False) -> Any:
    """A schedule as a dict for `deserialize`."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(
    config: str | Mapping[str, Any], custom_objects: CustomObjects = None, use_legacy_format: bool = False
) -> Any:
    """The schedule that `serialize` described."""
    return SCHEDULES.deserialize(config, custom_objects)


def _own() -> dict[str, Any]:
    package = importlib.import_module("tapeflow.keras.optimizers.schedules")
    return {name: getattr(package, name) for name in package.__all__ if name[0].isupper()}


SCHEDULES = Family("decay", LearningRateSchedule, _own, protocol=("__call__", "get_config"))
