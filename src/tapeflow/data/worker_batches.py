"""Batches that each worker makes of its own data, and all train on together.

A step trains on the rows of all workers, one worker's after another's. Every process gets an array for all of them, in
which the rows of the others are zeros, since it does not read those. Workers agree on the number of rows in every step:
if one has fewer than the others, or none, at the end of its data, the rows are sent to all, and none is lost. Batches
with strings, ragged or sparse tensors lie whole in every process, so their rows are always sent to all.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tapeflow.data.composites import concatenated, row_count
from tapeflow.data.iterator import ArrayIterator
from tapeflow.data.messages import as_text, from_text
from tapeflow.data.pipe import Part, Pipe, State
from tapeflow.data.steps.batching import Grouped
from tapeflow.data.steps.interleaving import reads_files
from tapeflow.engine import errors
from tapeflow.engine.devices import host_memory, processes
from tapeflow.engine.devices.placement import Share
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

_WAIT_S = 600.0
_PIECE_BYTES = 1 << 20

_numbers = itertools.count()


class WorkerBatches:
    """The batches of all workers together, made of this one's own.

    Workers wait for one another in `next`. So all must call it equally often, and no thread may read ahead.

    Args:
        own: the batches of this worker.
        share: which rows of a batch of all workers it computes.
        pipe: what `own` reads.
        joined: how many batches of `own` make a batch of this worker.
    """

    def __init__(self, own: ArrayIterator, share: Share, pipe: Pipe, joined: int = 1) -> None:
        self._own, self._share, self._structure, self._joined = own, share, pipe.structure, joined
        self.part = part_of(share)
        self._is_dense = all(isinstance(s, TensorSpec) and s.dtype != string for s in pipe.specs)
        self._name = f"batches/{next(_numbers)}"
        self._step = 0  # since `_name` was given
        self._count = 0
        self._told_before: list[str] = []
        self._beginning = own.state()

    def __iter__(self) -> WorkerBatches:
        return self

    def __next__(self) -> Any:
        leaves = self._next_own()
        self._count += 1
        sizes = self._sizes(row_count(leaves[0]) if leaves else 0)
        if not any(sizes):
            raise StopIteration
        rows = self._share.rows(sum(sizes)) if self._is_dense and len(set(sizes)) == 1 else None
        if rows is not None:
            found = [_placed(leaf, rows, sum(sizes)) for leaf in leaves]
        else:
            found = self._exchanged(leaves, sizes)
        return self._structure.pack(tuple(found))

    def state(self) -> State:
        """Where all workers are: each goes through its own data again up to there."""
        return {"beginning": self._beginning, "count": self._count}

    def restore(self, state: State) -> None:
        """Go on where the workers that gave `state`, as many as there are now, were."""
        self._beginning, self._count = state["beginning"], state["count"]
        self._own.restore(self._beginning)
        for _ in range(self._count):
            self._next_own()

    def _next_own(self) -> list[Any]:
        """The components of this worker's next batch; none at the end."""
        flat = []
        for _ in range(self._joined):
            try:
                flat.append([_batch(leaf) for leaf in self._own.next_flat()])
            except StopIteration:
                break
        return flat[0] if len(flat) == 1 else [concatenated(columns) for columns in zip(*flat, strict=True)]

    def _sizes(self, own: int) -> list[int]:
        """How many rows each worker has in this step."""
        key, part = f"{self._name}/{self._step}", self.part
        self._step += 1
        own_key = f"{key}/{part.index}"
        processes.tell(own_key, str(own))
        found = [own if i == part.index else int(_told(f"{key}/{i}", i)) for i in range(part.count)]
        # Whoever has told the size of this step has read those of the one before.
        for old in self._told_before:
            processes.forget(old)
        self._told_before = [own_key]
        return found

    def _exchanged(self, leaves: list[Any], sizes: list[int]) -> list[Any]:
        """The rows of all workers."""
        key = f"{self._name}/rows {self._step}"
        if leaves:
            text = as_text(leaves)
            pieces = [text[at : at + _PIECE_BYTES] for at in range(0, len(text), _PIECE_BYTES)]
            for number, piece in enumerate([str(len(pieces)), *pieces]):
                self._told_before.append(f"{key}/{self.part.index}/{number}")
                processes.tell(self._told_before[-1], piece)
        parts = [leaves if i == self.part.index else _rows(f"{key}/{i}", i) for i, n in enumerate(sizes) if n]
        return [concatenated(columns) for columns in zip(*parts, strict=True)]


