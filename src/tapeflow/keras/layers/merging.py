"""Layers that make one tensor of several, and the functions that call them: `Add` and `add`, ..."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike, InputShape
from tapeflow.keras.layers.base.layer import Layer

Shape = tuple[int | None, ...]


class Merge(Layer):
    """A layer of several inputs that are combined element by element, broadcasting.

    Inputs of fewer axes get axes of size 1 after the batch axis.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        """What is made of inputs of one rank."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to merge: write _merge_function.")

    def build(self, input_shape: InputShape) -> None:
        shapes = _shapes(input_shape, "A merge layer", 1)
        batch_sizes = {s[0] for s in shapes if s} - {None}
        if len(batch_sizes) > 1:
            raise ValueError(
                f"Cannot merge tensors with different batch sizes. Got tensors with shapes {shapes}"
            )
        functools.reduce(_broadcast, [s[1:] for s in shapes])
        self.built = True

    def call(self, inputs: Sequence[Any]) -> Tensor:
        tensors = _tensors(inputs)
        rank = max(len(x.shape) for x in tensors)
        return self._merge_function([_with_rank(x, rank) for x in tensors])

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shapes = _shapes(input_shape, "A merge layer", 1)
        batch_sizes = {s[0] for s in shapes if s} - {None}
        batch = batch_sizes.pop() if len(batch_sizes) == 1 else None
        return tf.TensorShape((batch, *functools.reduce(_broadcast, [s[1:] for s in shapes])))

    def compute_mask(self, inputs: Any, mask: TensorLike | None = None) -> Tensor | None:
        masks = [m for m in _masks(inputs, mask) if m is not None]
        return functools.reduce(tf.logical_and, masks) if masks else None


class Add(Merge):
    """Add the inputs, element by element.

    >>> tf.keras.layers.Add()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([3.], dtype=float32)
    """

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        return functools.reduce(tf.add, inputs)


class Subtract(Merge):
    """The first input less the second."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape="
                f"{[tuple(s) for s in input_shape]}"
            )

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        if len(inputs) != 2:
            raise ValueError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: inputs={inputs}"
            )
        return tf.subtract(*inputs)


class Multiply(Merge):
    """The product of the inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        return functools.reduce(tf.multiply, inputs)


class Average(Merge):
    """Average the inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        return functools.reduce(tf.add, inputs) / len(inputs)


class Maximum(Merge):
    """The largest of the inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        return functools.reduce(tf.maximum, inputs)


class Minimum(Merge):
    """The smallest of the inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Tensor:
        return functools.reduce(tf.minimum, inputs)


class Concatenate(Merge):
    """Concatenate the inputs along an axis.

    Args:
        axis: the axis, the last one unless given.
        **kwargs: see `Layer`.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: InputShape) -> None:
        shapes = _shapes(input_shape, "A `Concatenate` layer", 1)
        rests = [_dropped(s, self.axis) for s in shapes]
        if len({len(s) for s in shapes}) > 1 or any(
            len({d for d in sizes if d is not None}) > 1 for sizes in zip(*rests, strict=False)
        ):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                f"Received: input_shape={shapes}"
            )
        self.built = True

    def call(self, inputs: Sequence[Tensor]) -> Any:
        tensors = _tensors(inputs)
        if all(isinstance(x, tf.SparseTensor) for x in tensors):
            return tf.sparse.concat(self.axis, tensors)
        return tf.concat([tf.keras.backend.to_dense(x) for x in tensors], axis=self.axis)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shapes = _shapes(input_shape, "A `Concatenate` layer", 1)
        sizes = [s[self.axis] for s in shapes]
        merged = [next((d for d in dims if d is not None), None) for dims in zip(*shapes, strict=True)]
        merged[self.axis] = None if None in sizes else sum(d for d in sizes if d is not None)
        return tf.TensorShape(merged)

    def compute_mask(self, inputs: Sequence[Tensor], mask: TensorLike | None = None) -> Tensor | None:
        masks = _masks(inputs, mask)
        if all(m is None for m in masks):
            return None
        full = [
            tf.ones_like(x, dtype=tf.bool)
            if m is None
            else tf.broadcast_to(tf.expand_dims(m, -1), x.shape)
            if len(m.shape) < len(x.shape)
            else m
            for x, m in zip(inputs, masks, strict=True)
        ]
        return tf.reduce_all(tf.concat(full, axis=self.axis), axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


class Dot(Merge):
    """The dot product of two inputs, sample by sample, over one axis of each.

    Args:
        axes: the axis, or the axis of each input.
        normalize: bring the inputs to length 1 along it first: the result is their cosine.
        **kwargs: see `Layer`.
    """

    def __init__(self, axes: AxisLike, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(
                    f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={axes}"
                )
            if len(axes) != 2:
                raise ValueError(
                    f"Invalid format for argument `axes`: it should contain two elements. Received: axes={axes}"
                )
            if not all(isinstance(a, int) for a in axes):
                raise ValueError(
                    f"Invalid format for argument `axes`: list elements should be integers. Received: axes={axes}"
                )
        self.axes = axes
        self.normalize = normalize

    def _axes_for(self, first: int, second: int) -> tuple[int, int]:
        """The two axes, from the front, for inputs of these ranks."""
        one, two = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        return one % first, two % second

    def build(self, input_shape: InputShape) -> None:
        shapes = _shapes(input_shape, "A `Dot` layer", 2)
        if len(shapes) != 2:
            _not_a_list("A `Dot` layer", shapes, 2)
        first, second = shapes
        one, two = self._axes_for(len(first), len(second))
        if first[one] != second[two]:
            raise ValueError(
                f"Incompatible input shapes: axis values {first[one]} (at axis {one}) != {second[two]} (at axis "
                f"{two}). Full input shapes: {first}, {second}"
            )
        self.built = True

    def call(self, inputs: Sequence[Any]) -> Tensor:
        first, second = _tensors(inputs)
        one, two = self._axes_for(len(first.shape), len(second.shape))
        if self.normalize:
            first, second = tf.math.l2_normalize(first, axis=one), tf.math.l2_normalize(second, axis=two)
        return tf.keras.backend.batch_dot(first, second, (one, two))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shapes = _shapes(input_shape, "A `Dot` layer", 2)
        one, two = self._axes_for(len(shapes[0]), len(shapes[1]))
        left = (*_dropped(shapes[0], one), *_dropped(shapes[1], two)[1:])
        return tf.TensorShape(left if len(left) > 1 else (*left, 1))

    def compute_mask(self, inputs: Sequence[TensorLike], mask: TensorLike | None = None) -> Tensor | None:
        return None

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


def add(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The sum of the inputs, by an `Add` layer."""
    return Add(**kwargs)(inputs)


