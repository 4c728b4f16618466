"""Strategies: which devices train together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow.data.worker_batches import part_of as worker_of
from tapeflow.distribute.context import NeedsReplica, ReplicaContext, state
from tapeflow.distribute.dataset import (
    DistributedDataset,
    InputContext,
    InputOptions,
    JoinedBatches,
    ValueContext,
)
from tapeflow.distribute.extended import StrategyExtended
from tapeflow.distribute.reduce_op import ReduceOp, as_reduce_op
from tapeflow.distribute.values import (
    Parts,
    PerReplica,
    Spread,
    Whole,
    found_in,
    is_value,
    map_values,
    part_of,
    shared_part,
    together,
)
from tapeflow.engine.devices import placement
from tapeflow.engine.devices.device import devices_named
from tapeflow.engine.devices.placement import Placement, check_zero_stage
from tapeflow.engine.values.variable import variables_written


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
        """Call `fn(*args, **kwargs)` on the devices.

        A function that assigns Variables, a training step, is called once, with the examples of all replicas. One that
        assigns none is called for each replica if its results, or the values that it is given, are each replica's own.
        Of several replicas the tensors that it returns have `.values`, one for each.

        Raises:
            ValueError: `args` is no list or tuple.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"Strategy.run expected args to be a list or tuple; got args={args!r}.")
        given = (tuple(args), dict(kwargs or {}))
        if self.num_replicas_in_sync == 1:
            return self._call(fn, shared_part(given), ReplicaContext(self))
        found = found_in(given)
        if all(isinstance(v, Whole) or (isinstance(v, Parts) and v.is_shared) for v in found):
            context = ReplicaContext(self, is_whole=any(isinstance(v, Whole) for v in found))
            sizes = [v.whole.shape[0] for v in found if isinstance(v, Whole) and v.spread.is_batch]
            try:
                result, has_written = variables_written(lambda: self._call(fn, shared_part(given), context))
            except NeedsReplica:
                pass
            else:
                result = map_values(lambda value: self._of_replicas(value, context.is_whole, sizes), result)
                # Other processes, if there are some, would have to call too.
                is_alone = len(self._local_numbers) == self.num_replicas_in_sync
                if has_written or context.has_joined or not is_alone or not _has_totals(result):
                    return result
        return together(
            [
                self._call(fn, part_of(given, i), ReplicaContext(self, number))
                for i, number in enumerate(self._local_numbers)
            ]
        )

    def _call(self, fn: Callable[..., Any], given: Any, context: ReplicaContext) -> Any:
        state.contexts.append(context)
        try:
            with self.scope():
                return fn(*given[0], **given[1])
        finally:
            state.contexts.pop()

    def _of_replicas(self, value: Any, is_whole: bool, sizes: list[int]) -> Any:
        """A result of one call for all replicas as one of each."""
        if not is_value(value):
            return value
        if not is_whole:
            return Parts([value] * len(self._local_numbers))
        is_batch = bool(value.shape.rank) and bool(sizes) and value.shape[0] % max(sizes) == 0
        return Whole(value, Spread(self.num_replicas_in_sync, self._local_numbers, is_batch))

    @property
    def _local_numbers(self) -> tuple[int, ...]:
        return (0,) if self._placement is None else tuple(self._placement.local_numbers)

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """A value of the replicas as one; with an `axis`, the examples along it are added up or averaged as well.

        What a training step computed of the whole batch, its loss, is that already, whatever the `reduce_op`.
        """
        op = as_reduce_op(reduce_op)
        function = tf.reduce_sum if op is ReduceOp.SUM else tf.reduce_mean

        def reduced(part: Any) -> Any:
            if isinstance(part, PerReplica):
                return part.reduce(op, axis)
            return part if axis is None else function(part, axis=axis)

        return map_values(reduced, value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, one after the other along an axis."""
        return map_values(lambda part: part.gather(axis) if isinstance(part, PerReplica) else part, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """A value, or a structure of them, for each device of this process; of what is no value of replicas, itself."""
        if not found_in(value) and not isinstance(value, tf.Variable):
            return (value,)
        return tuple([part_of(value, i) for i in range(len(self._local_numbers))])

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None
    ) -> DistributedDataset:
        """A dataset of batches of all replicas, each batch split over the devices."""
        return DistributedDataset(dataset, self._placement)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> DistributedDataset:
        """A dataset that a function makes in each process, of batches for one replica each.

        As many as there are replicas make a step. The function's `InputContext` says which of the processes this is.
        """
        count, own = self.num_replicas_in_sync, len(self._local_numbers)
        share = None if self._placement is None else self._placement.share
        part = None if share is None else worker_of(share)
        context = InputContext(
            num_input_pipelines=1 if part is None else part.count,
            input_pipeline_id=0 if part is None else part.index,
            num_replicas_in_sync=count,
        )
        return DistributedDataset(JoinedBatches(dataset_fn(context), own), self._placement)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """The values that a function returns for each replica; `run` calls its function with each of them."""
        count = self.num_replicas_in_sync
        found = [value_fn(ValueContext(i, count)) for i in self._local_numbers]
        return found[0] if count == 1 else tf.nest.map_structure(lambda *parts: Parts(parts), *found)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_replicas_in_sync} device(s)>"


class MirroredStrategy(Strategy):
    """Training on several devices of one machine, by default on all accelerators, or else all CPU devices.

    Args:
        devices: names of the devices; all unless given.
        cross_device_ops: changes nothing: XLA chooses how devices talk.
        zero_stage: which state is split over the devices instead of copied to all: 0 none, 1 that of optimizers, 3 the
            weights as well. The numbers are those of the ZeRO paper.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     model = make_model()
    ...     model.compile("adam", "mse")
    >>> model.fit(x, y, batch_size=32 * strategy.num_replicas_in_sync)
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: Any = None, *, zero_stage: int = 0
    ) -> None:
        if devices is not None and not devices:
            raise ValueError("MirroredStrategy expected at least one device; got devices=[].")
        check_zero_stage("MirroredStrategy", zero_stage)
        found = placement.local_devices() if devices is None else devices_named(devices)
        super().__init__(Placement(found, zero_stage=zero_stage))


class CentralStorageStrategy(MirroredStrategy):
    """Training on several devices of one machine; Variables are on all devices, as with `MirroredStrategy`.

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


def _has_totals(result: Any) -> bool:
    """Whether a result has values of the whole batch that are no examples: those that each replica has its own of."""
    return any(isinstance(v, Whole) and not v.spread.is_batch for v in found_in(result))


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
