"""Elements put together and taken apart: batch, padded_batch, unbatch, window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.composites import as_ragged_rows, ragged_specs
from tapeflow.data.deferral import made as made_later
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.piped import made
from tapeflow.data.rows import OBJECTS, objects, split_rows
from tapeflow.data.specs import DatasetSpec, are_settled, batch_spec, row_spec
from tapeflow.data.steps.ordering import Given
from tapeflow.data.structure import Flat, Structure, as_tensor
from tapeflow.engine import errors
from tapeflow.engine.devices import host_memory
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.sparse.tensor import SparseTensor, SparseTensorSpec


class Grouped(Step):
    """A step that makes one element of every `size` elements of the source."""

    def __init__(self, source: Pipe, size: int, drop_remainder: bool) -> None:
        super().__init__(source, OBJECTS)
        self.size, self.drop_remainder = size, drop_remainder

    @property
    def cardinality(self) -> int:
        return counting.batched(self.source.cardinality, self.size, self.drop_remainder)

    def together(self, handles: np.ndarray) -> Flat:
        """The element that a group makes."""
        raise NotImplementedError

    def shared(self, handles: np.ndarray, share: Share) -> Flat:
        """The element that a group makes; of its rows, those that are not of the share may be zeros."""
        return self.together(handles)

    def stream(self, iteration: Iteration) -> Stream:
        return _Groups(self, iteration)


class _Groups(Stream):
    def __init__(self, pipe: Grouped, iteration: Iteration) -> None:
        self._pipe = pipe
        self._inner = pipe.source.stream(iteration)
        self._is_over = False
        self._share = iteration.share if iteration.shared is pipe else None
        part = iteration.part
        self._size = pipe.size if part is None or part.batches is not pipe else pipe.size // part.count

    def take(self, count: int) -> np.ndarray:
        pipe, share, found = self._pipe, self._share, []
        while len(found) < count and not self._is_over:
            handles = self._inner.take(self._size)
            self._is_over = len(handles) < self._size
            if len(handles) and not (self._is_over and pipe.drop_remainder):
                found.append(pipe.together(handles) if share is None else pipe.shared(handles, share))
        return objects(found)

    def state(self) -> State:
        return {"is_over": self._is_over, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._is_over = state["is_over"]
        self._inner.restore(state["inner"])


class Batch(Grouped):
    """`size` elements stacked."""

    @property
    def specs(self) -> tuple[Any, ...]:
        size = self.size if self.drop_remainder else None
        return tuple([batch_spec(s, size) for s in self.source.specs])

    def together(self, handles: np.ndarray) -> Flat:
        return self.source.rows.gather(handles, self.size)

    def shared(self, handles: np.ndarray, share: Share) -> Flat:
        source, rows, most = self.source, share.rows(len(handles)), share.rows(self.size)
        if rows is not None and are_settled(source.specs):
            own = source.rows.gather(
                _there(source, handles[rows]), most.stop - most.start if most is not None else 0
            )
            if all(part.shape[1:] == tuple(s.shape) for part, s in zip(own, source.specs, strict=True)):
                return tuple([_among_zeros(part, rows, len(handles)) for part in own])
        return self.together(_there(source, handles))


def _there(source: Pipe, handles: np.ndarray) -> np.ndarray:
    """Handles of elements that are there, and not to be made later."""
    return handles if source.rows.width else made_later(handles)


def _among_zeros(part: np.ndarray, rows: slice, count: int) -> np.ndarray:
    """Some rows of an array whose others are zeros, which take no memory until they are read."""
    whole = np.zeros((count, *part.shape[1:]), part.dtype)
    whole[rows] = part
    return whole


class AsRagged(Step):
    """The same elements; those of unknown shape are rows of ragged tensors when they are batched."""

    def __init__(self, source: Pipe, row_splits_dtype: DTypeLike) -> None:
        super().__init__(source, OBJECTS)
        self._specs = ragged_specs(source.specs, row_splits_dtype)

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._specs

    def stream(self, iteration: Iteration) -> Stream:
        return _AsRagged(self, iteration)


class _AsRagged(Stream):
    def __init__(self, pipe: AsRagged, iteration: Iteration) -> None:
        self._pipe = pipe
        self._inner = pipe.source.stream(iteration)

    def take(self, count: int) -> np.ndarray:
        elements = self._pipe.source.rows.elements(self._inner.take(count))
        return objects([as_ragged_rows(e, self._pipe.specs) for e in elements])

    def state(self) -> State:
        return self._inner.state()

    def restore(self, state: State) -> None:
        self._inner.restore(state)


class SparseBatch(Grouped):
    """`size` elements as one sparse tensor, with rows of a given shape."""

    def __init__(self, source: Pipe, size: int, row_shape: Sequence[int]) -> None:
        super().__init__(source, size, False)
        self.row_shape = list(row_shape)

    @property
    def specs(self) -> tuple[Any, ...]:
        return tuple([SparseTensorSpec([None, *self.row_shape], s.dtype) for s in self.source.specs])

    def together(self, handles: np.ndarray) -> Flat:
        elements = self.source.rows.elements(handles)
        return tuple([self._sparse(column) for column in zip(*elements, strict=True)])

    def _sparse(self, column: Sequence[np.ndarray]) -> SparseTensor:
        for part in column:
            if part.ndim != len(self.row_shape) or any(
                n > m for n, m in zip(part.shape, self.row_shape, strict=True)
            ):
                raise errors.DataLossError(
                    None,
                    None,
                    f"tf.data.Dataset.sparse_batch expected elements no larger than row_shape={self.row_shape}; "
                    f"got one of shape {part.shape}.",
                )
        places = [
            np.insert(np.indices(p.shape).reshape(p.ndim, -1).T, 0, i, axis=1) for i, p in enumerate(column)
        ]
        values = np.concatenate([p.reshape(-1) for p in column])
        return SparseTensor(np.concatenate(places), as_tensor(values), [len(column), *self.row_shape])


class PaddedBatch(Grouped):
    """`size` elements stacked, each padded at its ends to the shape of the largest, or to a given one."""

    def __init__(
        self,
        source: Pipe,
        size: int,
        shapes: Sequence[Any],
        values: Sequence[Any],
        drop_remainder: bool,
        is_bound: bool,
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self.shapes, self.values, self.is_bound = shapes, values, is_bound

    @property
    def specs(self) -> tuple[Any, ...]:
        size = self.size if self.drop_remainder else None
        return tuple(
            [
                TensorSpec([size, *shape], s.dtype)
                for shape, s in zip(self.shapes, self.source.specs, strict=True)
            ]
        )

    def together(self, handles: np.ndarray) -> Flat:
        elements = list(self.source.rows.elements(handles))
        return tuple(
            [
                _padded([e[k] for e in elements], shape, value, self.is_bound)
                for k, (shape, value) in enumerate(zip(self.shapes, self.values, strict=True))
            ]
        )


def _padded(
    parts: list[np.ndarray], shape: Sequence[int | None], value: TensorLike, is_bound: bool
) -> np.ndarray:
    """Parts filled up to a shape, which binds if it is the user's and not one learnt from first elements."""
    largest = np.max([p.shape for p in parts], axis=0) if len(shape) else ()
    wanted = [d if is_bound and d is not None else int(m) for d, m in zip(shape, largest, strict=True)]
    if any(m > d for m, d in zip(largest, wanted, strict=True)):
        raise errors.DataLossError(
            None,
            None,
            "tf.data.Dataset.padded_batch expected elements no larger than padded_shapes: attempted to pad "
            f"to a smaller size than the input element; got an element of {list(map(int, largest))} for "
            f"padded_shapes={list(shape)}. Use None for the largest of the batch.",
        )
    out = host_memory.empty((len(parts), *wanted), parts[0].dtype)
    out[...] = value
    for i, part in enumerate(parts):
        out[(i, *[slice(n) for n in part.shape])] = part if part.ndim else part[()]
    return out


