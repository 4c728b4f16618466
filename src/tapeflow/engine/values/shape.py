"""`TensorShape`: the static shape of a tensor, possibly partly or wholly unknown.

Dimensions are plain `int` or `None`, as in TensorFlow 2, but for those that `dims` gives. Tensors here always have a
fully known shape; unknown dimensions appear in signatures (`TensorSpec`, `Input`) and in what is
inferred from them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias, Union, overload

from tapeflow.engine.values.dimension import Dimension

Dim: TypeAlias = int | None
ShapeLike: TypeAlias = Union["TensorShape", Iterable[Any], int, None]


class TensorShape:
    """The shape of a tensor: known, partly known (`[None, 3]`) or of unknown rank (`None`).

    >>> tf.TensorShape([None, 3]).concatenate([4])
    TensorShape([None, 3, 4])
    """

    __slots__ = ("_dims",)

    _dims: tuple[Dim, ...] | None

    def __init__(self, dims: ShapeLike) -> None:
        self._dims = dims._dims if isinstance(dims, TensorShape) else _parse_dims(dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None when it is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list of TensorFlow 1's `Dimension`s, or None when the rank is unknown."""
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    def as_list(self) -> list[Dim]:
        """The dimensions as a list; a `ValueError` when the rank is unknown."""
        return list(self._known_dims("as_list"))

    def num_elements(self) -> int | None:
        """The product of the dimensions, or None when one is unknown."""
        if self._dims is None or None in self._dims:
            return None
        return math.prod(self._dims)  # pyright: ignore[reportArgumentType, reportCallIssue]

    def is_fully_defined(self) -> bool:
        """Whether the rank and every dimension are known."""
        return self._dims is not None and None not in self._dims

    def __len__(self) -> int:
        return len(self._known_dims("len"))

    def __bool__(self) -> bool:
        # About the rank, not the length: the shape of a scalar is true. TensorFlow does the same.
        return self._dims is not None

    def __iter__(self) -> Iterator[Dim]:
        return iter(self._known_dims("iteration"))

    @overload
    def __getitem__(self, key: int) -> Dim: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: int | slice) -> Dim | TensorShape:
        if self._dims is not None:
            return _from_dims(self._dims[key]) if isinstance(key, slice) else self._dims[key]
        return self._unknown_rank_slice(key) if isinstance(key, slice) else None

    def _unknown_rank_slice(self, key: slice) -> TensorShape:
        if key.step is not None:
            raise ValueError(
                "TensorShape slicing expected a known rank for a slice with a step; "
                f"got key={key} on a shape of unknown rank. Slice without a step."
            )
        start = 0 if key.start is None else key.start
        if key.stop is None or start < 0 or key.stop < 0:
            return unknown_shape()
        return unknown_shape(max(0, key.stop - start))

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """The dimensions of this shape followed by those of `other`; unknown if either rank is."""
        other_dims = as_shape(other)._dims
        return _from_dims(None if self._dims is None or other_dims is None else self._dims + other_dims)

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return as_shape(other).concatenate(self)

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """The shape with everything known from both; a `ValueError` when they contradict."""
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(_disagreement("merge_with", self, other, "not compatible"))
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        return _from_dims(tuple(b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)))

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Whether one tensor could have both shapes: they agree wherever both are known."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None:
            return True
        return len(mine) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def is_subtype_of(self, other: TensorShape) -> bool:
        """Whether every shape this one allows is also allowed by `other`."""
        mine, theirs = self._dims, other._dims
        if mine is None or theirs is None:
            return theirs is None
        return len(mine) == len(theirs) and all(
            b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """The shape that keeps what both agree on, with None where they differ."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None or len(mine) != len(theirs):
            return unknown_shape()
        return _from_dims(tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True)))

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` dimensions."""
        if self._dims is None:
            return unknown_shape(rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; a `ValueError` when its rank is known and below `rank`."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(_wrong_rank("with_rank_at_least", self, f"at least {rank}"))
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; a `ValueError` when its rank is known and above `rank`."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(_wrong_rank("with_rank_at_most", self, f"at most {rank}"))
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise `ValueError` when the rank is known and is not `rank`."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(_wrong_rank("assert_has_rank", self, str(rank)))

    def assert_same_rank(self, other: ShapeLike) -> None:
        """Raise `ValueError` when both ranks are known and differ."""
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError(
                f"Shapes {self} and {other} must have the same rank: TensorShape.assert_same_rank "
                f"expected equal ranks; got ranks {self.rank} and {other.rank}. "
                "Reshape one of the tensors."
            )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raise `ValueError` when no tensor can have both shapes."""
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(_disagreement("assert_is_compatible_with", self, other, "incompatible"))

    def assert_is_fully_defined(self) -> None:
        """Raise `ValueError` when the rank or a dimension is unknown."""
        if not self.is_fully_defined():
            raise ValueError(
                f"Shape {self} is not fully defined: TensorShape.assert_is_fully_defined expected "
                f"every dimension to be known; got {self!r}. Give the missing dimensions."
            )

    def _known_dims(self, where: str) -> tuple[Dim, ...]:
        if self._dims is None:
            raise ValueError(
                f"TensorShape {where} expected a shape of known rank; got TensorShape(None). "
                "Check `shape.rank is not None` first."
            )
        return self._dims

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == _parse_dims(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return TensorShape, (self._dims,)


def as_shape(shape: ShapeLike) -> TensorShape:
    """Convert to a `TensorShape`; one that is already a `TensorShape` is returned as it is."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of unknown rank, or of a known `rank` with unknown dimensions."""
    return _from_dims(None if rank is None else (None,) * rank)


@lru_cache(maxsize=4096)
def static_shape(dims: tuple[int, ...]) -> TensorShape:
    """The shape of a tensor from its plain tuple of ints, unchecked and shared.

    This is what `Tensor.shape` calls, so it costs one cache lookup. Sharing is safe: a shape never
    changes.
    """
    return _from_dims(dims)


def _from_dims(dims: tuple[Dim, ...] | None) -> TensorShape:
    shape = object.__new__(TensorShape)
    shape._dims = dims
    return shape


def _parse_dims(value: Any) -> tuple[Dim, ...] | None:
    if value is None:
        return None
    if isinstance(value, (str, bytes, dict)):
        raise TypeError(_not_a_shape(value))
    if hasattr(value, "__iter__") and getattr(value, "shape", None) != ():
        return tuple(_parse_dim(dim) for dim in value)
    return (_parse_dim(value),)


def _parse_dim(value: Any) -> Dim:
    if isinstance(value, Dimension):
        value = value.value
    if value is None:
        return None
    try:
        dim = int(operator.index(value))
    except TypeError as error:
        raise TypeError(
            "TensorShape expected every dimension to be an integer or None; "
            f"got dimension={value!r} of type {type(value).__name__}. Convert it with int() first."
        ) from error
    if dim < 0:
        raise ValueError(
            f"Dimension {dim} must be >= 0: TensorShape expected non-negative dimensions; "
            f"got dimension={dim}. Use None for an unknown dimension."
        )
    return dim


def _not_a_shape(value: object) -> str:
    return (
        "TensorShape expected None, one dimension such as 10, or an iterable of dimensions such as "
        f"[1, 10, None]; got dims={value!r}. Pass a list of integers."
    )


def _wrong_rank(where: str, shape: TensorShape, rule: str) -> str:
    return (
        f"Shape {shape} must have rank {rule}: TensorShape.{where} expected rank {rule}; "
        f"got rank={shape.rank}. Use tf.reshape, tf.expand_dims or tf.squeeze to change it."
    )


def _disagreement(where: str, a: TensorShape, b: TensorShape, how: str) -> str:
    return (
        f"Shapes {a} and {b} are {how}: TensorShape.{where} expected equal ranks and equal known "
        f"dimensions; got {a!r} and {b!r}. Make the differing dimensions equal or None."
    )
