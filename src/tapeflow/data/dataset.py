"""`Dataset`: the public face of a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.arguments import (
    generator_signature,
    padding,
    read_count,
    read_positive,
    read_range,
    read_seed,
)
from tapeflow.data.batching import Batch, PaddedBatch, Unbatch, Window
from tapeflow.data.caching import Cache
from tapeflow.data.calls import apart, results_of, value_of
from tapeflow.data.filtering import Filter
from tapeflow.data.interleaving import Interleave
from tapeflow.data.iterator import ArrayIterator, Iterator, NumpyIterator
from tapeflow.data.mapping import Map
from tapeflow.data.options import Options
from tapeflow.data.ordering import Concatenate, Repeat, Shard, Skip, Take
from tapeflow.data.pipe import Pipe
from tapeflow.data.prefetching import Prefetch
from tapeflow.data.shuffling import Shuffle
from tapeflow.data.sources import Generated, Range, Single, Slices, Zip
from tapeflow.data.specs import common_specs
from tapeflow.data.structure import Structure, as_array, as_tensor, flattened, map_parts
from tapeflow.engine import errors, nest
from tapeflow.engine.dtypes import int64
from tapeflow.engine.tensor import Tensor


class Dataset:
    """A sequence of elements, each a tensor or a structure of tensors, that can be gone over repeatedly.

    Made by `from_tensor_slices` and its kin; every transform gives a new dataset.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * 2)
    >>> [int(x) for x in dataset]
    [2, 4, 6]
    """

    __slots__ = ("__weakref__", "_options", "_pipe")

    def __init__(self, pipe: Pipe, options: Options | None = None) -> None:
        if not isinstance(pipe, Pipe):
            raise TypeError(
                f"tf.data.Dataset expected not to be called; got {pipe!r}. Use "
                "tf.data.Dataset.from_tensor_slices, from_tensors, from_generator or range."
            )
        self._pipe = pipe
        self._options = options

    def _then(self, pipe: Pipe) -> Dataset:
        return Dataset(pipe, self._options)

    # Sources

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset with one element: `tensors`."""
        return Dataset(Single(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of the rows of `tensors`, which all have the same number of them.

        >>> dataset = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "y": [0, 1]})
        >>> dataset.element_spec["x"]
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        return Dataset(Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of what a Python generator yields; it is called anew for every pass.

        Args:
            generator: a function that returns an iterable.
            output_types: a structure of dtypes; with `output_shapes` the older form of `output_signature`.
            output_shapes: a structure of shapes; unknown where it is left out.
            args: arguments of the generator, which it gets as numpy arrays and scalars.
            output_signature: a structure of `tf.TensorSpec`.
            name: ignored.
        """
        structure, specs = generator_signature(generator, output_types, output_shapes, output_signature)
        given = [as_array(a) for a in (args or ())]
        values = [a if a.ndim else a[()] for a in given]
        return Dataset(Generated(lambda: generator(*values), structure, specs))

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """The numbers of `range(*args)`."""
        return Dataset(Range(*read_range(args, output_type)))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Datasets side by side: several arguments, or one structure of datasets.

        >>> numbers = tf.data.Dataset.range(3)
        >>> [(int(a), int(b)) for a, b in tf.data.Dataset.zip(numbers, numbers.skip(1))]
        [(0, 1), (1, 2)]
        """
        if bool(args) == (datasets is not None):
            raise TypeError(
                "tf.data.Dataset.zip expected datasets either as arguments or as `datasets`; got "
                f"{'both' if args else 'neither'}."
            )
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = nest.flatten(given)
        if isinstance(given, list) or not parts or not all(isinstance(p, Dataset) for p in parts):
            raise TypeError(
                "tf.data.Dataset.zip expected a structure of datasets: inputs are (nested) structures of "
                "`tf.data.Dataset` objects, and Python `list` is not supported; got "
                f"{type(given).__name__} {given!r}. Use a tuple."
            )
        if isinstance(given, Dataset):
            return given
        return Dataset(Zip([p._pipe for p in parts], Structure(nest.map_structure(lambda _: 0, given))))

    # Order and number

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order: each is drawn from a buffer of the next `buffer_size`.

        Args:
            buffer_size: as large as the dataset for a perfect shuffle; `UNKNOWN_CARDINALITY` for that.
            seed: with it, and with `tf.random.set_seed`, the same orders come again.
            reshuffle_each_iteration: whether each pass has an order of its own.
            name: ignored.
        """
        where = "tf.data.Dataset.shuffle"
        size = read_count(buffer_size, where, "buffer_size")
        if size < 1 and size != counting.UNKNOWN:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{where} expected a positive buffer_size: buffer_size must be greater than zero or "
                f"UNKNOWN_CARDINALITY; got buffer_size={size}.",
            )
        reshuffles = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        return self._then(Shuffle(self._pipe, size, read_seed(seed, where), reshuffles))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times over; without end if it is None or -1."""
        times = -1 if count is None else read_count(count, "tf.data.Dataset.repeat", "count")
        return self._then(Repeat(self._pipe, times))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """At most the first `count` elements; all if it is -1."""
        return self._then(Take(self._pipe, read_count(count, "tf.data.Dataset.take", "count")))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none if it is -1."""
        return self._then(Skip(self._pipe, read_count(count, "tf.data.Dataset.skip", "count")))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element, beginning with number `index`."""
        where = "tf.data.Dataset.shard"
        count = read_positive(num_shards, where, "num_shards")
        number = read_count(index, where, "index")
        if not 0 <= number < count:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{where} expected an index below num_shards: index must be between 0 and {count - 1} "
                f"(currently index = {number}).",
            )
        return self._then(Shard(self._pipe, count, number))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another of the same structure and dtypes."""
        mine, other = self._pipe, dataset._pipe
        try:
            if not mine.structure.matches(other.structure):
                raise ValueError
            common_specs([mine.specs, other.specs])
        except ValueError:
            raise TypeError(
                "tf.data.Dataset.concatenate expected datasets of one structure and dtypes: incompatible "
                f"dataset elements: {self.element_spec!r} vs. {dataset.element_spec!r}. Use map and tf.cast."
            ) from None
        return self._then(Concatenate((mine, other)))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element."""
        first = read_count(start, "tf.data.Dataset.enumerate", "start")
        numbers = Range(first, 1, counting.INFINITE, int64)
        return self._then(Zip([numbers, self._pipe], Structure((0, 0))))

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The elements, kept in memory by the first full pass for those after it."""
        if filename:
            raise NotImplementedError(
                "tf.data.Dataset.cache expected no filename: a cache in a file is not part of TapeFlow yet; "
                f"got filename={filename!r}. Leave it out to cache in memory."
            )
        return self._then(Cache(self._pipe))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The elements, up to `buffer_size` of them made ahead by a thread; -1 leaves the number open."""
        size = read_count(buffer_size, "tf.data.Dataset.prefetch", "buffer_size")
        return self._then(Prefetch(self._pipe, size))

    # Groups

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """`batch_size` elements at a time, stacked; the last ones may be fewer, or dropped."""
        size = read_positive(batch_size, "tf.data.Dataset.batch", "batch_size")
        return self._then(Batch(self._pipe, size, bool(drop_remainder)))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """`batch_size` elements at a time, each padded to the largest of them (or to `padded_shapes`)."""
        size = read_positive(batch_size, "tf.data.Dataset.padded_batch", "batch_size")
        shapes, values = padding(self._pipe, padded_shapes, padding_values)
        return self._then(PaddedBatch(self._pipe, size, shapes, values, bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of the elements."""
        return self._then(Unbatch(self._pipe))

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements that are `stride` apart, one beginning every `shift` elements.

        >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> [w.numpy().tolist() for w in windows.flat_map(lambda window: window.batch(3))]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        where = "tf.data.Dataset.window"
        length = read_positive(size, where, "size")
        step = length if shift is None else read_positive(shift, where, "shift")
        apart_by = read_positive(stride, where, "stride")
        return self._then(Window(self._pipe, length, step, apart_by, bool(drop_remainder)))

    # The user's functions

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """What `map_func` makes of each element; the parts of a tuple are arguments of their own.

        Args:
            map_func: it sees tensors with values, so Python may look at them; one that does not is
                computed for a whole batch at once.
            num_parallel_calls: how many calls may run at a time where it is called for each element.
            deterministic: the order is kept in any case.
            synchronous: ignored.
            use_unbounded_threadpool: ignored.
            name: ignored.
        """
        where = "tf.data.Dataset.map"
        _check_callable(map_func, where, "map_func")
        workers = (
            1 if num_parallel_calls is None else read_count(num_parallel_calls, where, "num_parallel_calls")
        )
        return self._then(Map(self._pipe, map_func, workers))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` holds."""
        _check_callable(predicate, "tf.data.Dataset.filter", "predicate")
        return self._then(Filter(self._pipe, predicate))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that `map_func` makes of the elements, one after the other."""
        where = "tf.data.Dataset.flat_map"
        _check_callable(map_func, where, "map_func")
        return self._then(Interleave(self._pipe, map_func, 1, 1 << 62, where))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of `cycle_length` datasets that `map_func` makes, `block_length` of each in turn."""
        where = "tf.data.Dataset.interleave"
        _check_callable(map_func, where, "map_func")
        cycle = counting.AUTOTUNE if cycle_length is None else read_count(cycle_length, where, "cycle_length")
        if cycle == counting.AUTOTUNE:
            cycle = os.cpu_count() or 1
        block = 1 if block_length is None else read_positive(block_length, where, "block_length")
        read_positive(cycle, where, "cycle_length")
        return self._then(Interleave(self._pipe, map_func, cycle, block, where))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """`reduce_func(state, element)` over all elements, beginning with `initial_state`.

        >>> int(tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x))
        10
        """
        _check_callable(reduce_func, "tf.data.Dataset.reduce", "reduce_func")
        total = map_parts(lambda part: as_tensor(as_array(part)), initial_state)
        structure = Structure(total)
        wanted = [t.dtype for t in flattened(total)]
        for element in self:
            with apart():
                made = flattened(results_of(reduce_func(total, element)))
                found = [m.dtype if isinstance(m, Tensor) else type(m) for m in made]
                if found != wanted:
                    raise TypeError(
                        "tf.data.Dataset.reduce expected reduce_func to return a state like initial_state: "
                        f"dtypes {wanted}; got {found}. Use tf.cast."
                    )
                total = structure.pack([as_tensor(value_of(m)) for m in made])
        return total

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Dataset:
        """What a function makes of this dataset, which is another."""
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(
                "tf.data.Dataset.apply expected transformation_func to return a dataset: "
                f"`transformation_func` must return a `tf.data.Dataset` object; got {type(made)}."
            )
        return made

    # Looking at it

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a `tf.TensorSpec` for each tensor."""
        return self._pipe.structure.specs(self._pipe.specs)

    def cardinality(self) -> Tensor:
        """How many elements there are, or `tf.data.INFINITE_CARDINALITY`, `tf.data.UNKNOWN_CARDINALITY`."""
        return as_tensor(np.array(self._pipe.cardinality, np.int64))

    def __len__(self) -> int:
        count = self._pipe.cardinality
        if count == counting.INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == counting.UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator:
        return Iterator(self)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as numpy arrays and scalars.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return NumpyIterator(self)

    def _array_iterator(self) -> ArrayIterator:
        """Elements as structures of numpy arrays that are not to be written to: for training loops."""
        return ArrayIterator(self._pipe)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element."""
        elements = list(self.take(2))
        if len(elements) != 1:
            raise errors.InvalidArgumentError(
                None,
                None,
                "tf.data.Dataset.get_single_element expected one element: dataset "
                f"{'had more than one element' if elements else 'was empty'}.",
            )
        return elements[0]

    def options(self) -> Options:
        """The options set with `with_options`."""
        return self._options or Options()

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """This dataset with options, which are kept and change nothing."""
        return Dataset(self._pipe, self.options().merge(options))

    def __repr__(self) -> str:
        name = self._pipe.name or f"_{type(self._pipe).__name__}Dataset"
        return f"<{name} element_spec={self.element_spec!r}>"


def _check_callable(value: Any, where: str, name: str) -> None:
    if not callable(value):
        raise TypeError(f"{where} expected {name} to be callable; got {name}={value!r}.")
