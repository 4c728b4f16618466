"""Layers that scale features: `Rescaling` by numbers, `Normalization` by what it has seen of the data."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import AxisLike, InputShape
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.training.sources.leaves import Table
from tapeflow.ops.training.feature_scaling import join_moments_op, standardize_op


class Rescaling(Layer):
    """`inputs * scale + offset`; integers become floats.

    Args:
        scale: the factor, such as `1 / 255`.
        offset: what to add.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Rescaling(1 / 255)(tf.constant([0, 255])).numpy()
    array([0., 1.], dtype=float32)
    """

    def __init__(self, scale: TensorLike, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.scale = scale
        self.offset = offset

    def call(self, inputs: TensorLike) -> Tensor:
        dtype = self.compute_dtype
        return tf.cast(inputs, dtype) * tf.cast(self.scale, dtype) + tf.cast(self.offset, dtype)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": _listed(self.scale), "offset": _listed(self.offset)}


class PreprocessingLayer(Layer):
    """A layer that learns from the data, in `adapt`, before training.

    A subclass writes `update_state(data)`, which takes a batch, and `reset_state()`.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._is_adapted = False

    @property
    def is_adapted(self) -> bool:
        """Whether it has seen the data."""
        return self._is_adapted

    def update_state(self, data: Tensor) -> None:
        """Learn from a batch."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to learn: write update_state.")

    def reset_state(self) -> None:
        """Forget what was learned."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to forget: write reset_state.")

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn from all the data, forgetting what was learned before.

        Args:
            data: an array, a tensor, a list of numbers, a pandas object, or batches: a tf.data.Dataset or any iterable.
            batch_size: the rows of an array to look at together.
            steps: how many batches to look at; all of them unless given.
        """
        if self.built:
            self.reset_state()
        for batch in itertools.islice(_batches(data, batch_size), steps):
            tensor = tf.convert_to_tensor(batch)
            if len(tensor.shape) == 1:
                tensor = tf.expand_dims(tensor, 1)
            if not self.built:
                self._build_for(tensor)
            self.update_state(tensor)
        self.finalize_state()
        self._is_adapted = True


class Normalization(PreprocessingLayer):
    """Normalize features with a mean and variance that are given or learned with `adapt`.

    Args:
        axis: the axis, or axes, whose elements have moments of their own; None for one of all.
        mean, variance: the moments, if they are known.
        invert: go back: from mean 0 and variance 1 to the moments.
        **kwargs: see `Layer`.

    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt(np.array([[0.0], [2.0]]))
    >>> layer(np.array([[3.0]])).numpy()
    array([[2.]], dtype=float32)
    """

    def __init__(
        self,
        axis: AxisLike = -1,
        mean: TensorLike | None = None,
        variance: TensorLike | None = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, tf.Variable):
                raise ValueError(
                    f"Normalization does not support passing a Variable for the `{name}` init arg. Pass its value."
                )
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Got mean: "
                f"{mean} and variance: {variance}"
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert

    def build(self, input_shape: Any) -> None:
        if isinstance(input_shape, (list, tuple)) and any(
            not isinstance(d, (int, type(None))) for d in input_shape
        ):
            raise ValueError(
                "Normalization only accepts a single input. If you are passing a python list or tuple as a single "
                "input, please convert to a numpy array or `tf.Tensor`."
            )
        sizes = tuple(input_shape)
        rank = len(sizes)
        if any(not -rank <= a < rank for a in self.axis):
            raise ValueError(
                f"All `axis` values must be in the range [-ndim, ndim). Found ndim: `{rank}`, axis: {self.axis}"
            )
        kept = sorted(a % rank for a in self.axis)
        for a in kept:
            if sizes[a] is None:
                raise ValueError(
                    f"All `axis` values to be kept must have known shape. Got axis: {self.axis}, input shape: "
                    f"{list(sizes)}, with unknown axis at index: {a}"
                )
        self._over = tuple(a for a in range(rank) if a not in kept)
        self._broadcast_shape = tuple(sizes[a] if a in kept else 1 for a in range(rank))
        shape = tuple(sizes[a] for a in kept)
        if self.input_mean is None:
            self.adapt_mean = self._add_moment("mean", shape, "zeros")
            self.adapt_variance = self._add_moment("variance", shape, "ones")
            self.count = self.add_weight(
                "count", shape=(), dtype=tf.int64, initializer="zeros", trainable=False
            )
            self._moments = (self.adapt_mean, self.adapt_variance)
        else:
            self._moments = tuple(
                tf.constant(np.broadcast_to(np.asarray(_listed(given), "float64"), shape), dtype=self.dtype)
                for given in (self.input_mean, self.input_variance)
            )
        self.built = True

    def _add_moment(self, name: str, shape: ShapeLike, initializer: str) -> Variable:
        return self.add_weight(
            name, shape=shape, initializer=initializer, trainable=False, experimental_autocast=False
        )

    @property
    def mean(self) -> Any:
        """The mean, in a shape that broadcasts against the inputs; None before it is built."""
        return tf.reshape(self._moments[0], self._broadcast_shape) if self.built else None

    @property
    def variance(self) -> Any:
        """The variance, in a shape that broadcasts against the inputs; None before it is built."""
        return tf.reshape(self._moments[1], self._broadcast_shape) if self.built else None

    def update_state(self, data: TensorLike) -> None:
        """Learn from a batch."""
        if self.input_mean is not None:
            raise ValueError(
                "Cannot `adapt` a Normalization layer that is initialized with static `mean` and `variance`, you "
                f"passed mean {self.input_mean} and variance {self.input_variance}."
            )
        if not self.built:
            raise RuntimeError(
                "`build` must be called before `update_state`. Call `adapt` with all the data."
            )
        seen = (self.adapt_mean, self.adapt_variance, self.count)
        for weight, value in zip(seen, join_moments_op(data, *seen, over=self._over), strict=True):
            weight.assign(value)

    def reset_state(self) -> None:
        """Forget what was learned."""
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(tf.zeros_like(self.adapt_mean))
            self.adapt_variance.assign(tf.ones_like(self.adapt_variance))
            self.count.assign(tf.zeros_like(self.count))

    def call(self, inputs: TensorLike) -> Tensor:
        return standardize_op(
            inputs,
            *self._moments,
            shape=self._broadcast_shape,
            epsilon=float(tf.keras.config.epsilon()),
            is_inverse=bool(self.invert),
            dtype=tf.as_dtype(self.compute_dtype),
        )

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "axis": self.axis,
            "invert": self.invert,
            "mean": _listed(self.input_mean),
            "variance": _listed(self.input_variance),
        }


def _listed(value: object) -> Any:
    """An array as a list, which a config can hold."""
    if isinstance(value, TensorBase):
        value = tf.convert_to_tensor(value).numpy()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _batches(data: Any, batch_size: int | None) -> Any:
    """Batches of rows, or those that the data comes in."""
    if isinstance(data, (list, tuple)):
        data = np.asarray(data)
    elif isinstance(data, TensorBase):
        data = tf.convert_to_tensor(data).numpy()
    elif isinstance(data, Table):
        data = data.to_numpy()
    if not isinstance(data, np.ndarray):
        return iter(data)
    # The result does not depend on the size; large ones are fewer programs to run.
    size = batch_size or 4096
    return (data[start : start + size] for start in range(0, len(data), size))
