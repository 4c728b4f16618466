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
from tapeflow.data.structure import as_tensor
from tapeflow.engine import errors
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.values.tensor import Tensor


class Dataset(Sources, Order, Groups, Functions):
    """A sequence of elements, each a tensor or a structure of tensors, that can be gone over repeatedly.

    Made by `from_tensor_slices` and its kin; every transform gives a new dataset.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * 2)
    >>> [int(x) for x in dataset]
    [2, 4, 6]
    """

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

    def _array_iterator(self, share: Share | None = None) -> ArrayIterator:
        """Elements as structures of numpy arrays that are not to be written to: for training loops.

        Of batches, only the rows of the share need to be read, unless the dataset's options say otherwise.
        """
        policy = self.options().experimental_distribute.auto_shard_policy
        return ArrayIterator(self._pipe, None if policy == AutoShardPolicy.OFF else share)

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
        """This dataset with options, which are kept; of them, `auto_shard_policy` alone changes something."""
        return Dataset(self._pipe, self.options().merge(options))

    def __repr__(self) -> str:
        name = self._pipe.name or f"_{type(self._pipe).__name__}Dataset"
        return f"<{name} element_spec={self.element_spec!r}>"
