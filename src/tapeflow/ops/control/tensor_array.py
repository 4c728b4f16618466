"""`tf.TensorArray`: a list of tensors that a loop fills and reads by index.

Outside of recorded loops it is a Python list, as TensorFlow's is in eager mode: `write` changes it and
returns it. In the body of a `tf.while_loop` the index is no number yet, so there it is one tensor with a
row for each element (`rows`), and `write` gives a new array.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import NeedsValue, state
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import zeros
from tapeflow.ops.array.indexing import gather
from tapeflow.ops.array.joining import concat, split, stack, unstack
from tapeflow.ops.array.scattering import tensor_scatter_nd_update
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.debugging.requirement import require
from tapeflow.ops.host_args import invalid, known_value, read_int, read_ints
from tapeflow.ops.math.arithmetic import maximum
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.comparison import logical_and


class TensorArraySpec:
    """The spec of a `TensorArray`.

    Args:
        element_shape: the shape of its elements.
        dtype: their dtype.
        dynamic_size: whether it grows.
        infer_shape: whether all elements have one shape.
    """

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: Any = float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._parts = (TensorShape(element_shape), as_dtype(dtype), bool(dynamic_size), bool(infer_shape))

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """The spec of a TensorArray."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"TensorArraySpec.from_value expected a TensorArray; got {value!r}.")
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infers)

    @property
    def value_type(self) -> type[TensorArray]:
        """`tf.TensorArray`."""
        return TensorArray

    def is_compatible_with(self, other: object) -> bool:
        """Whether a TensorArray, or another spec, is of this kind."""
        spec = self.from_value(other) if isinstance(other, TensorArray) else other
        return (
            isinstance(spec, TensorArraySpec)
            and self._parts[1:] == spec._parts[1:]
            and self._parts[0].is_compatible_with(spec._parts[0])
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorArraySpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash((TensorArraySpec, *map(repr, self._parts)))

    def __repr__(self) -> str:
        return f"TensorArraySpec({', '.join(map(repr, self._parts))})"


class TensorArray:
    """Tensors of one dtype, written and read one by one.

    Args:
        dtype: that of every element.
        size: how many elements there are; all zeros until they are written.
        dynamic_size: let writes past the end make it longer.
        clear_after_read: an element can be read once only; True unless said otherwise.
        infer_shape: all elements must have the shape of the first.
        element_shape: the shape they must have.

    >>> squares = tf.TensorArray(tf.int32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack().numpy()
    array([0, 1, 4], dtype=int32)
    """

    def __init__(
        self,
        dtype: Any,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: TensorLike | None = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError("tf.TensorArray expected no handle: there are none in eager code; got one.")
        if size is None:
            raise ValueError("tf.TensorArray expected a size; got size=None. Use 0 with dynamic_size=True.")
        self._dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._infers = bool(infer_shape)
        self._element_shape = TensorShape(element_shape)
        self._elements: list[Tensor | None] = [None] * read_int(size, "tf.TensorArray", "size")
        self._cleared: set[int] = set()
        self._rows: Tensor | None = None
        self._whole: Tensor | None = None  # what `unstack` was given, while all of it is there

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._element_shape

    @property
    def flow(self) -> Tensor:
        """Without meaning here: writes are in order anyway."""
        return constant(0)

    @property
    def handle(self) -> None:
        """There is none."""
        return None

    def identity(self) -> TensorArray:
        """The array itself."""
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return constant(self._length())

    def _length(self) -> int:
        return len(self._elements) if self._rows is None else self._rows.spec.shape[0]

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`, which is then cleared unless `clear_after_read` is False."""
        if self._rows is not None:
            return gather(self._rows, _scalar_index(index))
        try:
            at = self._place(index, "read")
        except NeedsValue:  # in a loop that becomes one op, which reads an array from outside
            rows = self._whole if self._whole is not None else self.rows()
            if rows is None:
                raise
            return gather(rows, _scalar_index(index))
        tensor = self._elements[at]
        if tensor is None:
            if at in self._cleared:
                raise invalid(
                    f"TensorArray.read expected an element not read before: Could not read index {at} twice "
                    "because it was cleared after a previous read. Make the array with clear_after_read=False."
                )
            tensor = self._filled(at)
        if self._clears:
            self._whole = None
            self._elements[at] = None
            self._cleared.add(at)
        return tensor

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Put `value` at `index`; use the array that is returned."""
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        self._check(tensor)
        if self._rows is not None and self.dynamic_size and known_value(convert_to_tensor(index)) is not None:
            self._elements, self._rows = list(unstack(self._rows)), None
        if self._rows is not None:
            place = reshape(convert_to_tensor(_scalar_index(index)), [1, 1])
            return self.of_rows(tensor_scatter_nd_update(self._rows, place, stack([tensor])))
        at = self._place(index, "write")
        if at >= len(self._elements):
            self._elements += [None] * (at + 1 - len(self._elements))
        self._elements[at], self._whole = tensor, None
        return self

    def _check(self, tensor: Tensor) -> None:
        """Raise unless a value may be an element; learn the elements' shape from it."""
        if tensor.dtype is not self._dtype:
            raise invalid(
                f"TensorArray.write expected a value of the array's dtype: TensorArray dtype is "
                f"{self._dtype.name} but Op is trying to write dtype {tensor.dtype.name}. Use tf.cast."
            )
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"TensorArray.write expected a value of shape {self._element_shape}: incompatible shape for "
                f"value; got shape {tensor.shape}. Pass infer_shape=False for elements of several shapes."
            )
        if self._infers:
            self._element_shape = tensor.shape

    def _place(self, index: TensorLike, doing: str) -> int:
        at = read_int(index, f"TensorArray.{doing}", "index")
        is_growing = doing == "write" and self.dynamic_size
        if at < 0 or (at >= len(self._elements) and not is_growing):
            more = "" if doing == "read" else " Pass dynamic_size=True to let it grow."
            raise errors.OutOfRangeError(
                None,
                None,
                f"TensorArray.{doing} expected an index in [0, {len(self._elements)}): Tried to {doing} index "
                f"{at} but array size is: {len(self._elements)}.{more}",
            )
        return at

    def _filled(self, at: int) -> Tensor:
        """The element at a place; zeros if nothing was written."""
        found = self._elements[at]
        if found is None:
            if not self._element_shape.is_fully_defined():
                raise ValueError(
                    f"TensorArray expected an element at index {at}, or to know the shape of its zeros; got "
                    f"nothing written there and element_shape={self._element_shape}. Give it an element_shape."
                )
            found = self._elements[at] = zeros(self._element_shape, self._dtype)
        return found

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as the rows of one tensor."""
        if self._rows is not None:
            return self._rows
        if not self._elements:
            known = self._element_shape.as_list() if self._element_shape.rank is not None else []
            return constant(np.zeros([0, *(d or 0 for d in known)], self._dtype.as_numpy_dtype))
        return stack([self._filled(i) for i in range(len(self._elements))])

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at some places as the rows of one tensor."""
        if self._rows is not None:
            return gather(self._rows, indices)
        places = read_ints(indices, "TensorArray.gather", "indices", scalar=True)
        return stack([self._filled(self._place(i, "read")) for i in places])

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        elements = unstack(self._rows) if self._rows is not None else range(len(self._elements))
        parts = [self._filled(e) if isinstance(e, int) else e for e in elements]
        if any(not p.spec.shape for p in parts):
            raise invalid(
                "TensorArray.concat expected elements with a first axis: Concat saw a scalar shape. Use stack()."
            )
        return concat(parts, 0)

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Fill the array with the rows of a tensor."""
        whole = convert_to_tensor(value, dtype_hint=self._dtype)
        rows = unstack(whole)
        if len(rows) > self._length() and not self.dynamic_size:
            raise ValueError(
                f"TensorArray.unstack expected at most {self._length()} rows: Cannot unstack {len(rows)} "
                f"tensors into a TensorArray of static size {self._length()}. Pass dynamic_size=True."
            )
        self._replaced(rows)
        self._whole = whole
        return self

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Write the rows of a tensor at the places `indices`."""
        places = read_ints(indices, "TensorArray.scatter", "indices", scalar=True)
        array = self
        for at, row in zip(places, unstack(convert_to_tensor(value, dtype_hint=self._dtype)), strict=True):
            array = array.write(at, row)
        return array

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Fill the array with pieces of a tensor, of the given lengths along its first axis."""
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        sizes = read_ints(lengths, "TensorArray.split", "lengths")
        if not tensor.spec.shape or sum(sizes) != tensor.spec.shape[0]:
            raise invalid(
                "TensorArray.split expected lengths that sum to the rows of value: Expected sum of lengths to be "
                f"equal to values.shape[0]; got {sum(sizes)} and value of shape {tensor.shape}."
            )
        if len(sizes) != self._length() and not self.dynamic_size:
            raise invalid(
                f"TensorArray.split expected {self._length()} lengths: TensorArray's size is not equal to the "
                f"size of lengths; got {len(sizes)}. Pass dynamic_size=True."
            )
        return self._replaced(split(tensor, list(sizes), 0))

    def _replaced(self, elements: list[Tensor]) -> TensorArray:
        if any(e.dtype is not self._dtype for e in elements):
            self._check(elements[0])
        self._elements, self._cleared, self._rows, self._whole = list(elements), set(), None, None
        return self

    def close(self, name: str | None = None) -> None:
        """Release the elements."""
        self._elements, self._rows, self._whole = [], None, None

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Not there, as in TensorFlow's eager mode: a tape sees through the array."""
        raise NotImplementedError(
            "TensorArray.grad is not supported in eager code, and not needed: use tf.GradientTape."
        )

    def copied(self) -> TensorArray:
        """A copy with the same elements; writing to it does not change this array."""
        made = copy.copy(self)
        made._elements, made._cleared = list(self._elements), set(self._cleared)
        return made

    def elements(self) -> list[Tensor | None] | None:
        """The elements one by one, None for those never written; None if they are the rows of one tensor."""
        return None if self._rows is not None else list(self._elements)

    def of_elements(self, elements: list[Tensor | None], other: TensorArray | None = None) -> TensorArray:
        """An array like this one with these elements; what it knows of their shape, another may know."""
        made = self.copied()
        made._elements, made._rows, made._whole = list(elements), None, None
        if other is not None:
            made._cleared |= other._cleared
            if not made._element_shape.is_fully_defined():
                made._element_shape = other._element_shape
        return made

    def probe(self) -> TensorArray:
        """A stand-in to be written once, to learn what a loop's body writes."""
        return _Probe(self)

    def of_rows(self, rows: Tensor) -> TensorArray:
        """An array like this one with the rows of a tensor for elements."""
        made = TensorArray(self._dtype, 0, self.dynamic_size, self._clears, infer_shape=self._infers)
        made._element_shape, made._rows = rows.shape[1:], rows
        return made

    def rows(self, shape: TensorShape | None = None) -> Tensor | None:
        """All elements as one tensor, for a loop to carry; None if they cannot be.

        Args:
            shape: that of an element, if the array does not know it.
        """
        if self._rows is not None:
            return self._rows
        known = self._element_shape if self._element_shape.is_fully_defined() else shape
        if self.dynamic_size or known is None or not self._elements or self._cleared:
            return None
        found = [e for e in self._elements if e is not None]
        if any(e.shape != known for e in found):
            return None
        if not found:
            return zeros([len(self._elements), *known.as_list()], self._dtype)
        empty = zeros(known, self._dtype)
        return stack([empty if e is None else e for e in self._elements])


class _Probe(TensorArray):
    """Takes writes at any index and remembers only what an element looks like."""

    def __init__(self, like: TensorArray) -> None:
        super().__init__(like.dtype, 0, True, element_shape=like.element_shape)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        self._check(convert_to_tensor(value, dtype_hint=self._dtype))
        return self


class NotAppended(NeedsValue):
    """Raised where a loop does not write to a growing array once in every turn, at its end."""


class Appending(TensorArray):
    """An array that grows by one element in each turn of a recorded loop, at its end.

    Args:
        like: the array before the loop.
        length: how many elements that has.
        indices: tensors that hold the number of the turn: writing there is writing at the end.
    """

    def __init__(self, like: TensorArray, length: int, indices: list[Tensor]) -> None:
        super().__init__(like.dtype, 0, True, like._clears, infer_shape=like._infers)
        self._element_shape = like._element_shape
        self._ends = [i._node for i in indices]
        self._before = length
        self.appended: Tensor | None = None

    def size(self, name: str | None = None) -> Tensor:
        if self.appended is not None:
            raise NeedsValue("it asks for the size of a TensorArray that it has written to")
        turn = cast(tensor_of(state.bodies[-1]), "int32")
        end = turn + self._before
        self._ends.append(end._node)
        self._sizes = [*getattr(self, "_sizes", []), end]
        return end

    def write(self, index: Any, value: object, name: str | None = None) -> TensorArray:
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        self._check(tensor)
        is_end = isinstance(index, Tensor) and any(index._node is end for end in self._ends)
        if self.appended is not None or not is_end:
            raise NotAppended("it writes to a growing TensorArray elsewhere than once at its end")
        made = copy.copy(self)
        made.appended = tensor
        return made

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise NotAppended("it reads a TensorArray that is growing")

    read = stack = gather = concat = unstack = scatter = split = elements = rows = copied = _refuse


class Growing(TensorArray):
    """An array that grows in a recorded loop of which only the largest number of turns is known.

    Args:
        like: the array before the loop.
        rows: room for its elements, those that are there in front.
        length: how many elements there are, as a scalar int32 tensor.
        turn: the number of the turn, if writing there is known to be within that room.
    """

    def __init__(self, like: TensorArray, rows: Tensor, length: Tensor, turn: Tensor | None = None) -> None:
        super().__init__(like.dtype, 0, True, like._clears, infer_shape=like._infers)
        self._element_shape, self._rows = rows.shape[1:], rows
        self.room, self.length, self._turn = rows, length, turn

    def size(self, name: str | None = None) -> Tensor:
        return self.length

    def write(self, index: Any, value: object, name: str | None = None) -> TensorArray:
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        self._check(tensor)
        place, room = cast(convert_to_tensor(index), "int32"), self.room
        if self._turn is None or not isinstance(index, Tensor) or index._node is not self._turn._node:
            require(
                logical_and(place >= 0, place < len(room)),
                f"TensorArray.write expected an index in [0, {len(room)}), as a loop writes one element in a turn; "
                "got one beyond it. Give the array a size.",
                lambda _: "",
            )
        rows = tensor_scatter_nd_update(room, reshape(place, [1, 1]), stack([tensor]))
        return Growing(self, rows, maximum(self.length, place + 1), self._turn)

    def copied(self) -> TensorArray:
        return self

    def grown(self, rows: Tensor, length: Tensor) -> Growing:
        """The same array with other rows and another length."""
        return Growing(self, rows, length, self._turn)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise NeedsValue("it reads a TensorArray that is growing")

    stack = gather = concat = unstack = scatter = split = _refuse


def _scalar_index(index: Any) -> Any:
    known = known_value(index)
    return index if known is None else int(known)
