"""Where compiled programs are kept between runs. It imports no JAX, so that it can be asked without."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

_MOST_MB = 2048


def cache_folder() -> Path | None:
    """The folder; `TAPEFLOW_CACHE=off` keeps none, nor does a user without a home."""
    chosen = os.environ.get("TAPEFLOW_CACHE")
    if chosen in ("off", "0", ""):
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "tapeflow" / "xla" if os.path.isabs(base) else None


def most_cached_bytes() -> int:
    """How much the folder may hold: two GiB, or what `TAPEFLOW_CACHE_MB` says."""
    chosen = os.environ.get("TAPEFLOW_CACHE_MB", str(_MOST_MB))
    if not chosen.isdecimal() or not int(chosen):
        raise ValueError(
            f"The engine expected a whole number of megabytes for compiled programs; got TAPEFLOW_CACHE_MB={chosen!r}. "
            f"Set it to a number above 0, or unset it for {_MOST_MB}; TAPEFLOW_CACHE=off keeps none."
        )
    return int(chosen) << 20


def usable_cache_folder() -> Path | None:
    """The folder, made if need be; None, with a warning, if that cannot be."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        warnings.warn(
            f"Compiled programs cannot be kept in {str(folder)!r} ({error.strerror}): every start compiles them again. "
            "Name a folder that may be written to with TAPEFLOW_CACHE=/path; TAPEFLOW_CACHE=off keeps none.",
            stacklevel=2,
        )
        return None
    return folder
