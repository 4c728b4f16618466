"""`tf.keras.constraints`: limits that weights are brought back to after every update.

A constraint is a function from a weight to the nearest allowed one; the optimizer applies it. `axis`
says over which axes one norm is taken: 0 for the inputs of a unit of `Dense`, `[0, 1, 2]` for those of
a filter of `Conv2D`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config as keras_config
from tapeflow.keras.annotations import AxisLike, ConstraintLike
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object


class Constraint:
    """The base class: `constraint(w)` returns the weight that replaces `w`."""

    def __call__(self, w: Variable) -> Any:
        """The allowed weight."""
        return w

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The constraint that `get_config` described."""
        return cls(**config)


class MaxNorm(Constraint):
    """Norms of at most `max_value`."""

    def __init__(self, max_value: float = 2, axis: int | Sequence[int] = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Variable) -> Tensor:
        norms = _norms(w, self.axis)
        desired = tf.clip_by_value(norms, 0.0, float(self.max_value))
        return w * (desired / (keras_config.epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """No negative weights."""

    def __call__(self, w: Variable) -> Tensor:
        return tf.nn.relu(w)


class UnitNorm(Constraint):
    """Norms of 1."""

    def __init__(self, axis: int | Sequence[int] = 0) -> None:
        self.axis = axis

    def __call__(self, w: Variable) -> Tensor:
        return w / (keras_config.epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Norms between `min_value` and `max_value`, approached by the share `rate` at each update."""

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: int | Sequence[int] = 0
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Variable) -> Tensor:
        norms = _norms(w, self.axis)
        clipped = tf.clip_by_value(norms, float(self.min_value), float(self.max_value))
        desired = self.rate * clipped + (1 - self.rate) * norms
        return w * (desired / (keras_config.epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


class RadialConstraint(Constraint):
    """Square convolution kernels that depend only on how far a cell is from the middle.

    Each ring of cells takes the value Keras gives it: one from the diagonal, counted from the cell
    before the middle.
    """

    def __call__(self, w: Any) -> Tensor:
        if len(w.shape) != 4:
            raise ValueError(
                f"The weight tensor must have rank 4. Received weight tensor with shape: {w.shape}"
            )
        size, width, *channels = w.shape
        if size != width:
            raise ValueError(
                f"RadialConstraint expected a square kernel; got w of shape {tuple(w.shape)}. "
                "Give the layer a kernel_size of two equal numbers."
            )
        cells = tf.reshape(w, (size * size, *channels))
        return tf.reshape(tf.gather(cells, _radial_cells(size)), w.shape)


def _radial_cells(size: int) -> np.ndarray:
    """For each cell of a kernel, row by row, the number of the diagonal cell it takes its value from."""
    places = np.abs(2 * np.arange(size) - (size - 1)) // 2
    ring = np.maximum.outer(places, places)
    start = size // 2
    if size % 2:
        diagonal = start + ring - 1
    else:
        diagonal = np.where(ring == 0, start - 1, start + ring)
    diagonal = diagonal % size  # a kernel of one cell keeps it
    return (diagonal * (size + 1)).reshape(-1)


def _norms(w: Variable, axis: AxisLike) -> Tensor:
    return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


max_norm = maxnorm = MaxNorm
non_neg = nonneg = NonNeg
unit_norm = unitnorm = UnitNorm
min_max_norm = MinMaxNorm
radial_constraint = RadialConstraint

_NAMES: dict[str, Any] = {
    name: value
    for name, value in globals().items()
    if inspect.isclass(value) and issubclass(value, Constraint)
}
CONSTRAINTS = Family(
    "constraint", Constraint, lambda: _NAMES, takes_functions=True, protocol=("__call__", "get_config")
)


def serialize(constraint: ConstraintLike, use_legacy_format: bool = False) -> Any:
    """The config of a constraint, as JSON can hold it."""
    return serialize_keras_object(constraint)


def deserialize(
    config: str | Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    use_legacy_format: bool = False,
) -> NonNeg:
    """Look up a constraint by name or config."""
    return CONSTRAINTS.deserialize(config, custom_objects)


def get(identifier: object) -> Any:
    """The constraint for a name, a config, a class or any callable."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, Mapping)):
        return deserialize(identifier)
    if inspect.isclass(identifier):
        return identifier()
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret constraint function identifier: {identifier}")
