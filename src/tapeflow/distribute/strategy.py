"""Strategies: which devices train together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow.distribute.context import ReplicaContext, state
from tapeflow.distribute.dataset import (
    DistributedDataset,
    InputContext,
    InputOptions,
    JoinedBatches,
    ValueContext,
)
from tapeflow.distribute.extended import StrategyExtended
from tapeflow.distribute.reduce_op import ReduceOp, as_reduce_op
from tapeflow.engine import placement
from tapeflow.engine.device import devices_named
from tapeflow.engine.placement import Placement
from tapeflow.engine.tensor import TensorLike


class Strategy:
    """Devices that train together, each on a part of every batch.

    Args:
        placed: the devices; None for the one that JAX prefers.
    """

    def __init__(self, placed: Placement | None = None) -> None:
        self._placement = placed
        self.extended = StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        """How many devices share a batch."""
        return 1 if self._placement is None else len(self._placement)

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Make this the strategy; Variables made inside lie on all its devices."""
        state.strategies.append(self)
        try:
            with placement.using(self._placement):
                yield self
        finally:
            state.strategies.pop()

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Call `fn(*args, **kwargs)` on the devices, on the examples of all of them."""
        state.contexts.append(ReplicaContext(self))
        try:
            with self.scope():
                return fn(*args, **(kwargs or {}))
        finally:
            state.contexts.pop()

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """A value of the replicas as one.

        What `run` returned is a value of the whole batch already; with an `axis`, the examples along it are
        added up or averaged as well.
        """
        op = as_reduce_op(reduce_op)
        if axis is None:
            return value
        function = tf.reduce_sum if op is ReduceOp.SUM else tf.reduce_mean
        return tf.nest.map_structure(lambda part: function(part, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The examples of all replicas: `value`, as `run` returned it."""
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """A value for each device of this process: its examples, or, of what is no batch, the value itself.

        Of a structure it is a structure for each device.
        """
        if self._placement is None:
            return (value,)
        flat = tf.nest.flatten(value)
        if not any(isinstance(leaf, TensorLike) for leaf in flat):
            return (value,)
        parts = [self._parts(leaf) for leaf in flat]
        return tuple(
            tf.nest.pack_sequence_as(value, [p[i] for p in parts]) for i in self._placement.local_numbers
        )

    def _parts(self, value: Any) -> list[Any]:
        """What each device has of a value: its examples, or, of what is no batch, the whole."""
        count = self.num_replicas_in_sync
        if not isinstance(value, TensorLike):
            return [value] * count
        tensor = tf.convert_to_tensor(value)
        shape = tensor.spec.shape
        is_batch = bool(shape) and shape[0] % count == 0
        return tf.split(tensor, count) if is_batch else [tensor] * count

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None
    ) -> DistributedDataset:
        """A dataset of batches of all replicas, each batch split over the devices."""
        return DistributedDataset(dataset, self._placement)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> DistributedDataset:
        """The same of a dataset of batches for one replica each: as many as there are replicas make a step."""
        count = self.num_replicas_in_sync
        dataset = dataset_fn(InputContext(num_replicas_in_sync=count))
        return DistributedDataset(JoinedBatches(dataset, count), self._placement)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """The values that a function gives for each replica, one after the other: what `run` passes on."""
        count = self.num_replicas_in_sync
        found = [value_fn(ValueContext(i, count)) for i in range(count)]
        return found[0] if count == 1 else tf.nest.map_structure(lambda *parts: tf.stack(parts), *found)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_replicas_in_sync} device(s)>"


class MirroredStrategy(Strategy):
    """Training on several devices of one machine; on all accelerators, or all CPU devices, unless told.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     model = make_model()
    ...     model.compile("adam", "mse")
    >>> model.fit(x, y, batch_size=32 * strategy.num_replicas_in_sync)
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        if devices is not None and not devices:
            raise ValueError("MirroredStrategy expected at least one device; got devices=[].")
        super().__init__(Placement(placement.local_devices() if devices is None else devices_named(devices)))


class CentralStorageStrategy(MirroredStrategy):
    """Training on several devices of one machine; Variables lie on all of them, as `MirroredStrategy`'s do.

    Args:
        compute_devices: names of the devices; all unless given.
        parameter_device: where TensorFlow keeps the Variables; it changes nothing here.
    """

    def __init__(
        self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None
    ) -> None:
        super().__init__(compute_devices)


class OneDeviceStrategy(Strategy):
    """Training on one device, written as if there were more.

    Args:
        device: its name, such as '/gpu:0'.
    """

    def __init__(self, device: str) -> None:
        super().__init__(Placement(devices_named([device])))


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Make a strategy the one in force from now on, as if all that follows were in its scope; None ends that.

    Raises:
        RuntimeError: this is the scope of a strategy.
    """
    if len(state.strategies) > len(state.lasting):
        raise RuntimeError(
            "tf.distribute.experimental_set_strategy expected to be called outside of scopes: Must not be called "
            "inside a strategy scope."
        )
    while state.lasting:
        state.lasting.pop().__exit__(None, None, None)
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        state.lasting.append(scope)


@functools.cache
def default_strategy() -> Strategy:
    """What is in force outside of any scope: the one device that JAX prefers."""
    return Strategy()
