"""`make_source`: which source reads what the user handed in."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tapeflow.data.cardinality import INFINITE
from tapeflow.data.dataset import Dataset
from tapeflow.distribute.dataset import DistributedDataset
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.random import counter_for
from tapeflow.engine.values.nest import flatten
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.training.sources.arrays import ArraySource
from tapeflow.keras.training.sources.class_weight import ClassWeight
from tapeflow.keras.training.sources.columns import is_column
from tapeflow.keras.training.sources.indexed import SequenceSource
from tapeflow.keras.training.sources.leaves import map_leaves, no_adapter, to_arrays
from tapeflow.keras.training.sources.source import Source, endless_without_steps, nothing_to_read
from tapeflow.keras.training.sources.stream import StreamSource
from tapeflow.keras.utils.dataset_creator import DatasetCreator
from tapeflow.keras.utils.samples import pack_x_y_sample_weight, unpack_x_y_sample_weight
from tapeflow.keras.utils.sequence import Sequence


def make_source(
    x: DataLike,
    y: DataLike = None,
    sample_weight: DataLike = None,
    batch_size: int | None = None,
    shuffle: bool | str = False,
    steps: int | None = None,
    epochs: int = 1,
    class_weight: Mapping[int, float] | None = None,
    workers: int = 1,
    use_multiprocessing: bool = False,
    max_queue_size: int = 10,
    seed: int | None = None,
    share: Share | None = None,
) -> Source:
    """The source for what was given to `fit`, `evaluate` or `predict`, whose arguments these are.

    Args:
        epochs: How many will be read; only says when arrays with `steps` run out.
        seed: Of the order of shuffled epochs; drawn from the engine's random state if not given.
        share: The rows of each batch that this process computes; None for all.
    """
    _check_numbers(batch_size, steps, workers, max_queue_size)
    is_endless = steps == -1
    if is_endless:
        steps = None
        warnings.warn(
            "The training loop will run indefinitely since you have set `steps_per_epoch=-1`. Please use "
            "batch-level callbacks to save checkpoints or log training progress, etc",
            stacklevel=3,
        )
    if seed is None:
        seed = _draw_seed() if shuffle else 0
    weighting = ClassWeight(class_weight) if class_weight else None
    if isinstance(x, DatasetCreator):
        x = x.batches()
    if isinstance(x, Sequence):
        _refuse("`keras.utils.Sequence`", y, sample_weight)
        return SequenceSource(
            x,
            functools.partial(_prepare, weighting),
            steps,
            shuffle,
            seed,
            x.workers if x.workers is not None else workers,
            x.use_multiprocessing if x.use_multiprocessing is not None else use_multiprocessing,
            x.max_queue_size if x.max_queue_size is not None else max_queue_size,
        )
    if isinstance(x, Dataset):
        _refuse("dataset", y, sample_weight)
        return _dataset_source(x, steps, weighting, is_endless, share)
    if _are_columns(x, y, sample_weight):
        return ArraySource(x, y, sample_weight, batch_size, shuffle, steps, epochs, weighting, seed, share)
    prepare = functools.partial(_prepare, weighting)
    if isinstance(x, Iterator):
        _refuse("python generator", y, sample_weight)
        return StreamSource(lambda: x, prepare, steps)
    if isinstance(x, Iterable) and not isinstance(x, (list, tuple, str, bytes, set, frozenset, Mapping)):
        _refuse("an iterable", y, sample_weight)
        size = _length(x)
        if size == 0:
            raise nothing_to_read()
        restarts = steps in (None, size)
        if isinstance(x, DistributedDataset):
            return StreamSource(x.whole_batches, prepare, steps or size, restarts, x.has_workers_data)
        return StreamSource(lambda: iter(x), prepare, steps or size, restarts)
    raise no_adapter(x, y)


def _dataset_source(
    x: Dataset, steps: int | None, weighting: ClassWeight | None, is_endless: bool, share: Share | None
) -> Source:
    size = int(x.cardinality())
    if size == INFINITE and steps is None and not is_endless:
        raise endless_without_steps()
    if size == 0:
        raise nothing_to_read()
    known = steps or (size if size > 0 else None)
    # Form and dtypes of the elements are the user's choice and stay.
    prepare = weighting or (lambda element: element)
    restarts = steps in (None, size)
    is_in_step = x._has_workers_data(share)
    return StreamSource(lambda: x._array_iterator(share), prepare, known, restarts, is_in_step)


def _prepare(weighting: Callable[[Any], Any] | None, batch: Any) -> Any:
    """A user's batch as `train_step` gets it."""
    data = tuple(map(to_arrays, unpack_x_y_sample_weight(batch)))
    return pack_x_y_sample_weight(*(weighting(data) if weighting else data))


def _are_columns(*parts: Any) -> bool:
    """Whether all leaves are arrays of samples, and there is one."""
    leaves: list[Any] = []
    for part in parts:
        map_leaves(leaves.append, part)
    return any(leaf is not None for leaf in leaves) and all(map(is_column, leaves))


def _refuse(kind: str, y: DataLike, sample_weight: DataLike) -> None:
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None and flatten(value):
            raise ValueError(
                f"`{name}` argument is not supported when using {kind} as input. "
                "Let each of its batches be (x, y) or (x, y, sample_weight)."
            )


def _check_numbers(batch_size: Any, steps: Any, workers: int, max_queue_size: int) -> None:
    numbers = {"batch_size": batch_size, "steps": steps, "workers": workers, "max_queue_size": max_queue_size}
    for name, value in numbers.items():
        if value is not None and not isinstance(value, (int, np.integer)):
            raise TypeError(
                f"Expected {name} to be an integer. Received is {value!r}, a {type(value).__name__}."
            )
    for name, value in (("batch_size", batch_size), ("max_queue_size", max_queue_size)):
        if value is not None and value <= 0:
            raise ValueError(f"Expected {name} to be positive. Received is {value}.")
    if workers < 0:
        raise ValueError(f"Expected workers to be non-negative. Received is {workers}.")
    if steps is not None and steps != -1 and steps <= 0:
        raise ValueError(f"steps_per_epoch must be positive, None or -1. Received {steps}. See `Model.fit`.")


def _length(x: Any) -> int | None:
    try:
        return len(x)
    except (TypeError, NotImplementedError):
        return None


def _draw_seed() -> int:
    """A seed that follows from `set_seed`, another one at each call."""
    counter = counter_for(None)
    high, low = counter.words(counter.count)
    counter.count += 1
    return (high << 32) | low