class Unbatch(Step):
    """The rows of each element."""

    def __init__(self, source: Pipe) -> None:
        super().__init__(source, OBJECTS)

    @property
    def specs(self) -> tuple[Any, ...]:
        return tuple([row_spec(s) for s in self.source.specs])

    @property
    def cardinality(self) -> int:
        sizes = {s.shape[0] for s in self.source.specs if s.shape.rank}
        size = next(iter(sizes - {None}), None)
        return counting.UNKNOWN if size is None else counting.repeated(self.source.cardinality, size)

    def stream(self, iteration: Iteration) -> Stream:
        return _Unbatched(self, iteration)


class _Unbatched(Stream):
    def __init__(self, pipe: Unbatch, iteration: Iteration) -> None:
        self._source = pipe.source
        self._inner = pipe.source.stream(iteration)
        self._rest: list[Flat] = []  # in reverse

    def take(self, count: int) -> np.ndarray:
        found: list[Flat] = []
        while len(found) < count:
            if self._rest:
                found.append(self._rest.pop())
                continue
            handles = self._inner.take(1)
            if not len(handles):
                break
            self._rest = split_rows(_same_length(self._source.rows.elements(handles)[0]))[::-1]
        return objects(found)

    def state(self) -> State:
        return {"rest": list(self._rest), "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._rest = list(state["rest"])
        self._inner.restore(state["inner"])


def _same_length(element: Flat) -> Flat:
    lengths = {tuple(c.shape[:1]) for c in element}
    if () in lengths:
        raise ValueError(
            "tf.data.Dataset.unbatch expected components with a first dimension: unbatching a tensor is only "
            f"supported for rank >= 1; got shapes {[c.shape for c in element]}."
        )
    if len(lengths) > 1:
        raise errors.InvalidArgumentError(
            None,
            None,
            "tf.data.Dataset.unbatch expected components with one first dimension: input element must have "
            f"the same batch size in each component; got shapes {[c.shape for c in element]}.",
        )
    return element


class Window(Step):
    """Datasets of `size` elements each, beginning every `shift` elements, `stride` apart within."""

    def __init__(self, source: Pipe, size: int, shift: int, stride: int, drop_remainder: bool) -> None:
        super().__init__(source, OBJECTS)
        self.size, self.shift, self.stride, self.drop_remainder = size, shift, stride, drop_remainder

    @property
    def specs(self) -> tuple[Any, ...]:
        return tuple([DatasetSpec(s) for s in self.source.specs])

    @property
    def cardinality(self) -> int:
        count = self.source.cardinality
        if count < 0:
            return count
        reach = (self.size - 1) * self.stride + 1
        if self.drop_remainder:
            return 0 if count < reach else (count - reach) // self.shift + 1
        return -(-count // self.shift)

    def stream(self, iteration: Iteration) -> Stream:
        return _Windows(self, iteration)

    def window(self, handles: np.ndarray) -> Flat:
        """One dataset for each component, over the same handles."""
        whole = Given(self.source, handles)
        if not isinstance(self.source.structure.template, (dict, tuple)):
            return (made(whole),)
        return tuple([made(Component(whole, k)) for k in range(len(self.source.specs))])


class Component(Step):
    """One component of the source's elements."""

    def __init__(self, source: Pipe, number: int) -> None:
        super().__init__(source, OBJECTS)
        self.number = number

    @property
    def structure(self) -> Structure:
        return Structure(0)

    @property
    def specs(self) -> tuple[Any, ...]:
        return (self.source.specs[self.number],)

    def stream(self, iteration: Iteration) -> Stream:
        return _Components(self, iteration)


class _Components(Stream):
    def __init__(self, pipe: Component, iteration: Iteration) -> None:
        self._pipe = pipe
        self._inner = pipe.source.stream(iteration)

    def take(self, count: int) -> np.ndarray:
        pipe = self._pipe
        return objects([(e[pipe.number],) for e in pipe.source.rows.elements(self._inner.take(count))])

    def state(self) -> State:
        return self._inner.state()

    def restore(self, state: State) -> None:
        self._inner.restore(state)


class _Windows(Stream):
    def __init__(self, pipe: Window, iteration: Iteration) -> None:
        self._pipe = pipe
        self._inner = pipe.source.stream(iteration)
        self._held = pipe.source.rows.empty()
        self._skip = 0
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        pipe, found = self._pipe, []
        reach = (pipe.size - 1) * pipe.stride + 1
        while len(found) < count:
            self._read(reach)
            if not len(self._held) or (len(self._held) < reach and pipe.drop_remainder):
                break
            found.append(pipe.window(self._held[: reach : pipe.stride]))
            self._skip = max(0, pipe.shift - len(self._held))
            self._held = self._held[pipe.shift :]
        return objects(found)

    def _read(self, reach: int) -> None:
        if self._is_over or len(self._held) >= reach:
            return
        wanted = self._skip + reach - len(self._held)
        fresh = self._inner.take(wanted)
        self._is_over = len(fresh) < wanted
        self._held = np.concatenate([self._held, fresh[self._skip :]])
        self._skip = 0

    def state(self) -> State:
        return {
            "held": self._held.copy(),
            "skip": self._skip,
            "is_over": self._is_over,
            "inner": self._inner.state(),
        }

    def restore(self, state: State) -> None:
        self._held, self._skip, self._is_over = state["held"], state["skip"], state["is_over"]
        self._inner.restore(state["inner"])
