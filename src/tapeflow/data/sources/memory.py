"""Where elements come from: arrays, numbers, Python generators; and sources side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.composites import COMPOSITE_SPECS, COMPOSITES, settled
from tapeflow.data.functions.randomness import drawn_seed, order_state, restore_order
from tapeflow.data.pipe import Iteration, Pipe, State, Stream
from tapeflow.data.piped import Piped
from tapeflow.data.rows import (
    OBJECTS,
    ArrayRows,
    RangeRows,
    ZippedRows,
    beside,
    frozen,
    objects,
    split_rows,
)
from tapeflow.data.specs import row_spec, spec_of_component
from tapeflow.data.steps.ordering import Sequence as Numbers
from tapeflow.data.steps.shuffling import generator_for
from tapeflow.data.structure import (
    Flat,
    Structure,
    as_array,
    flattened,
    map_parts,
)
from tapeflow.engine import errors
from tapeflow.engine.programs import phases
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import DType, int64, string
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.host_args import ErrorType, fail


class Fixed(Pipe):
    """A source whose structure and specs are known from the start."""

    def __init__(self, structure: Structure, specs: Sequence[Any], cardinality: int) -> None:
        self._structure = structure
        self._specs = tuple(specs)
        self._cardinality = cardinality

    @property
    def structure(self) -> Structure:
        return self._structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._specs

    @property
    def cardinality(self) -> int:
        return self._cardinality


def _components(
    tensors: TensorLike | Mapping[str, Any], where: str, error: ErrorType
) -> tuple[Structure, list[Any]]:
    def component(value: Any) -> Any:
        if isinstance(value, Piped):
            return value
        return settled(value) if isinstance(value, COMPOSITES) else frozen(as_array(value))

    parts = map_parts(component, tensors)
    found = flattened(parts)
    if not found:
        fail(
            error,
            f"{where} expected a tensor or a structure of tensors: invalid `element`, `element` should not "
            f"be empty; got tensors={tensors!r}.",
        )
    return Structure(parts), found


class Slices(Fixed):
    """The rows of arrays."""

    name = "_TensorSliceDataset"

    def __init__(self, tensors: Any) -> None:
        where = "tf.data.Dataset.from_tensor_slices"
        structure, columns = _components(tensors, where, ValueError)
        for column in columns:
            if not isinstance(column, (np.ndarray, *COMPOSITES)) or not len(column.shape):
                raise ValueError(
                    f"{where} expected tensors with a first dimension to slice: unbatching a tensor is only "
                    f"supported for rank >= 1; got a scalar. Use from_tensors for a dataset of one element."
                )
        lengths = [int(c.shape[0]) for c in columns]
        for length in lengths:
            if length != lengths[0]:
                raise ValueError(
                    f"{where} expected tensors of one length: dimensions {lengths[0]} and {length} are not "
                    f"compatible; got shapes {[c.shape for c in columns]}. Give each the same number of rows."
                )
        super().__init__(structure, [row_spec(spec_of_component(c)) for c in columns], lengths[0])
        self._elements: np.ndarray | None = None
        if all(isinstance(c, np.ndarray) for c in columns):
            self.rows = ArrayRows(columns)
        else:
            self.rows = OBJECTS
            self._elements = objects(split_rows(columns))

    def stream(self, iteration: Iteration) -> Stream:
        return Numbers(self._elements, self.cardinality)


class Single(Fixed):
    """One element."""

    name = "_TensorDataset"

    def __init__(self, tensors: Any) -> None:
        structure, parts = _components(tensors, "tf.data.Dataset.from_tensors", errors.InvalidArgumentError)
        super().__init__(structure, [spec_of_component(p) for p in parts], 1)
        self._element = tuple(parts)

    def stream(self, iteration: Iteration) -> Stream:
        return Numbers(objects([self._element]))


class Range(Fixed):
    """The numbers from `start` in steps; `count` of them, without end if it is negative."""

    def __init__(self, start: int, step: int, count: int, dtype: DType) -> None:
        super().__init__(Structure(0), [TensorSpec((), dtype)], count)
        self.rows = RangeRows(start, step, np.dtype(dtype.as_numpy_dtype))

    def stream(self, iteration: Iteration) -> Stream:
        return Numbers(count=self.cardinality)


class RandomNumbers(Fixed):
    """Random numbers of 32 bits, without end."""

    name = "_RandomDataset"

    def __init__(self, seed: int | None, rerandomizes: bool) -> None:
        super().__init__(Structure(0), [TensorSpec((), int64)], counting.INFINITE)
        self.seed, self.rerandomizes = drawn_seed(seed), rerandomizes
        self.iterators = 0
        self.rows = RangeRows(0, 1, np.dtype(np.int64))

    def stream(self, iteration: Iteration) -> Stream:
        is_new = self.rerandomizes or not self.seed.is_fixed
        return _Random(self, iteration.next_order(self) if is_new else 0, iteration)


class _Random(Stream):
    """Handles are the numbers themselves."""

    def __init__(self, pipe: RandomNumbers, order: int, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._random = generator_for(*pipe.seed[:2], order)

    def take(self, count: int) -> np.ndarray:
        return np.array([self._random.integers(1 << 32) for _ in range(count)], np.int64)

    def state(self) -> State:
        return {**order_state(self._pipe, self._iteration), "random": self._random.bit_generator.state}

    def restore(self, state: State) -> None:
        self._random.bit_generator.state = state["random"]
        restore_order(self._pipe, self._iteration, state)


class Zip(Pipe):
    """Sources side by side, as far as the shortest goes."""

    def __init__(self, sources: Sequence[Pipe], arrangement: Structure) -> None:
        self.sources = tuple(sources)
        self._arrangement = arrangement
        self._structure: Structure | None = None
        is_indexed = all(s.rows.width for s in sources)
        self.rows = ZippedRows([s.rows for s in sources]) if is_indexed else OBJECTS

    @property
    def inputs(self) -> tuple[Pipe, ...]:
        return self.sources

    @property
    def structure(self) -> Structure:
        if self._structure is None:
            self._structure = Structure(self._arrangement.pack([s.structure.template for s in self.sources]))
        return self._structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return tuple(spec for s in self.sources for spec in s.specs)

    @property
    def cardinality(self) -> int:
        return counting.shortest(s.cardinality for s in self.sources)

    def stream(self, iteration: Iteration) -> Stream:
        return _Zipped(self, iteration)


class _Zipped(Stream):
    def __init__(self, pipe: Zip, iteration: Iteration) -> None:
        self._pipe = pipe
        self._inner = [s.stream(iteration) for s in pipe.sources]
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        rows = self._pipe.rows
        if self._is_over or not count:
            return rows.empty()
        if not rows.width:
            return self._elements(count)
        blocks = [stream.take(count) for stream in self._inner]
        shortest = min(len(b) for b in blocks)
        self._is_over = shortest < count
        return beside([b[:shortest] for b in blocks])

    def _elements(self, count: int) -> np.ndarray:
        """One at a time: a source must not be read further than the shortest goes."""
        found: list[Flat] = []
        while len(found) < count and not self._is_over:
            parts: list[Any] = []
            for source, stream in zip(self._pipe.sources, self._inner, strict=True):
                handle = stream.take(1)
                if not len(handle):
                    self._is_over = True
                    break
                parts.extend(source.rows.elements(handle)[0])
            else:
                found.append(tuple(parts))
        return objects(found)

    def state(self) -> State:
        return {"is_over": self._is_over, "inner": [s.state() for s in self._inner]}

    def restore(self, state: State) -> None:
        self._is_over = state["is_over"]
        for stream, own in zip(self._inner, state["inner"], strict=True):
            stream.restore(own)


class Generated(Fixed):
    """What a Python generator yields; it is called anew for every pass."""

    name = "_FlatMapDataset"

    def __init__(
        self, function: Callable[[], Any], structure: Structure, specs: Sequence[TensorSpec]
    ) -> None:
        super().__init__(structure, specs, counting.UNKNOWN)
        self._function = function

    def begin(self) -> Iterator[Any]:
        """A new iterator of the user's."""
        return iter(self._function())

    def stream(self, iteration: Iteration) -> Stream:
        return _Yielded(self)

    def element(self, value: object) -> Flat:
        """What was yielded, checked and flat."""
        parts = _split_like(value, self._structure.template)
        if parts is None or len(parts) != len(self._specs):
            raise _yielded(
                "an element that did not match the expected structure. The expected structure was "
                f"{self._structure.specs(self._specs)!r}, but the yielded element was {value!r}."
            )
        return tuple([_converted(p, spec) for p, spec in zip(parts, self._specs, strict=True)])


