"""Folders: the caches, where they are, how large and how fast, and whether the board's page is built.

Nothing is imported that needs another package: one that is missing is what the doctor is asked about.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tapeflow import board
from tapeflow.board import cache
from tapeflow.doctor.finding import Finding, State
from tapeflow.engine.programs.cache import cache_folder
from tapeflow.keras.utils.download import keras_home

_SECTION = "Folders"
_TRIED_BYTES = 8 << 20
_SLOW_BYTES_A_SECOND = 20e6
_LARGE_BYTES = 5 << 30
STATIC = Path(board.__path__[0]) / "static"
WEB = Path(__file__).parents[3] / "web"


def examine() -> Iterator[Finding]:
    """The caches and the page."""
    programs = os.environ.get("JAX_COMPILATION_CACHE_DIR") or cache_folder()
    if programs is None:
        remedy = "Every start compiles everything again: unset TAPEFLOW_CACHE, or name a folder with it."
        yield Finding(_SECTION, "compiled programs", "not kept", State.SLOW, remedy)
    else:
        yield _cache("compiled programs", Path(programs))
        yield _speed(Path(programs))
    yield _cache("board's index", Path(cache.cache_folder()))
    yield _cache("data sets", keras_home() / "datasets")
    yield _page()


def _cache(name: str, folder: Path) -> Finding:
    if not folder.exists():
        above = next(parent for parent in folder.parents if parent.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            return _unwritable(name, folder)
        return Finding(_SECTION, name, f"{folder}, not there yet")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return _unwritable(name, folder)
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    value = f"{folder}, {sum(sizes) / 2**20:.1f} MiB in {len(sizes)} files; to clear it: rm -r {folder}"
    if sum(sizes) > _LARGE_BYTES:
        return Finding(_SECTION, name, value, State.NOTE, f"It has grown large: rm -r {folder}")
    return Finding(_SECTION, name, value)


def _unwritable(name: str, folder: Path) -> Finding:
    remedy = "Nothing is cached, so every start is slow: make the folder writable, or name another (TAPEFLOW_CACHE, "
    remedy += "XDG_CACHE_HOME, KERAS_HOME)."
    return Finding(_SECTION, name, f"{folder} cannot be written to", State.SLOW, remedy)


def _speed(folder: Path) -> Finding:
    """How fast the disk of a folder takes what a compilation leaves."""
    place = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    name = "writing to it"
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            began = time.perf_counter()
            file.write(os.urandom(_TRIED_BYTES))
            file.flush()
            os.fsync(file.fileno())
            speed = _TRIED_BYTES / (time.perf_counter() - began)
    except OSError as error:
        remedy = "Make room on that disk, or name another folder: TAPEFLOW_CACHE=/path."
        return Finding(_SECTION, name, f"not possible: {error.strerror}", State.SLOW, remedy)
    value = f"{speed / 1e6:.0f} MB/s"
    if speed < _SLOW_BYTES_A_SECOND:
        remedy = "A network file system? Name a folder on a local disk: TAPEFLOW_CACHE=/path."
        return Finding(_SECTION, name, value, State.SLOW, remedy)
    return Finding(_SECTION, name, value)


def _page() -> Finding:
    page = STATIC / "index.html"
    remedy = (
        f"In {WEB.parent}: make board" if WEB.is_dir() else "pip install --force-reinstall --no-deps tapeflow"
    )
    if not page.is_file():
        return Finding(_SECTION, "board's page", "not built", State.BROKEN, remedy)
    sources = (file for file in (WEB / "src").rglob("*") if file.is_file())
    if max((file.stat().st_mtime for file in sources), default=0.0) > page.stat().st_mtime:
        return Finding(_SECTION, "board's page", "older than what it is built from", State.NOTE, remedy)
    return Finding(_SECTION, "board's page", f"built, in {STATIC}")
