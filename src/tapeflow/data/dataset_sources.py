"""`Dataset.from_tensors` and its kin: where datasets come from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.arguments import (
    generator_signature,
    read_count,
    read_range,
    read_seed,
    same_elements,
)
from tapeflow.data.piped import Piped, made
from tapeflow.data.sources.memory import Generated, RandomNumbers, Range, Single, Slices, Zip
from tapeflow.data.sources.storage import Saved
from tapeflow.data.steps.choosing import Choose, Sample
from tapeflow.data.structure import Structure, as_array
from tapeflow.engine import errors
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.dtypes import as_dtype, int64
from tapeflow.io.files import matches_of, path_of, paths_of

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset


class Sources(Piped):
    """The sources of datasets."""

    __slots__ = ()

    @staticmethod
    def from_tensors(tensors: TensorLike | Mapping[str, Any], name: str | None = None) -> Dataset:
        """A dataset with one element: `tensors`."""
        return made(Single(tensors))

    @staticmethod
    def from_tensor_slices(tensors: TensorLike | Mapping[str, Any], name: str | None = None) -> Dataset:
        """A dataset of the rows of `tensors`, which must all have the same number of rows.

        >>> dataset = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4]], "y": [0, 1]})
        >>> dataset.element_spec["x"]
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        return made(Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: tuple[Any, ...] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of the elements of a Python generator, which is called again for every pass.

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
        return made(Generated(lambda: generator(*values), structure, specs))

    @staticmethod
    def range(*args: Any, output_type: DTypeLike = int64, name: str | None = None) -> Dataset:
        """The numbers of `range(*args)`."""
        return made(Range(*read_range(args, output_type)))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Combine datasets element by element: several arguments, or one structure of datasets.

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
        if isinstance(given, list) or not parts or not all(isinstance(p, Piped) for p in parts):
            raise TypeError(
                "tf.data.Dataset.zip expected a structure of datasets: inputs are (nested) structures of "
                "`tf.data.Dataset` objects, and Python `list` is not supported; got "
                f"{type(given).__name__} {given!r}. Use a tuple."
            )
        if isinstance(given, Piped):
            return given._then(given._pipe)
        return made(Zip([p._pipe for p in parts], Structure(nest.map_structure(lambda _: 0, given))))

    @staticmethod
    def counter(
        start: int | TensorLike = 0, step: Any = 1, dtype: DTypeLike = int64, name: str | None = None
    ) -> Dataset:
        """Count from `start` in steps of `step`, without end."""
        where = "tf.data.Dataset.counter"
        first, by = (read_count(v, where, n) for v, n in ((start, "start"), (step, "step")))
        return made(Range(first, by, counting.INFINITE, as_dtype(dtype)))

    @staticmethod
    def random(
        seed: int | TensorLike | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Random int64 numbers below 2**32, without end; the same in each pass unless rerandomized."""
        where = "tf.data.Dataset.random"
        return made(RandomNumbers(read_seed(seed, where), bool(rerandomize_each_iteration)))

    @staticmethod
    def list_files(
        file_pattern: TensorLike,
        shuffle: bool | None = None,
        seed: int | TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The names of the files that one or several patterns match, shuffled unless asked not to."""
        where = "tf.data.Dataset.list_files"
        patterns = paths_of(file_pattern, where, "file_pattern")
        found = sorted({path for pattern in patterns for path in matches_of(pattern)})
        if not found:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{where} expected files: No files matched pattern: {', '.join(patterns)}. Check the path.",
            )
        names = np.empty(len(found), object)
        names[:] = [os.fsencode(path) for path in found]
        dataset = made(Slices(names))
        return dataset.shuffle(len(found), seed) if shuffle is None or shuffle else dataset

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Dataset], Dataset] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """Load a dataset that `save` wrote; the compression is detected."""
        saved = made(Saved(path_of(path, "tf.data.Dataset.load", "path")))
        return saved if reader_func is None else reader_func(made(Single(saved)))

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Take the next element from the dataset whose index comes next in `choice_dataset`.

        >>> both = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
        >>> choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1]))
        >>> [int(x) for x in tf.data.Dataset.choose_from_datasets(both, choice)]
        [0, 10, 11]
        """
        where = "tf.data.Dataset.choose_from_datasets"
        pipes = same_elements(datasets, where)
        spec = getattr(choice_dataset, "element_spec", None)
        if getattr(spec, "dtype", None) is not int64 or getattr(spec, "shape", None) != []:
            raise TypeError(
                f"{where} expected a choice_dataset of scalar int64 tensors: `choice_dataset` should be a "
                f"`tf.data.Dataset` containing scalar `tf.int64` tensors; got {spec!r}."
            )
        return made(Choose(pipes, choice_dataset._pipe, stop_on_empty_dataset))

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset],
        weights: TensorLike | None = None,
        seed: int | TensorLike | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Take the next element from a dataset chosen at random, with weights or evenly.

        Args:
            datasets: datasets of one structure.
            weights: a number for each, or a dataset of such lists, one for each draw.
            seed: for the same choices again.
            stop_on_empty_dataset: whether to end where one of them does; else the others go on.
            rerandomize_each_iteration: whether each pass has choices of its own.
        """
        where = "tf.data.Dataset.sample_from_datasets"
        pipes = same_elements(datasets, where)
        seeds = read_seed(seed, where)
        given: Any = weights
        if isinstance(weights, Piped):
            given = weights._pipe
        elif weights is not None:
            given = as_array(weights).astype(np.float64).tolist()
            if len(given) != len(pipes):
                raise ValueError(
                    f"{where} expected one weight for each dataset: `weights` must have the same length as "
                    f"`datasets`; got {len(given)} and {len(pipes)}."
                )
            kept = [(p, w) for p, w in zip(pipes, given, strict=True) if w > 0]
            if len(kept) == 1:
                return made(kept[0][0])
            pipes, given = [p for p, _ in kept], [w for _, w in kept]
        elif len(pipes) == 1:
            return made(pipes[0])
        if not pipes:
            raise ValueError(f"{where} expected a weight above zero; got weights={weights!r}.")
        return made(Sample(pipes, given, seeds, stop_on_empty_dataset, bool(rerandomize_each_iteration)))
