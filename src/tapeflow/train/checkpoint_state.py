"""The file `checkpoint` of a folder: which checkpoints there are, and which one is the latest.

It is a text that TensorFlow reads and writes too: `model_checkpoint_path: "ckpt-3"`, one fact a line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tapeflow.train.atomic import replacing
from tapeflow.train.tensor_file import ENDING

_NAME = "checkpoint"
_MAX_BYTES = 1 << 24
_LINE = re.compile(r'^\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([-+.\w]+))\s*$')


@dataclass
class CheckpointState:
    """What a state file says. Paths are as `restore` takes them."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0


def file_of(save_path: str | os.PathLike[str]) -> Path:
    """The file of a checkpoint whose path, as users know it, has no ending."""
    return Path(os.fspath(save_path) + ENDING)


def get_checkpoint_state(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """The content of a folder's checkpoint state file; None if it is missing or unreadable."""
    folder = os.fspath(checkpoint_dir)
    path = Path(folder, latest_filename or _NAME)
    try:
        if path.stat().st_size > _MAX_BYTES:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            key, quoted, bare = match.groups()
            found.setdefault(key, []).append(bare if quoted is None else _unescaped(quoted))
    if "model_checkpoint_path" not in found:
        return None

    def located(name: str) -> str:
        return name if os.path.isabs(name) else os.path.join(folder, name)

    return CheckpointState(
        located(found["model_checkpoint_path"][0]),
        [located(name) for name in found.get("all_model_checkpoint_paths", [])],
        [_number(t) for t in found.get("all_model_checkpoint_timestamps", [])],
        _number(found.get("last_preserved_timestamp", ["0"])[0]),
    )


def check_state_file(folder: str, latest_filename: str | None = None) -> None:
    """Refuse a folder where another file has the name of the state file.

    Raises:
        FileExistsError: there is one.
    """
    name = latest_filename or _NAME
    path = Path(folder or ".", name)
    is_empty = not path.exists() or (path.is_file() and not path.stat().st_size)
    if not is_empty and get_checkpoint_state(folder or ".", name) is None:
        raise FileExistsError(
            f"Saving a checkpoint expected to keep a list of checkpoints in {str(path)!r}; got a file that is no such "
            "list. Nothing was changed: choose another folder, or move this file away."
        )


def update_checkpoint_state(
    folder: str,
    latest: str,
    all_paths: Sequence[str],
    timestamps: Sequence[float] = (),
    last_preserved: float | None = None,
    latest_filename: str | None = None,
) -> None:
    """Write the state file of a folder; paths inside the folder are kept relative to it."""

    def spelled(path: str) -> str:
        inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(folder or ".")
        text = os.path.basename(path) if inside else os.path.abspath(path)
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    lines = [f"model_checkpoint_path: {spelled(latest)}"]
    lines += [f"all_model_checkpoint_paths: {spelled(p)}" for p in all_paths]
    lines += [f"all_model_checkpoint_timestamps: {t!r}" for t in timestamps]
    if last_preserved is not None:
        lines.append(f"last_preserved_timestamp: {last_preserved!r}")
    check_state_file(folder, latest_filename)
    with replacing(Path(folder or ".", latest_filename or _NAME)) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def latest_checkpoint(
    checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None
) -> str | None:
    """The path of the latest checkpoint in a folder, for `restore`; None if there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of its state file; `checkpoint` unless given.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path = state.model_checkpoint_path
    is_there = file_of(path).is_file() or os.path.exists(f"{path}.index")
    return path if is_there else None


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
