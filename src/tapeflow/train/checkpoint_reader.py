"""Looking into checkpoints: `tf.train.load_checkpoint`, `list_variables`, `load_variable`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.train.checkpoint import opened
from tapeflow.train.checkpoint_state import latest_checkpoint
from tapeflow.train.restoration import CheckpointFile
from tapeflow.train.tensor_bundle import GRAPH

_POLL_S = 0.2


class CheckpointReader:
    """The tensors of a checkpoint, by name."""

    def __init__(self, file: CheckpointFile) -> None:
        self._file = file

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes, by name."""
        shapes = {name: list(self._file.shape(name)) for name in sorted(self._file.names)}
        return {GRAPH: [], **shapes} if "graph" in self._file.metadata else shapes

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes, by name."""
        dtypes = {name: as_dtype(self._file.dtype(name)) for name in sorted(self._file.names)}
        return {GRAPH: as_dtype("string"), **dtypes} if "graph" in self._file.metadata else dtypes

    def has_tensor(self, name: str) -> bool:
        """Whether there is a tensor of this name."""
        return name in self._file or (name == GRAPH and "graph" in self._file.metadata)

    def get_tensor(self, name: str) -> Any:
        """The value of a tensor; of the graph of objects, JSON, or TensorFlow's message."""
        if name in self._file:
            return self._file.read(name)[()]
        if name == GRAPH and "graph" in self._file.metadata:
            return self._file.metadata["graph"].encode()
        raise errors.NotFoundError(
            None,
            None,
            f"Key {name} not found in checkpoint {str(self._file.path)!r}. tf.train.list_variables lists the keys.",
        )


def load_checkpoint(ckpt_dir_or_file: str | os.PathLike[str]) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest one in a folder."""
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        found = latest_checkpoint(path)
        if found is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
        path = found
    return CheckpointReader(opened(path))


def list_variables(ckpt_dir_or_file: str | os.PathLike[str]) -> list[tuple[str, list[int]]]:
    """Names and shapes of the tensors in a checkpoint, or in the latest one of a folder."""
    return list(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: str | os.PathLike[str], name: str) -> np.ndarray:
    """One tensor of a checkpoint."""
    reader = load_checkpoint(ckpt_dir_or_file)
    return reader.get_tensor(name.removesuffix(":0"))


def checkpoints_iterator(
    checkpoint_dir: str | os.PathLike[str],
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Wait for new checkpoints in a folder and yield the path of each.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: seconds between two of them, at least.
        timeout: seconds to wait for the next one; None waits for ever.
        timeout_fn: called when it took longer; if it gives true, this ends, otherwise it waits again.
    """
    last: str | None = None
    while True:
        started = time.monotonic()
        found = latest_checkpoint(checkpoint_dir)
        while found is None or found == last:
            if timeout is not None and time.monotonic() - started >= timeout:
                if timeout_fn is None or timeout_fn():
                    return
                started = time.monotonic()
            time.sleep(_POLL_S if timeout is None else min(_POLL_S, max(timeout, 0.001)))
            found = latest_checkpoint(checkpoint_dir)
        last = found
        yielded = time.monotonic()
        yield found
        time.sleep(max(0.0, min_interval_secs - (time.monotonic() - yielded)))
