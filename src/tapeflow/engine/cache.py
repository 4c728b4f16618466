"""Where compiled programs are kept between runs. It imports no JAX, so that it can be asked without."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """The folder; `TAPEFLOW_CACHE=off` keeps none."""
    chosen = os.environ.get("TAPEFLOW_CACHE")
    if chosen in ("off", "0", ""):
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tapeflow" / "xla"
