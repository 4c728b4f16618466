"""`tf.keras.regularizers`: penalties on weights and outputs, added to the loss.

A regularizer is a function of a tensor that gives a scalar; any callable will do where one is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import RegularizerLike
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object


class Regularizer:
    """The base class: `regularizer(x)` is the penalty for `x`, a scalar.

    A subclass defines `__call__`, and `get_config` if models that use it are to be saved.
    """

    def __call__(self, x: TensorLike) -> Any:
        """The penalty for `x`."""
        return 0.0

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The regularizer that `get_config` described."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        raise NotImplementedError(f"{self} does not implement get_config()")


class L1L2(Regularizer):
    """`l1` times the sum of absolute values plus `l2` times the sum of squares."""

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0) -> None:
        self.l1 = _penalty_number(l1, 0.0)
        self.l2 = _penalty_number(l2, 0.0)

    def __call__(self, x: Any) -> Tensor:
        if self.l1 and self.l2:
            return _l1_penalty(self.l1, x) + _l2_penalty(self.l2, x)
        if self.l1:
            return _l1_penalty(self.l1, x)
        return _l2_penalty(self.l2, x) if self.l2 else tf.zeros((), x.dtype)

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


class L1(Regularizer):
    """`l1` times the sum of absolute values: drives weights to exactly 0."""

    def __init__(self, l1: float | None = 0.01, **kwargs: Any) -> None:
        self.l1 = _penalty_number(_old_spelling(l1, kwargs), 0.01)

    def __call__(self, x: TensorLike) -> Tensor:
        return _l1_penalty(self.l1, x)

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1}


class L2(Regularizer):
    """`l2` times the sum of squares: keeps weights small."""

    def __init__(self, l2: float | None = 0.01, **kwargs: Any) -> None:
        self.l2 = _penalty_number(_old_spelling(l2, kwargs), 0.01)

    def __call__(self, x: TensorLike) -> Tensor:
        return _l2_penalty(self.l2, x)

    def get_config(self) -> dict[str, Any]:
        return {"l2": self.l2}


class OrthogonalRegularizer(Regularizer):
    """`factor` times the mean absolute cosine between two rows, or two columns, of a matrix."""

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor = _penalty_number(factor, 0.01)
        if mode not in ("rows", "columns"):
            raise ValueError(
                "Invalid value for argument `mode`. Expected one of "
                f'{{"rows", "columns"}}. Received: mode={mode}'
            )
        self.mode = mode

    def __call__(self, inputs: Any) -> Tensor:
        if len(inputs.shape) != 2:
            raise ValueError(
                f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape == {inputs.shape}"
            )
        by_rows = self.mode == "rows"
        units = tf.math.l2_normalize(inputs, axis=1 if by_rows else 0)
        cosines = tf.matmul(units, units, transpose_a=not by_rows, transpose_b=by_rows)
        size = int(inputs.shape[0 if by_rows else 1])
        others = cosines * (1.0 - tf.eye(size, dtype=cosines.dtype))
        pair_count = size * (size - 1.0) / 2.0
        return self.factor * 0.5 * tf.reduce_sum(tf.abs(others)) / pair_count

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "mode": self.mode}


def l1_l2(l1: float | None = 0.01, l2: float | None = 0.01) -> L1L2:
    """Both penalties; unlike those of the class `L1L2`, the defaults are 0.01."""
    return L1L2(l1=l1, l2=l2)


l1 = L1
l2 = L2
orthogonal_regularizer = OrthogonalRegularizer

_NAMES: dict[str, Any] = {
    "Regularizer": Regularizer,
    "L1": L1,
    "L2": L2,
    "L1L2": L1L2,
    "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1": L1,
    "l2": L2,
    "l1_l2": L1L2,
    "orthogonal_regularizer": OrthogonalRegularizer,
}
REGULARIZERS = Family(
    "regularizer", Regularizer, lambda: _NAMES, takes_functions=True, protocol=("__call__", "get_config")
)


def serialize(regularizer: RegularizerLike, use_legacy_format: bool = False) -> Any:
    """The config of a regularizer, as JSON can hold it."""
    return serialize_keras_object(regularizer)


def deserialize(
    config: str | Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    use_legacy_format: bool = False,
) -> Any:
    """Look up a regularizer by name or config."""
    if config == "l1_l2":
        return l1_l2()
    return REGULARIZERS.deserialize(config, custom_objects)


def get(identifier: object) -> Any:
    """The regularizer for a name, a config, a class or any callable."""
    return deserialize(identifier) if isinstance(identifier, str) else REGULARIZERS.get(identifier)


def _l1_penalty(factor: float, x: TensorLike) -> Tensor:
    return factor * tf.reduce_sum(tf.abs(x))


def _l2_penalty(factor: float, x: TensorLike) -> Tensor:
    # l2_loss is half the sum of squares, in one op; doubling is exact.
    return (2.0 * factor) * tf.nn.l2_loss(x)


def _penalty_number(value: object, default: float) -> float:
    if value is None:
        return default
    if not isinstance(value, (int, float)):
        raise ValueError(
            f"Value {value} is not a valid regularization penalty number, expected an int or float value."
        )
    if math.isinf(value) or math.isnan(value):
        raise ValueError(
            f"Value {value} is not a valid regularization penalty number, "
            "an infinite number or NaN are not valid values."
        )
    return float(value)


def _old_spelling(value: float | None, kwargs: dict[str, Any]) -> float | None:
    """`l` is what the factor was once called."""
    unknown = {key: item for key, item in kwargs.items() if key != "l"}
    if unknown:
        raise TypeError(f"Argument(s) not recognized: {unknown}")
    return kwargs.get("l", value)
