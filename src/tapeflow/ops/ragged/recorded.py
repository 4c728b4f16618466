"""Ragged tensors in functions that are written as TensorFlow's nodes: their values and rows are recorded, not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.op import Op
from tapeflow.engine.recording.sketch import NotSketchable
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, string
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor


def unknown_size() -> int:
    """A stand-in for a number that nobody knows: it follows from no other, as several records of the function show."""
    trace = state.trace
    mixed = (trace.keeps_strings * 7919 + len(trace.nodes) + 1) * 2654435761
    return 23 + (mixed >> 8) % 97


def _unrunnable(*_: Any, **__: Any) -> Any:
    raise NotSketchable("A ragged tensor is written, not run.")


RAGGED_TO_TENSOR = Op(_unrunnable, name="RaggedToTensor", same_dtype=False, differentiable=False)
"""The rows of values, filled up: of values, what they are filled up with, and where rows begin."""


class RecordedRagged(DispatchTarget):
    """Rows of different lengths; takes what works value by value, and `to_tensor`.

    Args:
        values: one row after the other.
        row_splits: where each row begins, and the last ends.
    """

    __slots__ = ("row_splits", "values")

    ragged_rank = 1

    def __init__(self, values: Tensor, row_splits: Tensor) -> None:
        self.values, self.row_splits = values, row_splits

    @property
    def flat_values(self) -> Tensor:
        """The values."""
        return self.values

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """Where rows begin."""
        return (self.row_splits,)

    @property
    def dtype(self) -> DType:
        """Of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """Rows, their lengths, and the shape of a value."""
        return TensorShape([self._row_count, None, *self.values.spec.shape[1:]])

    @property
    def _row_count(self) -> int:
        return self.row_splits.spec.shape[0] - 1

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor:
        """The length of each row."""
        if axis != 1:
            raise self._refusal(f"row_lengths with axis={axis}")
        return self.row_splits[1:] - self.row_splits[:-1]

    def with_values(self, new_values: Any) -> RecordedRagged:
        """The same rows of other values."""
        return RecordedRagged(convert_to_tensor(new_values), self.row_splits)

    with_flat_values = with_values

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Sequence[int | None] | None = None
    ) -> Tensor:
        """The rows, filled up to the longest or to a shape."""
        values = self.values
        if default_value is None:
            default_value = b"" if self.dtype == string else 0
        filling = convert_to_tensor(default_value, self.dtype)
        asked = [None] * (1 + len(values.spec.shape)) if shape is None else list(TensorShape(shape).as_list())
        width = unknown_size() if asked[1] is None else asked[1]
        spec = spec_of((self._row_count, width, *values.spec.shape[1:]), self.dtype)
        sizes = tuple([-1 if size is None else size for size in asked])
        (found,) = RAGGED_TO_TENSOR.giving((spec,), values, filling, self.row_splits, sizes=sizes)
        return found

    def keep_call(self, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Any:
        from tapeflow.ops.ragged.dispatch import ELEMENTWISE  # cycle

        others = [*args[1:], *kwargs.values()]
        is_alone = not any(isinstance(other, (Tensor, DispatchTarget, list, tuple)) for other in others)
        if not (args and args[0] is self and is_alone and function.__module__ in ELEMENTWISE):
            raise self._refusal(f"tf.{function.__name__}")
        return self.with_values(function(self.values, *args[1:], **kwargs))

    def _operated(self, name: str, *others: Any) -> Any:
        from tapeflow.ops.ragged.dispatch import function_of_operator  # cycle

        return self.keep_call(function_of_operator(name), (self, *others), {})

    def __neg__(self) -> Any:
        return self._operated("negative")

    def __add__(self, other: Any) -> Any:
        return self._operated("add", other)

    def __sub__(self, other: Any) -> Any:
        return self._operated("subtract", other)

    def __mul__(self, other: Any) -> Any:
        return self._operated("multiply", other)

    def __truediv__(self, other: Any) -> Any:
        return self._operated("truediv", other)

    __radd__, __rmul__ = __add__, __mul__

    def _refusal(self, what: str) -> NotSketchable:
        return NotSketchable(
            f"{what} of a ragged tensor that is only recorded cannot be written as TensorFlow's ops; call it on "
            "to_tensor()."
        )

    def _why_no_array(self) -> str:
        return "A ragged tensor was read in a function that is only recorded."


class RaggedMark:
    """Stands for a ragged tensor in the structure of results.

    Args:
        numbers: of the results that its values and its rows are.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = tuple(numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedMark) and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash(self.numbers)
