"""What the normalisation layers share: `gamma` and `beta`, and reading the `axis` argument."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.keras import constraints, initializers, regularizers
from tapeflow.keras.annotations import AxisLike, ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.layer import Layer


class NormalizationLayer(Layer):
    """A layer that scales by `gamma` and shifts by `beta` what it has normalised.

    Args:
        epsilon: a small number that keeps the root from 0.
        center, scale: whether there is an offset `beta`, and a factor `gamma`.
        beta_initializer, gamma_initializer: initializers of the weights.
        beta_regularizer, gamma_regularizer: penalties on them, added to the losses.
        beta_constraint, gamma_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.
    """

    def __init__(
        self,
        epsilon: float,
        center: bool,
        scale: bool,
        beta_initializer: InitializerLike,
        gamma_initializer: InitializerLike,
        beta_regularizer: RegularizerLike,
        gamma_regularizer: RegularizerLike,
        beta_constraint: ConstraintLike,
        gamma_constraint: ConstraintLike,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.supports_masking = True
        self.gamma: Any = None
        self.beta: Any = None

    def _add_scale_and_offset(self, shape: tuple[int, ...], dtype: DTypeLike | None = None) -> list[Any]:
        """Make `gamma` and `beta`, as far as they are wanted; not cast when read, the kernels do that."""
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                shape=shape,
                dtype=dtype,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
                experimental_autocast=False,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                shape=shape,
                dtype=dtype,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
                experimental_autocast=False,
            )
        return [p for p in (self.gamma, self.beta) if p is not None]

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
            "beta_initializer": initializers.serialize(self.beta_initializer),
            "gamma_initializer": initializers.serialize(self.gamma_initializer),
            "beta_regularizer": regularizers.serialize(self.beta_regularizer),
            "gamma_regularizer": regularizers.serialize(self.gamma_regularizer),
            "beta_constraint": constraints.serialize(self.beta_constraint),
            "gamma_constraint": constraints.serialize(self.gamma_constraint),
        }


def read_axis_argument(axis: AxisLike) -> Any:
    """An int, or a list of ints, as the constructor was given."""
    if isinstance(axis, (list, tuple)):
        return list(axis)
    if isinstance(axis, int):
        return axis
    raise TypeError(
        f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}"
    )


def axes_of(axis: Any, shape: tuple[int | None, ...]) -> list[int]:
    """The axes counted from the front, for inputs of a shape."""
    rank = len(shape)
    given = axis if isinstance(axis, (list, tuple)) else [axis]
    for a in given:
        if not -rank <= a < rank:
            raise ValueError(
                f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank={rank}). "
                f"Received: axis={tuple(given)}"
            )
    axes = [a % rank for a in given]
    if len(axes) != len(set(axes)):
        raise ValueError(f"Duplicate axis: {tuple(axes)}. Name each axis once.")
    return axes


def sizes_on(axes: list[int], shape: tuple[int | None, ...]) -> dict[int, int]:
    """The sizes of axes, all of which must be known."""
    sizes: dict[int, int] = {}
    for a in axes:
        size = shape[a]
        if size is None:
            raise ValueError(
                f"Input has undefined `axis` dimension. Received input with shape {shape} and axis={tuple(axes)}"
            )
        sizes[a] = size
    return sizes
