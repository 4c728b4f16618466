"""Vectors out of a checkpoint, for the projector: TensorBoard can look into TensorFlow's checkpoints alone.

A checkpoint of `tf.train.Checkpoint` is a safetensors file: the length of a JSON header, the header, which says
where each tensor lies, and the tensors.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import numpy as np

from tapeflow.summary.event_files.reader import open_regular

_LATEST = re.compile(r'^model_checkpoint_path: "((?:[^"\\]|\\.)*)"', re.MULTILINE)
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_LONGEST_HEADER = 64 << 20
_LONGEST_STATE = 1 << 20


def checkpoint_vectors(logdir: str, checkpoint: str, name: str) -> np.ndarray | None:
    """The vectors of a name; None if there is no such checkpoint, or no such vectors in it.

    Args:
        logdir: the folder, whose latest checkpoint is taken.
        checkpoint: the path of another one, or "".
        name: a name in the checkpoint: `embedding/.ATTRIBUTES/VARIABLE_VALUE`, or just `embedding`.
    """
    try:
        path = checkpoint or latest_checkpoint(logdir)
        with open_regular(path if os.path.isfile(path) else f"{path}.safetensors") as file:
            return _vectors(file, name.removesuffix(":0"))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def latest_checkpoint(logdir: str) -> str:
    """The path of the latest checkpoint of a folder, as its file `checkpoint` says.

    Raises:
        OSError, ValueError: there is none.
    """
    with open_regular(os.path.join(logdir, "checkpoint")) as file:
        found = _LATEST.search(file.read(_LONGEST_STATE).decode())
    if found is None:
        raise ValueError("no latest checkpoint")
    return os.path.join(logdir, found[1])


def _vectors(file: Any, name: str) -> np.ndarray:
    length = int.from_bytes(file.read(8), "little")
    if length > _LONGEST_HEADER:
        raise ValueError("not a safetensors file")
    header = json.loads(file.read(length))
    info = header.get(name) or header[f"{name}{_VALUE}"]
    begin, end = info["data_offsets"]
    file.seek(8 + length + begin)
    array = np.frombuffer(file.read(end - begin), _DTYPES[info["dtype"]]).reshape(info["shape"])
    if info["dtype"] == "BF16":  # the upper half of a float32
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if array.ndim != 2:
        raise ValueError("not vectors")
    return array.astype(np.float32)
