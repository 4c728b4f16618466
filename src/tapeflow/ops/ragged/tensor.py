"""`tf.RaggedTensor`: values, one row after the other, and where each row begins."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.symbolic import DispatchTarget, MetSymbolic, Symbolic
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int32, int64
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_int
from tapeflow.ops.ragged import partition
from tapeflow.ops.ragged.spec import RaggedTensorSpec


def _operator(name: str, is_reflected: bool = False) -> Callable[..., Any]:
    def method(self: RaggedTensor, *others: Any) -> Any:
        return RaggedTensor._operated(name, (*others, self) if is_reflected else (self, *others))

    return method


RAGGED_CONSTRUCTORS = frozenset(
    {
        *("from_row_splits", "from_row_lengths", "from_row_starts", "from_row_limits", "from_value_rowids"),
        *("from_uniform_row_length", "from_tensor", "from_sparse"),
    }
)
"""The class methods that make one of tensors."""


def _taking_symbols(method: Callable[..., Any]) -> Callable[..., Any]:
    """A constructor that a symbol among its arguments keeps for when there are values."""

    @functools.wraps(method)
    def constructor(cls: type, *args: Any, **kwargs: Any) -> RaggedTensor:
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, Symbolic):
                return argument.keep_construction("RaggedTensor", method.__name__, args, kwargs)
        return method(cls, *args, **kwargs)

    return constructor


class RaggedTensor(DispatchTarget):
    """A tensor whose rows may have different lengths; made by `tf.ragged.constant` and the `from_...` methods.

    >>> digits = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6]])
    >>> digits[:, :2]
    <tf.RaggedTensor [[3, 1], [], [5, 9], [6]]>
    >>> tf.reduce_sum(digits, axis=1).numpy().tolist()
    [9, 0, 16, 6]
    """

    __slots__ = ("__dict__", "__weakref__", "_places", "_places_dtype", "_uniform", "_values")

    # What public ops and operators give for it; `dispatch` sets them.
    _called: ClassVar[Callable[[Callable[..., Any], Any, Any], Any]]
    _operated: ClassVar[Callable[[str, tuple[Any, ...]], Any]]

    def __init__(
        self,
        values: Any,
        row_splits: np.ndarray,
        row_splits_dtype: DType = int64,
        uniform: int | None = None,
    ) -> None:
        self._values: Any = values
        self._places = row_splits.astype(np.int64, copy=False)
        self._places_dtype = row_splits_dtype
        self._uniform = uniform

    # Making one

    @classmethod
    def _made(
        cls, values: TensorLike, splits: np.ndarray, dtype: np.dtype[Any], where: str, is_checked: bool
    ) -> RaggedTensor:
        inner = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        if isinstance(inner, Tensor) and not inner.ndim:
            raise ValueError(f"{where} expected values with at least one dimension; got a scalar.")
        if is_checked:
            partition.check_splits(splits, _rows_of(inner), f"tf.RaggedTensor.{where}")
        places = int32 if np.dtype(dtype) == np.int32 else int64
        return cls(inner, splits, places)

    @classmethod
    @_taking_symbols
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: jax.Array | np.ndarray,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row i has the values from `row_splits[i]` up to `row_splits[i + 1]`."""
        splits = partition.read_places(row_splits, "tf.RaggedTensor.from_row_splits", "row_splits")
        return cls._made(values, splits, _dtype_of(row_splits, splits), "from_row_splits", validate)

    @classmethod
    @_taking_symbols
    def from_row_lengths(
        cls, values: Sequence[Any], row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i has the next `row_lengths[i]` values."""
        lengths = partition.read_places(row_lengths, "tf.RaggedTensor.from_row_lengths", "row_lengths")
        splits = partition.splits_of_lengths(lengths)
        return cls._made(values, splits, _dtype_of(row_lengths, lengths), "from_row_lengths", validate)

    @classmethod
    @_taking_symbols
    def from_row_starts(
        cls, values: TensorLike, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i begins at value `row_starts[i]`."""
        starts = partition.read_places(row_starts, "tf.RaggedTensor.from_row_starts", "row_starts")
        inner = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        splits = np.append(starts, _rows_of(inner))
        return cls._made(inner, splits, _dtype_of(row_starts, starts), "from_row_starts", validate)

    @classmethod
    @_taking_symbols
    def from_row_limits(
        cls, values: TensorLike, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i ends before value `row_limits[i]`."""
        limits = partition.read_places(row_limits, "tf.RaggedTensor.from_row_limits", "row_limits")
        splits = np.concatenate([[0], limits])
        return cls._made(values, splits, _dtype_of(row_limits, limits), "from_row_limits", validate)

    @classmethod
    @_taking_symbols
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: Any,
        nrows: TensorLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Value i belongs to row `value_rowids[i]`; the rows come in order."""
        where = "tf.RaggedTensor.from_value_rowids"
        ids = partition.read_places(value_rowids, where, "value_rowids")
        count = (int(ids[-1]) + 1 if len(ids) else 0) if nrows is None else read_int(nrows, where, "nrows")
        if len(ids) and ((np.diff(ids) < 0).any() or ids[0] < 0 or ids[-1] >= count):
            raise invalid(
                f"{where} expected rows in order and below nrows: arguments do not form a valid RaggedTensor; "
                f"got value_rowids={ids.tolist()}, nrows={count}."
            )
        splits = partition.splits_of_lengths(np.bincount(ids, minlength=count))
        return cls._made(values, splits, _dtype_of(value_rowids, ids), "from_value_rowids", validate)

    @classmethod
    @_taking_symbols
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: TensorLike,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Every row has `uniform_row_length` values."""
        where = "tf.RaggedTensor.from_uniform_row_length"
        inner = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        length = read_int(uniform_row_length, where, "uniform_row_length")
        total = _rows_of(inner)
        if nrows is None and not length and total == 0:
            count = 0
        else:
            count = total // max(length, 1) if nrows is None else read_int(nrows, where, "nrows")
        if length * count != total or length < 0:
            raise invalid(
                f"{where} expected rows of {length} values: arguments do not form a valid RaggedTensor; got "
                f"{total} values for {count} rows."
            )
        splits = np.arange(count + 1, dtype=np.int64) * length
        return cls(inner, splits, int64, length)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Splits of splits, the outermost first."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Lengths of lengths, the outermost first."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Row numbers of row numbers, the outermost first."""
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        values = flat_values
        for ids, count in zip(reversed(list(nested_value_rowids)), reversed(list(counts)), strict=True):
            values = cls.from_value_rowids(values, ids, count, validate=validate)
        return values

    @classmethod
    @_taking_symbols
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: Any = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = int64,
    ) -> RaggedTensor:
        """The rows of a tensor, cut to `lengths` or without the `padding` at their ends."""
        from tapeflow.ops.ragged import padded  # cycle

        return padded.from_tensor(tensor, lengths, padding, ragged_rank, as_dtype(row_splits_dtype))

    @classmethod
    @_taking_symbols
    def from_sparse(
        cls, st_input: TensorLike, name: str | None = None, row_splits_dtype: DTypeLike = int64
    ) -> RaggedTensor:
        """The values of a sparse matrix, row by row."""
        from tapeflow.ops.ragged import padded  # cycle

        return padded.from_sparse(st_input, as_dtype(row_splits_dtype))

    # What it is made of

    @property
    def values(self) -> Any:
        """The rows one after the other: a tensor, or a ragged tensor if they are ragged themselves."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and where the last ends."""
        return self._as_places(self._places)

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of every ragged dimension, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self.row_splits, *inner)

    @property
    def _nested_places(self) -> tuple[np.ndarray, ...]:
        """The row splits of every ragged dimension as the host has them."""
        inner = self._values._nested_places if isinstance(self._values, RaggedTensor) else ()
        return (self._places, *inner)

    def _as_places(self, places: np.ndarray) -> Tensor:
        return convert_to_tensor(places.astype(self._places_dtype.as_numpy_dtype))

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are divided into rows."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, if they are known to be equal."""
        return None if self._uniform is None else self._as_places(np.array(self._uniform))

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged dimensions."""
        return TensorShape([len(self._places) - 1, self._uniform, *self._values.shape[1:]])

    def get_shape(self) -> TensorShape:
        """The shape; TensorFlow's older spelling."""
        return self.shape

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._places_dtype)

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        dtype = self._places_dtype if out_type is None else as_dtype(out_type)
        return convert_to_tensor(np.array(len(self._places) - 1, dtype.as_numpy_dtype))

    def row_starts(self, name: str | None = None) -> Tensor:
        """The start of each row."""
        return self._as_places(self._places[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """The end of each row."""
        return self._as_places(self._places[1:])

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row, at the given axis."""
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._as_places(np.diff(self._places))
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        shape = self._values.shape[axis - 1]
        return self.with_values(self._as_places(np.full(_rows_of(self._values), shape)))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of every ragged dimension, the outermost first."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value."""
        return self._as_places(partition.row_ids(self._places))

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row numbers of every ragged dimension, the outermost first."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(
        self,
        axis: int | Sequence[int] | None = None,
        name: str | None = None,
        out_type: DTypeLike | None = None,
    ) -> Tensor:
        """The shape of the smallest tensor that holds every row."""
        dtype = self._places_dtype if out_type is None else as_dtype(out_type)
        sizes = np.array(self._bounds(), dtype.as_numpy_dtype)
        return convert_to_tensor(sizes if axis is None else sizes[np.asarray(axis)])

    def _bounds(self) -> list[int]:
        longest = int(np.diff(self._places).max(initial=0))
        if isinstance(self._values, RaggedTensor):
            return [len(self._places) - 1, longest, *self._values._bounds()[1:]]
        return [len(self._places) - 1, longest, *self._values.shape[1:].as_list()]

    # Made of it

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows of other values."""
        inner = new_values if isinstance(new_values, RaggedTensor) else convert_to_tensor(new_values)
        if _rows_of(inner) != self._places[-1]:
            raise invalid(
                f"RaggedTensor.with_values expected {int(self._places[-1])} values; got {_rows_of(inner)}."
            )
        return RaggedTensor(inner, self._places, self._places_dtype, self._uniform)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows of other innermost values."""
        inner = self._values
        return self.with_values(
            inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values
        )

    def mapped(self, function: Callable[[Tensor], Tensor]) -> RaggedTensor:
        """Apply a function to the innermost values and keep the rows; it must treat each value separately."""
        return self.with_flat_values(function(self.flat_values))

    def _for_filling(self) -> tuple[Any, int]:
        """The values, and how wide a tensor must be to hold every row."""
        return self._values, int(np.diff(self._places).max(initial=0))

    def _for_sums(self, ids: np.ndarray) -> tuple[Any, np.ndarray]:
        """The values, and which sum each belongs to: that of its id."""
        return self._values, ids

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same with row splits of another dtype, int32 or int64."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(dtype)
        return RaggedTensor(inner, self._places, as_dtype(dtype), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The dimensions from `outer_axis` to `inner_axis` as one."""
        from tapeflow.ops.ragged import arranging  # cycle

        return arranging.merge_dims(self, outer_axis, inner_axis)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: ShapeLike | None = None
    ) -> Tensor:
        """A tensor as large as the longest rows, or of `shape`, filled up with `default_value`."""
        from tapeflow.ops.ragged import padded  # cycle

        return padded.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor of the values."""
        from tapeflow.ops.ragged import padded  # cycle

        return padded.to_sparse(self)

    def to_list(self) -> list[Any]:
        """Nested lists of Python values."""
        rows = (
            self._values.to_list()
            if isinstance(self._values, RaggedTensor)
            else self._values.numpy().tolist()
        )
        return [rows[a:b] for a, b in zip(self._places[:-1], self._places[1:], strict=True)]

    def numpy(self) -> np.ndarray:
        """An array; of arrays where rows differ in length."""
        rows = self._values.numpy()
        parts = [rows[a:b] for a, b in zip(self._places[:-1], self._places[1:], strict=True)]
        if len({len(p) for p in parts}) == 1:
            return np.stack(parts)
        found = np.empty(len(parts), object)
        for i, part in enumerate(parts):
            found[i] = part
        return found

    def __getitem__(self, key: Any) -> Any:
        from tapeflow.ops.ragged import indexing  # cycle

        return indexing.getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._places) - 1))

    def consumers(self) -> list[Any]:
        """Nothing: eager tensors do not know who uses them."""
        return []

    # As an argument of ops

    def keep_call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return RaggedTensor._called(function, args, kwargs)

    def _why_no_array(self) -> str:
        return (
            f"An array was expected; got a ragged tensor of shape {self.shape}, whose rows differ in length. Use "
            "to_tensor() to fill them up."
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise MetSymbolic(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "RaggedTensor may not be used as a boolean: it has many values. Use tf.reduce_any or tf.reduce_all."
        )

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("truediv"), _operator("truediv", True)
    __floordiv__, __rfloordiv__ = _operator("floordiv"), _operator("floordiv", True)
    __mod__, __rmod__ = _operator("floormod"), _operator("floormod", True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", True)
    __neg__, __abs__, __invert__ = _operator("negative"), _operator("abs"), _operator("logical_not")
    __and__, __or__, __xor__ = _operator("logical_and"), _operator("logical_or"), _operator("logical_xor")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # pyright: ignore[reportAssignmentType]

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        with np.printoptions(formatter={"all": _text}):
            return f"<tf.RaggedTensor {_text(self.numpy())}>"

    __str__ = __repr__


RaggedTensorSpec._kind = RaggedTensor


def _text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ") if value.size else str(value.tolist())
    return str(value)  # as many digits as its dtype has


def _rows_of(values: Any) -> int:
    return len(values._places) - 1 if isinstance(values, RaggedTensor) else values.spec.shape[0]


def _dtype_of(given: jax.Array | np.ndarray, array: np.ndarray) -> Any:
    """Row splits have the dtype of what they are made of, int64 for lists."""
    return array.dtype if hasattr(given, "dtype") else np.int64


def _nested(make: Callable[..., Any], values: TensorLike, nested: Sequence[Any], validate: bool) -> Any:
    found = values
    for part in reversed(list(nested)):
        found = make(found, part, validate=validate)
    return found
