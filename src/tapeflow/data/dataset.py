"""`Dataset`: the public face of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.dataset_functions import Functions
from tapeflow.data.dataset_groups import Groups
from tapeflow.data.dataset_order import Order
from tapeflow.data.dataset_sources import Sources
from tapeflow.data.iterator import ArrayIterator, Iterator, NumpyIterator
from tapeflow.data.options import AutoShardPolicy, Options
from tapeflow.data.pipe import Part, Pipe
from tapeflow.data.piped import Piped
from tapeflow.data.structure import as_tensor
from tapeflow.data.worker_batches import WorkerBatches, batches_of
from tapeflow.engine import errors
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.values.tensor import Tensor


class Dataset(Sources, Order, Groups, Functions):
    """A sequence of elements, each a tensor or a structure of tensors, that you can iterate over repeatedly.

    Create one with `from_tensor_slices` or a similar method; every transform returns a new dataset.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * 2)
    >>> [int(x) for x in dataset]
    [2, 4, 6]
    """

    def __init__(self, pipe: Pipe, options: Options | None = None) -> None:
        if not isinstance(pipe, Pipe):
            raise TypeError(
                f"tf.data.Dataset cannot be constructed directly; got {pipe!r}. Use "
                "tf.data.Dataset.from_tensor_slices, from_tensors, from_generator or range instead."
            )
        self._pipe = pipe
        self._options = options

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a `tf.TensorSpec` for each tensor."""
        return self._pipe.structure.specs(self._pipe.specs)

    def cardinality(self) -> Tensor:
        """The number of elements, or `tf.data.INFINITE_CARDINALITY`, `tf.data.UNKNOWN_CARDINALITY`."""
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

    def _array_iterator(self, share: Share | None = None) -> ArrayIterator | WorkerBatches:
        """Elements as structures of numpy arrays that are not to be written to: for training loops.

        Of batches, only the rows of the share need to be read, unless the dataset's options say otherwise. A policy
        that gives each worker data of its own counts only where there are several.
        """
        policy = self.options().experimental_distribute.auto_shard_policy
        if share is not None and self._has_workers_data(share):
            return batches_of(self._pipe, share, policy == AutoShardPolicy.FILE)
        if self._has_hint:  # all shards are one worker's
            return ArrayIterator(self._pipe, part=Part(0, 1, None, False))
        return ArrayIterator(self._pipe, None if policy == AutoShardPolicy.OFF else share)

    @property
    def _has_hint(self) -> bool:
        """Whether `shard` is told by the strategy which shard is meant."""
        return self.options().experimental_distribute.auto_shard_policy == AutoShardPolicy.HINT

    def _has_workers_data(self, share: Share | None) -> bool:
        """Whether each of several workers reads data of its own, by the dataset's options."""
        policy = self.options().experimental_distribute.auto_shard_policy
        return share is not None and policy in (AutoShardPolicy.FILE, AutoShardPolicy.HINT)

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
        """This dataset with options; of these, only `auto_shard_policy` has an effect."""
        return Dataset(self._pipe, self.options().merge(options))

    def __repr__(self) -> str:
        name = self._pipe.name or f"_{type(self._pipe).__name__}Dataset"
        return f"<{name} element_spec={self.element_spec!r}>"


Piped._kind = Dataset