def _yielded(what: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        None,
        None,
        f"TypeError: `generator` yielded {what} Change the generator, or the output_signature given to "
        "from_generator.",
    )


def _split_like(value: object, template: object) -> list[Any] | None:
    """The parts of `value` at the leaves of `template`; lists are as good as tuples."""
    if template is None:
        return []
    if isinstance(template, dict):
        if not isinstance(value, dict) or value.keys() != template.keys():
            return None
        pairs = [(value[k], template[k]) for k in sorted(template)]
    elif isinstance(template, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(template):
            return None
        pairs = list(zip(value, template, strict=True))
    else:
        return [value]
    found: list[Any] = []
    for part, own in pairs:
        split = _split_like(part, own)
        if split is None:
            return None
        found.extend(split)
    return found


def _converted(value: TensorLike, spec: Any) -> Any:
    if isinstance(spec, COMPOSITE_SPECS):
        if not spec.is_compatible_with(value):
            raise _yielded(f"an element that does not fit {spec!r}: {value!r}.")
        return settled(value)
    try:
        if spec.dtype is string:
            array = as_array(value, string)
        else:
            array = np.array(value, dtype=spec.dtype.as_numpy_dtype)
    except (TypeError, ValueError) as error:
        raise _yielded(
            "an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise _yielded(
            f"an element of shape {array.shape} where an element of shape {spec.shape} was expected."
        )
    return array


class _Yielded(Stream):
    def __init__(self, pipe: Generated) -> None:
        self._pipe = pipe
        self._values: Iterator[Any] | None = None
        self._count = 0
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        if self._is_over:
            return OBJECTS.empty()
        if self._values is None:
            self._values = self._pipe.begin()
        found: list[Flat] = []
        log, began = phases.log, time.perf_counter_ns()
        while len(found) < count:
            try:
                value = next(self._values)
            except StopIteration:
                self._is_over = True
                break
            found.append(self._pipe.element(value))
        if log is not None:
            log.note_busy(self._pipe, began, len(found))
        self._count += len(found)
        return objects(found)

    def state(self) -> State:
        return {"count": self._count, "is_over": self._is_over}

    def restore(self, state: State) -> None:
        """A generator has no state of its own: it is run again up to the same place."""
        self._is_over = state["is_over"]
        self._count = state["count"]
        if not self._is_over:
            self._values = self._pipe.begin()
            for _ in range(self._count):
                next(self._values, None)
