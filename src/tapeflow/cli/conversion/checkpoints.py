"""Checkpoints in another format, tensor by tensor, without the model that they are of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.cli.conversion.forms import Form
from tapeflow.cli.failure import Failure
from tapeflow.keras.saving.named_weights import write_held
from tapeflow.train.bundle_writer import write_checkpoint
from tapeflow.train.checkpoint import opened
from tapeflow.train.checkpoint_state import file_of
from tapeflow.train.restoration import FORMAT, CheckpointFile

COPIED = ("checkpoint", "tensorflow-checkpoint", "safetensors")
"""The forms that a checkpoint can be copied to."""


def tensors_of(place: Path) -> tuple[CheckpointFile, dict[str, np.ndarray]]:
    """A checkpoint and its tensors of numbers."""
    file = opened(str(place))
    try:
        return file, {name: file.read(name) for name in file.names if file.dtype(name) != np.dtype(object)}
    finally:
        file.close()


def copy_checkpoint(source: Path, target: Path, form: Form) -> dict[str, np.ndarray]:
    """Write a checkpoint in another form; returns the tensors that were written.

    Raises:
        Failure: it holds texts, which stand in other places in our format, or no graph of objects.
    """
    file, tensors = tensors_of(source)
    if form.name == "safetensors":
        write_held(target, tensors, {})
        return tensors
    if "graph" not in file.metadata:
        raise Failure(
            f"expected a checkpoint of objects; got {str(source)!r}, which names tensors alone. Give the target the "
            "ending `.safetensors`."
        )
    if form.name == "tensorflow-checkpoint":
        write_checkpoint(str(target).removesuffix(".index"), tensors, file.metadata)
        return tensors
    if '"$array"' in file.metadata["graph"]:
        raise Failure(
            f"expected a checkpoint of numbers; got {str(source)!r}, which holds texts. Add --model."
        )
    metadata = {"format": FORMAT, "graph": file.metadata["graph"], "sizes": file.metadata.get("sizes", "")}
    write_held(file_of(target), tensors, metadata)
    return tensors


def require_same(tensors: dict[str, Any], target: Path, form: Form) -> None:
    """Read a copy, and compare every bit.

    Raises:
        Failure: something is not as it was.
    """
    place = target.with_suffix("") if form.name == "safetensors" else Path(str(target).removesuffix(".index"))
    _, found = tensors_of(place)
    for name, value in tensors.items():
        other = found.get(name)
        if other is None or other.dtype != value.dtype or other.tobytes() != value.tobytes():
            raise Failure(f"expected {name!r} in {str(target)!r} as it is in the source; got another value.")
