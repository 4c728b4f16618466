"""The file of `BackupAndRestore`: arrays in an `.npz`, without pickle, replaced in one step."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes  # noqa: F401 (makes `np.dtype("bfloat16")` known)
import numpy as np

NAME = "training_state.npz"


@dataclass(frozen=True)
class Backup:
    """A training state: begin with step `step` of epoch `epoch`."""

    epoch: int
    step: int
    weights: list[np.ndarray]
    optimizer: list[np.ndarray]


def write_backup(folder: str, backup: Backup) -> None:
    """Write a backup; what was there before stays until the new file is whole and on disk."""
    path = Path(folder, NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    groups = {"weights": backup.weights, "optimizer": backup.optimizer}
    arrays: dict[str, np.ndarray] = {}
    dtypes: dict[str, list[str]] = {}
    for group, values in groups.items():
        given = [np.asarray(value) for value in values]
        dtypes[group] = [value.dtype.name for value in given]
        for i, value in enumerate(given):
            arrays[f"{group}_{i}"] = _storable(value)
    header = json.dumps({"epoch": backup.epoch, "step": backup.step, "dtypes": dtypes})
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, header=np.array(header), **arrays)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_folder(path.parent)


def read_backup(folder: str) -> Backup | None:
    """The backup in a folder, or `None` if there is none."""
    path = Path(folder, NAME)
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["header"].item())
            groups = {
                group: [file[f"{group}_{i}"].view(name) for i, name in enumerate(names)]
                for group, names in header["dtypes"].items()
            }
        return Backup(int(header["epoch"]), int(header["step"]), groups["weights"], groups["optimizer"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"BackupAndRestore expected a backup it has written; got {str(path)!r}, which cannot be read "
            f"({error}). Delete it to begin anew."
        ) from error


def remove_backup(folder: str) -> None:
    """Delete the backup in a folder, if there is one."""
    Path(folder, NAME).unlink(missing_ok=True)


def _storable(value: np.ndarray) -> np.ndarray:
    """Types of ml_dtypes (bfloat16) as bytes of their size: npz has no name for them."""
    return value if value.dtype.isbuiltin == 1 else value.view(f"u{value.dtype.itemsize}")


def _sync_folder(folder: Path) -> None:
    """Have a rename on disk; some systems cannot sync a folder, and need not."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
