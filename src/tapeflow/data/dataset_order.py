"""`Dataset.shuffle`, `repeat`, `take` and others: which elements come, in which order, and how often."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow.data import cardinality as counting
from tapeflow.data.arguments import read_count, read_or_auto, read_positive, read_seed
from tapeflow.data.piped import Piped, check_callable, made
from tapeflow.data.sources.memory import Range, Single, Zip
from tapeflow.data.sources.storage import Stored, save
from tapeflow.data.specs import common_specs
from tapeflow.data.steps.caching import Cache
from tapeflow.data.steps.folding import IgnoreErrors, TakeWhile, Unique
from tapeflow.data.steps.ordering import SHARD_HINT, Concatenate, Repeat, Shard, Skip, Take
from tapeflow.data.steps.prefetching import Prefetch
from tapeflow.data.steps.shuffling import Shuffle
from tapeflow.data.structure import Structure
from tapeflow.engine import errors
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import int64
from tapeflow.io.files import path_of
from tapeflow.io.tfrecord import compression_of

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset


class Order(Piped):
    """Transforms that pass elements on as they are."""

    __slots__ = ()

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: int | TensorLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Shuffle the elements: each is drawn at random from a buffer of the next `buffer_size`.

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

    def repeat(self, count: int | TensorLike | None = None, name: str | None = None) -> Dataset:
        """Repeat the elements `count` times; without end if it is None or -1."""
        times = -1 if count is None else read_count(count, "tf.data.Dataset.repeat", "count")
        return self._then(Repeat(self._pipe, times))

    def take(self, count: int | TensorLike, name: str | None = None) -> Dataset:
        """Take at most the first `count` elements; all if it is -1."""
        return self._then(Take(self._pipe, read_count(count, "tf.data.Dataset.take", "count")))

    def skip(self, count: int | TensorLike, name: str | None = None) -> Dataset:
        """Skip the first `count` elements; all of them if it is -1."""
        return self._then(Skip(self._pipe, read_count(count, "tf.data.Dataset.skip", "count")))

    def shard(
        self, num_shards: int | TensorLike, index: int | TensorLike, name: str | None = None
    ) -> Dataset:
        """Every `num_shards`-th element, beginning with number `index`.

        With `tf.data.experimental.SHARD_HINT` for both, those of the worker in a strategy's distributed dataset with
        `AutoShardPolicy.HINT`.
        """
        where = "tf.data.Dataset.shard"
        if read_count(num_shards, where, "num_shards") == read_count(index, where, "index") == SHARD_HINT:
            return self._then(Shard(self._pipe, SHARD_HINT, SHARD_HINT))
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
        """The elements of this dataset, followed by those of another with the same structure and dtypes."""
        mine, other = self._pipe, dataset._pipe
        try:
            if not mine.structure.matches(other.structure):
                raise ValueError
            common_specs([mine.specs, other.specs])
        except ValueError:
            raise TypeError(
                "tf.data.Dataset.concatenate expected datasets of one structure and dtypes: incompatible "
                f"dataset elements: {mine.structure.specs(mine.specs)!r} vs. {dataset.element_spec!r}. Use map and "
                "tf.cast."
            ) from None
        return self._then(Concatenate((mine, other)))

    def enumerate(self, start: int | TensorLike = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element."""
        first = read_count(start, "tf.data.Dataset.enumerate", "start")
        numbers = Range(first, 1, counting.INFINITE, int64)
        return self._then(Zip([numbers, self._pipe], Structure((0, 0))))

    def cache(self, filename: TensorLike = "", name: str | None = None) -> Dataset:
        """Keep the elements in memory, or in a folder, during the first full pass, for all later passes."""
        where = "tf.data.Dataset.cache"
        path = path_of(filename, where) if filename is not None else ""
        return self._then(Stored(self._pipe, path, "", where) if path else Cache(self._pipe))

    def prefetch(self, buffer_size: int | TensorLike, name: str | None = None) -> Dataset:
        """Prepare up to `buffer_size` elements ahead on a thread; -1 chooses the number automatically."""
        size = read_or_auto(buffer_size, "tf.data.Dataset.prefetch", "buffer_size", least=0)
        return self._then(Prefetch(self._pipe, size))

    def save(
        self,
        path: str | os.PathLike[str],
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements to a folder, from which `tf.data.Dataset.load` reads them.

        Args:
            path: the folder; one that holds a saved dataset, and nothing else, is replaced when the new one is whole.
            compression: None or "GZIP".
            shard_func: ignored; there is one file.
            checkpoint_args: ignored.
        """
        where = "tf.data.Dataset.save"
        save(self._pipe, path_of(path, where, "path"), compression_of(compression, where))

    def snapshot(
        self,
        path: str | os.PathLike[str],
        compression: str | None = "AUTO",
        reader_func: Callable[[Dataset], Dataset] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Write the elements to a folder during the first full pass, and read them from it in later passes."""
        where = "tf.data.Dataset.snapshot"
        kind = "" if compression in ("AUTO", "SNAPPY") else compression_of(compression, where)
        read = None if reader_func is None else lambda saved: reader_func(made(Single(made(saved))))._pipe
        return self._then(Stored(self._pipe, path_of(path, where, "path"), kind, where, read))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which `predicate` does not hold."""
        check_callable(predicate, "tf.data.Dataset.take_while", "predicate")
        return self._then(TakeWhile(self._pipe, predicate))

    def unique(self, name: str | None = None) -> Dataset:
        """Drop repeated elements."""
        return self._then(Unique(self._pipe))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Leave out the elements that raise an error."""
        return self._then(IgnoreErrors(self._pipe, bool(log_warning)))
