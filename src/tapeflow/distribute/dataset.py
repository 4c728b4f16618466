"""Datasets whose batches lie in parts on several devices."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow.data.composites import concatenated
from tapeflow.data.dataset import Dataset
from tapeflow.data.functions.calls import note_read
from tapeflow.data.iterator import ArrayIterator, NextElement
from tapeflow.data.worker_batches import WorkerBatches
from tapeflow.distribute.values import Spread, Whole
from tapeflow.engine.devices.placement import Placement, Share
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor


@dataclass(frozen=True)
class InputContext:
    """Information for a function that creates a dataset: the number of input pipelines, and its index."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The examples of one replica."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"InputContext.get_per_replica_batch_size expected a global_batch_size ({global_batch_size!r}) that is "
                f"divisible by num_replicas_in_sync ({self.num_replicas_in_sync!r})."
            )
        return global_batch_size // self.num_replicas_in_sync


class InputReplicationMode(enum.Enum):
    """For whom a function that makes a dataset is called: once for a worker, always."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@dataclass(frozen=True)
class RunOptions:
    """Options of `strategy.run`; accepted and ignored, because they are for TPUs."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@dataclass(frozen=True)
class ValueContext:
    """Information for a function that creates a value per replica: the replica's index, and their number."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1


@dataclass(frozen=True)
class InputOptions:
    """Options for distributing a dataset; accepted and ignored, because batches are always prefetched."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class DistributedDataset:
    """A dataset of batches for all replicas; iterating splits each batch over the devices.

    Args:
        dataset: its batches; in several processes, the same in each.
        placed: the devices; None for one.
    """

    def __init__(self, dataset: Any, placed: Placement | None) -> None:
        self._dataset = dataset
        self._placement = placed

    @property
    def element_spec(self) -> Any:
        """The specs of a batch; of several replicas, of what each gets."""
        return _spread(self._dataset.element_spec, self._placement)

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._dataset.cardinality()

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any]) -> Any:
        """`reduce_func(state, batch)` of batch after batch."""
        return functools.reduce(reduce_func, self, initial_state)

    def whole_batches(self) -> Iterator[Any]:
        """The batches as one value for all replicas, as `fit` reads them."""
        share = None if self._placement is None else self._placement.share
        if isinstance(self._dataset, JoinedBatches) and share is not None:
            return self._dataset.of_workers(share)
        if isinstance(self._dataset, Dataset) and (share is not None or self._dataset._has_hint):
            return self._dataset._array_iterator(share)
        return iter(self._dataset)

    @property
    def has_workers_data(self) -> bool:
        """Whether each of several workers reads data of its own."""
        share = None if self._placement is None else self._placement.share
        if isinstance(self._dataset, Dataset):
            return self._dataset._has_workers_data(share)
        return share is not None and isinstance(self._dataset, JoinedBatches)

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self)


class DistributedIterator(NextElement):
    """Goes through a `DistributedDataset`."""

    def __init__(self, dataset: DistributedDataset) -> None:
        self._dataset = dataset
        self._batches = dataset.whole_batches()
        self._placement = dataset._placement

    @property
    def element_spec(self) -> Any:
        return self._dataset.element_spec

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        note_read()
        batch = next(self._batches)
        if self._placement is None:
            return nest.map_structure(_tensor, batch)
        return _spread(nest.map_structure(self._split, batch), self._placement)

    def _split(self, part: Any) -> Any:
        if self._placement is None or isinstance(part, (RaggedTensor, SparseTensor)):
            return part
        array = np.asarray(part)
        if array.dtype == object:
            return convert_to_tensor(part)  # strings stay on the host
        return convert_to_tensor(self._placement.split(array))


def _spread(structure: Any, placed: Placement | None) -> Any:
    """Values of whole batches, or their specs, as values for each replica; of one replica, as they are."""
    if placed is None or len(placed) == 1:
        return structure
    local = tuple(placed.local_numbers)
    return nest.map_structure(
        lambda leaf: Whole(leaf, Spread(len(placed), local, bool(leaf.shape.rank))), structure
    )


class JoinedBatches:
    """Batches for one replica each, joined to batches for all replicas of this process."""

    def __init__(self, dataset: Any, count: int) -> None:
        self._dataset = dataset
        self._count = count

    @property
    def element_spec(self) -> Any:
        """The specs of a replica's batch."""
        return self._dataset.element_spec

    def of_workers(self, share: Share) -> WorkerBatches:
        """The batches of all workers, each of which has a dataset of its own."""
        if not isinstance(self._dataset, Dataset):
            raise TypeError(
                "distribute_datasets_from_function expected a function that returns a tf.data.Dataset; got "
                f"{type(self._dataset).__name__}."
            )
        pipe = self._dataset._pipe
        return WorkerBatches(ArrayIterator(pipe), share, pipe, self._count)

    def __iter__(self) -> Iterator[Any]:
        waiting: list[Any] = []
        for batch in self._dataset:
            waiting.append(batch)
            if len(waiting) == self._count:
                yield _joined(waiting)
                waiting = []
        if waiting:
            yield _joined(waiting)


def _tensor(part: Any) -> Any:
    return convert_to_tensor(part) if isinstance(part, np.ndarray) else part


def _joined(batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return nest.map_structure(lambda *parts: concatenated(parts), *batches)