def workers_of(batches: object) -> int:
    """Among how many workers the data of an iterator is split, each with batches of its own."""
    return batches.part.count if isinstance(batches, WorkerBatches) else 1


def check_workers(before: int, now: int) -> None:
    """Raise unless a training resumes with the number of workers that it had, each with data of its own."""
    if before != now:
        raise ValueError(
            f"Resuming expected the {before} worker(s) that the training had; got {now}. With AutoShardPolicy.FILE and "
            "HINT and with distribute_datasets_from_function, each worker has data of its own, so that another number "
            "of them would lose and repeat examples. AutoShardPolicy.DATA resumes on any number."
        )


def part_of(share: Share) -> Part:
    """Which worker's rows a share is.

    Raises:
        ValueError: the workers have different numbers of devices.
    """
    each = share.last - share.first
    if share.first % each or share.count % each:
        raise ValueError(
            "Datasets of each worker's own expected the same number of devices in all processes; got "
            f"{each} of {share.count} here. Use AutoShardPolicy.DATA, which splits every batch."
        )
    return Part(share.first // each, share.count // each, None, False)


def batches_of(pipe: Pipe, share: Share, splits_files: bool) -> WorkerBatches:
    """The batches of a pipeline of which each worker reads some files, or the shard that `SHARD_HINT` stands for.

    Raises:
        NotFoundError: no step reads files.
        ValueError: the pipeline makes no batches, or they cannot be divided among the workers.
    """
    part = part_of(share)
    if splits_files and not reads_files(pipe):
        raise errors.NotFoundError(
            None,
            None,
            "AutoShardPolicy.FILE expected a dataset of files: Found an unshardable source dataset. Use "
            "AutoShardPolicy.DATA or AUTO.",
        )
    batches = pipe
    while not isinstance(batches, Grouped):
        if not batches.inputs:
            raise ValueError(
                "AutoShardPolicy.FILE and HINT expected a dataset of global batches; got one without `batch`. Call "
                "`batch` on it."
            )
        batches = batches.inputs[0]
    if batches.size % part.count:
        raise ValueError(
            f"AutoShardPolicy.FILE and HINT expected a global batch size that the {part.count} workers can share "
            f"equally; got {batches.size}. Use a multiple of {part.count}."
        )
    own = ArrayIterator(pipe, part=Part(part.index, part.count, batches, splits_files))
    return WorkerBatches(own, share, pipe)


def _batch(leaf: Any) -> Any:
    """A component of a batch, which has rows."""
    if isinstance(leaf, (RaggedTensor, SparseTensor)):
        return leaf
    array = np.asarray(leaf) if hasattr(leaf, "__array__") else None
    if array is None or not array.ndim:
        raise ValueError(
            "Datasets of each worker's own expected batches of tensors with rows; got "
            f"{type(leaf).__name__ if array is None else 'a scalar'}. Call `batch` last, or use AutoShardPolicy.DATA."
        )
    return array


def _placed(part: np.ndarray, rows: slice, count: int) -> np.ndarray:
    whole = host_memory.empty((count, *part.shape[1:]), part.dtype)
    whole[...] = 0
    whole[rows] = part
    return whole


def _rows(key: str, worker: int) -> list[Any]:
    """The components that another worker has told."""
    count = int(_told(f"{key}/0", worker))
    return from_text("".join([_told(f"{key}/{i}", worker) for i in range(1, count + 1)]))


def _told(key: str, worker: int) -> str:
    try:
        return processes.told(key, _WAIT_S)
    except errors.DeadlineExceededError as error:
        raise errors.DeadlineExceededError(
            None,
            None,
            f"A dataset expected the next batch of all workers within {_WAIT_S:g} s; got none from process {worker}. "
            "All processes must go through the dataset equally often.",
        ) from error
