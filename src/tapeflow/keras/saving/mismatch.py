"""Weights that do not fit the model they are loaded into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class WeightMismatch(ValueError):
    """Says what does not fit; `telling_file` adds where that was read."""


@contextlib.contextmanager
def telling_file(path: Path) -> Iterator[None]:
    """Name the file, and what to do, in errors about weights that do not fit."""
    try:
        yield
    except WeightMismatch as error:
        raise WeightMismatch(
            f"{error} The file is {str(path)!r}: load it into a model like the one that was saved, or leave out what "
            "does not fit with load_weights(..., skip_mismatch=True)."
        ) from error
