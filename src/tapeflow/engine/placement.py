"""Where values lie when several devices train together: Variables on all of them, a batch in parts.

A program takes its batch as one array that lies in parts on the devices, and everything else as arrays that
lie whole on each. XLA splits the program accordingly and adds up what must be added up, so a step computes
what it would on one device, whatever their number; its Python never knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.device import settle

_AXIS = "replica"
_LOSS = ("Gloo", "coordination service", "heartbeat", "NCCL")


@dataclass(frozen=True)
class Share:
    """Which rows of a batch the devices of this process compute: replicas `first` to `last`, of `count`."""

    first: int
    last: int
    count: int

    def rows(self, size: int) -> slice | None:
        """The rows of a batch of so many; None if it cannot be split, and all processes need the whole."""
        if not size or size % self.count:
            return None
        each = size // self.count
        return slice(self.first * each, self.last * each)


class Placement:
    """Devices that hold Variables alike and share each batch.

    Args:
        devices: JAX devices, perhaps of several processes.
        splits: whether each gets a part of a batch, and not the whole.
    """

    def __init__(self, devices: Sequence[Any], splits: bool = True) -> None:
        settle()
        self.devices = tuple(devices)
        self._splits = splits
        self._mesh = Mesh(np.array(self.devices), (_AXIS,))
        self._everywhere = NamedSharding(self._mesh, PartitionSpec())
        self._is_local = all(d.process_index == jax.process_index() for d in self.devices)

    def __len__(self) -> int:
        return len(self.devices)

    @property
    def readable(self) -> Placement:
        """One with which every process has all of the results: it splits no batch between processes."""
        return self if self._is_local else Placement(self.devices, splits=False)

    @property
    def local_numbers(self) -> list[int]:
        """Which of the devices are of this process."""
        return [i for i, d in enumerate(self.devices) if d.process_index == jax.process_index()]

    @property
    def share(self) -> Share | None:
        """What this process needs of a batch; None if that is all of it."""
        numbers = self.local_numbers
        if self._is_local or not self._splits or numbers != list(range(numbers[0], numbers[-1] + 1)):
            return None
        return Share(numbers[0], numbers[-1] + 1, len(self))

    def everywhere(self, value: Any) -> Any:
        """An array as one that all devices have a part of, or the whole; of several processes, that of the first."""
        if isinstance(value, jax.Array) and value.sharding.device_set == self._everywhere.device_set:
            return value
        if self._is_local:
            return jax.device_put(value, self._everywhere)
        array = np.asarray(multihost_utils.broadcast_one_to_all(np.asarray(value)))
        return jax.make_array_from_callback(array.shape, self._everywhere, lambda part: array[part])

    def tells_of_loss(self, error: Exception) -> bool:
        """Whether an error came of another process that has gone: JAX has no type for it."""
        return not self._is_local and any(word in str(error) for word in _LOSS)

    def split(self, array: np.ndarray, axis: int = 0) -> Any:
        """An array in equal parts on the devices; whole on each if it has none.

        It is the same in every process, or at least in the rows that are the process's `share`.
        """
        if not self._splits or array.ndim <= axis or array.shape[axis] % len(self):
            sharding = self._everywhere
        else:
            sharding = NamedSharding(self._mesh, PartitionSpec(*[None] * axis, _AXIS))
        if self._is_local:
            return jax.device_put(array, sharding)
        return jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])


def is_readable(value: Any) -> bool:
    """Whether this process has all of an array."""
    return not isinstance(value, jax.Array) or value.is_fully_addressable or value.is_fully_replicated


def local_parts(value: Any) -> list[np.ndarray]:
    """What the devices of this process have of an array that lies in parts on those of several."""
    return [np.asarray(shard.data) for shard in value.__jax_array__().addressable_shards]


def gathered(value: Any) -> np.ndarray:
    """The whole of an array that lies in parts on the devices of several processes; all of them must ask."""
    array = value.__jax_array__()
    return np.asarray(
        array if array.is_fully_replicated else multihost_utils.process_allgather(array, tiled=True)
    )


current: Placement | None = None
"""Where Variables are made to lie, and batches split; None for the one device that JAX prefers."""


def current_share() -> Share | None:
    """What this process needs of a batch, where values are made to lie now."""
    return None if current is None else current.share


@contextmanager
def using(placement: Placement | None) -> Iterator[None]:
    """Make values lie as `placement` says, inside a `with` block.

    Raises:
        UnavailableError: another process, without which nothing can be computed, has gone.
    """
    global current
    before, current = current, placement
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if placement is not None and placement.tells_of_loss(error):
            raise errors.UnavailableError(
                None,
                None,
                f"A strategy expected all of its {jax.process_count()} workers to go on; one of them was lost: "
                f"{error}. Start all of them again; with the callback BackupAndRestore they go on where they were.",
            ) from error
        raise
    finally:
        current = before


def local_devices(kind: str | None = None) -> list[Any]:
    """The devices of this process; those of one kind ("cpu", "gpu") if given."""
    return list(jax.local_devices(backend=kind))


def all_devices() -> list[Any]:
    """The devices of all processes."""
    return list(jax.devices())
