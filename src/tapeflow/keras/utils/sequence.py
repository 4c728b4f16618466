"""`Sequence` (Keras 3: `PyDataset`): a user's own data, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any


class Sequence:
    """Batches that can be asked for by index, so that several workers can prepare them.

    A subclass has `__getitem__(index)`, which returns one whole batch (`x`, `(x, y)` or
    `(x, y, sample_weight)`), and `__len__`, the number of batches. `on_epoch_end` may change the data.

    Args:
        workers: Threads or processes to prepare batches with, as in Keras 3. Whatever is left out here is
            taken from the arguments of `fit`, as in Keras 2, so a subclass need not call this constructor.
        use_multiprocessing: Whether the workers are processes.
        max_queue_size: How many batches may wait to be used.

    >>> class Squares(tf.keras.utils.Sequence):
    ...     def __len__(self):
    ...         return 3
    ...
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> list(Squares())
    [0, 1, 4]
    """

    workers: int | None = None
    use_multiprocessing: bool | None = None
    max_queue_size: int | None = None

    def __init__(
        self,
        workers: int | None = None,
        use_multiprocessing: bool | None = None,
        max_queue_size: int | None = None,
    ) -> None:
        self.workers = workers
        self.use_multiprocessing = use_multiprocessing
        self.max_queue_size = max_queue_size

    def __getitem__(self, index: int) -> Any:
        """The batch at position `index`."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method __getitem__(self, index) that returns a batch; got none. "
            "Write it in the subclass."
        )

    def __len__(self) -> int:
        """The number of batches."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method __len__(self) that returns the number of batches; got "
            "none. Write it in the subclass."
        )

    @property
    def num_batches(self) -> int | None:
        """The number of batches; a subclass may return `None` for an endless series."""
        return len(self)

    def on_epoch_begin(self) -> None:
        """Called before every epoch."""

    def on_epoch_end(self) -> None:
        """Called after every epoch."""

    def __iter__(self) -> Iterator[Any]:
        length = self.num_batches
        for index in count() if length is None else range(length):
            yield self[index]


PyDataset = Sequence
