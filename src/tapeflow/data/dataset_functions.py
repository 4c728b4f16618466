"""`Dataset.map` and others that call the user's functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.arguments import read_count, read_or_auto, read_positive, read_seed
from tapeflow.data.functions.calls import isolated_recording, results_of, value_of
from tapeflow.data.piped import Piped, check_callable
from tapeflow.data.steps.filtering import Filter
from tapeflow.data.steps.folding import Scan
from tapeflow.data.steps.interleaving import Interleave
from tapeflow.data.steps.mapping import Map
from tapeflow.data.steps.resampling import Resample
from tapeflow.data.structure import Structure, as_array, as_tensor, flattened, map_parts
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset


class Functions(Piped):
    """Transforms by the user's functions."""

    __slots__ = ()

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Apply `map_func` to each element; a tuple is unpacked into several arguments.

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
        check_callable(map_func, where, "map_func")
        workers = (
            1 if num_parallel_calls is None else read_or_auto(num_parallel_calls, where, "num_parallel_calls")
        )
        return self._then(Map(self._pipe, map_func, workers))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` holds."""
        check_callable(predicate, "tf.data.Dataset.filter", "predicate")
        return self._then(Filter(self._pipe, predicate))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """Map each element to a dataset, and concatenate these datasets."""
        where = "tf.data.Dataset.flat_map"
        check_callable(map_func, where, "map_func")
        return self._then(Interleave(self._pipe, map_func, 1, 1 << 62, where))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Map elements to datasets, and take `block_length` elements of `cycle_length` of them in turn."""
        where = "tf.data.Dataset.interleave"
        check_callable(map_func, where, "map_func")
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
        check_callable(reduce_func, "tf.data.Dataset.reduce", "reduce_func")
        total = map_parts(lambda part: as_tensor(as_array(part)), initial_state)
        structure = Structure(total)
        wanted = [t.dtype for t in flattened(total)]
        for element in self._then(self._pipe):
            with isolated_recording():
                made = flattened(results_of(reduce_func(total, element)))
                found = [m.dtype if isinstance(m, Tensor) else type(m) for m in made]
                if found != wanted:
                    raise TypeError(
                        "tf.data.Dataset.reduce expected reduce_func to return a state like initial_state: "
                        f"dtypes {wanted}; got {found}. Use tf.cast."
                    )
                total = structure.pack([as_tensor(value_of(m)) for m in made])
        return total

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Apply a function to this dataset and return the dataset that it returns."""
        made = transformation_func(self._then(self._pipe))
        if not isinstance(made, Piped):
            raise TypeError(
                "tf.data.Dataset.apply expected transformation_func to return a dataset: "
                f"`transformation_func` must return a `tf.data.Dataset` object; got {type(made)}."
            )
        return made

    def scan(
        self, initial_state: TensorLike, scan_func: Callable[[Any, Any], Any], name: str | None = None
    ) -> Dataset:
        """Call `scan_func(state, element)` for each element; it returns the next state and an output element.

        >>> sums = tf.data.Dataset.range(5).scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6, 10]
        """
        check_callable(scan_func, "tf.data.Dataset.scan", "scan_func")
        start = map_parts(as_array, initial_state)
        return self._then(Scan(self._pipe, tuple(flattened(start)), Structure(start), scan_func))

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: TensorLike,
        initial_dist: TensorLike | None = None,
        seed: int | TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Drop elements so that classes are distributed as `target_dist`; returns pairs of class and element.

        Args:
            class_func: gives the class of an element, an integer.
            target_dist: the share that each class shall have.
            initial_dist: the share that it has; estimated on the way unless given.
            seed: for the same choices again.
            name: ignored.
        """
        where = "tf.data.Dataset.rejection_resample"
        check_callable(class_func, where, "class_func")
        target = as_array(target_dist).astype(np.float64)
        initial = None if initial_dist is None else as_array(initial_dist).astype(np.float64)
        return self._then(Resample(self._pipe, class_func, target, initial, read_seed(seed, where)))