def subtract(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The first input less the second, by a `Subtract` layer."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The product of the inputs, by a `Multiply` layer."""
    return Multiply(**kwargs)(inputs)


def average(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The mean of the inputs, by an `Average` layer."""
    return Average(**kwargs)(inputs)


def maximum(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The largest of the inputs, by a `Maximum` layer."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Sequence[TensorLike], **kwargs: Any) -> Tensor:
    """The smallest of the inputs, by a `Minimum` layer."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Sequence[TensorLike], axis: int = -1, **kwargs: Any) -> Tensor:
    """Concatenate the inputs with a `Concatenate` layer."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Sequence[TensorLike], axes: AxisLike, normalize: bool = False, **kwargs: Any) -> Tensor:
    """The product of two inputs over an axis of each, by a `Dot` layer."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)


def _not_a_list(where: str, got: Any, least: int) -> NoReturn:
    count = "" if least < 2 else f"{least} "
    raise ValueError(f"{where} should be called on a list of {count}inputs. Received: input_shape={got}")


def _shapes(input_shape: Any, where: str, least: int) -> list[Shape]:
    is_several = isinstance(input_shape, (list, tuple)) and not isinstance(input_shape, tf.TensorShape)
    if not is_several or any(d is None or isinstance(d, int) for d in input_shape):
        _not_a_list(where, tuple(input_shape), least)
    if len(input_shape) < least:
        raise ValueError(
            f"{where} should be called on a list of at least {least} input(s). Received: input_shape="
            f"{[tuple(s) for s in input_shape]}"
        )
    return [tuple(s) for s in input_shape]


def _tensors(inputs: Sequence[TensorLike]) -> list[Any]:
    if not isinstance(inputs, (list, tuple)):
        raise ValueError(
            f"A merge layer should be called on a list of inputs. Received: inputs={inputs} (not a list of tensors)"
        )
    return list(inputs)


def _masks(inputs: Sequence[Any], mask: Any) -> list[Any]:
    if mask is None:
        return [None]
    for name, value in (("mask", mask), ("inputs", inputs)):
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"`{name}` should be a list. Received: {name}={value}")
    if len(mask) != len(inputs):
        raise ValueError(
            f"The lists `inputs` and `mask` should have the same length. Received: inputs of length {len(inputs)}, "
            f"and mask of length {len(mask)}"
        )
    return list(mask)


def _with_rank(x: Tensor, rank: int) -> Tensor:
    """`x` with axes of size 1 after the first, as many as it lacks."""
    shape = tuple(x.shape)
    return x if len(shape) == rank else tf.reshape(x, (*shape[:1], *(1,) * (rank - len(shape)), *shape[1:]))


def _broadcast(one: Shape, two: Shape) -> Shape:
    """The shape of two tensors combined, None where it is not known."""
    if len(one) < len(two):
        one, two = two, one
    start = len(one) - len(two)
    merged: list[int | None] = list(one[:start])
    for a, b in zip(one[start:], two, strict=True):
        if a is None or b is None:
            merged.append(None)
        elif a == b or 1 in (a, b):
            merged.append(max(a, b) if 0 not in (a, b) else 0)
        else:
            raise ValueError(f"Inputs have incompatible shapes. Received shapes {one} and {two}")
    return tuple(merged)


def _dropped(shape: Shape, axis: int) -> Shape:
    place = axis % len(shape)
    return (*shape[:place], *shape[place + 1 :])
