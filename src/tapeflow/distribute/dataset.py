"""Datasets whose batches lie in parts on several devices."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeflow.engine import nest
from tapeflow.engine.convert import convert_to_tensor
from tapeflow.engine.placement import Placement


@dataclass(frozen=True)
class InputContext:
    """What a function that makes a dataset may ask: how many share the input, and which part is its own."""

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
    """How `strategy.run` calls its function; taken, and changing nothing: these are of TPUs."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@dataclass(frozen=True)
class ValueContext:
    """What a function that makes a value for a replica may ask: which it is, and how many there are."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1


@dataclass(frozen=True)
class InputOptions:
    """How a dataset is distributed; taken, and changing nothing: batches are always fetched ahead."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class DistributedDataset:
    """A dataset of batches of all replicas; iterating gives each split over the devices.

    Args:
        dataset: its batches; in several processes, the same in each.
        placed: the devices; None for one.
    """

    def __init__(self, dataset: Any, placed: Placement | None) -> None:
        self._dataset = dataset
        self._placement = placed

    @property
    def element_spec(self) -> Any:
        """The specs of a batch."""
        return self._dataset.element_spec

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def cardinality(self) -> Any:
        """How many batches there are."""
        return self._dataset.cardinality()

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._dataset), self._placement)


class DistributedIterator:
    """Goes through a `DistributedDataset`."""

    def __init__(self, batches: Iterator[Any], placed: Placement | None) -> None:
        self._batches = batches
        self._placement = placed

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        batch = next(self._batches)
        return batch if self._placement is None else nest.map_structure(self._split, batch)

    def get_next(self) -> Any:
        """The next batch."""
        return next(self)

    def _split(self, part: Any) -> Any:
        array = np.asarray(part)
        if array.dtype == object or self._placement is None:
            return part  # strings stay on the host
        return convert_to_tensor(self._placement.split(array))


class JoinedBatches:
    """Batches for one replica each, joined to batches for all."""

    def __init__(self, dataset: Any, count: int) -> None:
        self._dataset = dataset
        self._count = count

    @property
    def element_spec(self) -> Any:
        """The specs of a replica's batch."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator[Any]:
        waiting: list[Any] = []
        for batch in self._dataset:
            waiting.append(batch)
            if len(waiting) == self._count:
                yield _joined(waiting)
                waiting = []
        if waiting:
            yield _joined(waiting)


def _joined(batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return nest.map_structure(lambda *parts: np.concatenate([np.asarray(p) for p in parts]), *batches)
