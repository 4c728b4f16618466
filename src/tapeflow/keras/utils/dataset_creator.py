"""`DatasetCreator`: a function that makes the dataset, for `fit` under a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.data.dataset import Dataset
from tapeflow.distribute.dataset import JoinedBatches
from tapeflow.engine.devices import placement


class DatasetCreator:
    """An `x` for `fit` that creates the dataset in `fit`, with batches for one replica each.

    Args:
        dataset_fn: called with a `tf.distribute.InputContext`; returns a `tf.data.Dataset`.
        input_options: `tf.distribute.InputOptions`, which change nothing here.
    """

    def __init__(self, dataset_fn: Callable[[Any], Dataset], input_options: Any = None) -> None:
        if not callable(dataset_fn):
            raise TypeError(f"`dataset_fn` for `DatasetCreator` must be a `callable`. Received: {dataset_fn}")
        self.dataset_fn = dataset_fn
        self.input_options = input_options

    def __call__(self, *args: Any, **kwargs: Any) -> Dataset:
        made = self.dataset_fn(*args, **kwargs)
        if not isinstance(made, Dataset):
            raise TypeError(
                f"The `callable` provided to `DatasetCreator` must return a Dataset. It returns {made!r}"
            )
        return made

    def batches(self) -> Any:
        """The batches for `fit`: those of the dataset or, on several devices, as many of them at once."""
        count = 1 if placement.current is None else len(placement.current)
        dataset = self(tf.distribute.InputContext(num_replicas_in_sync=count))
        return dataset if count == 1 else JoinedBatches(dataset, count)
