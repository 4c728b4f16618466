"""Whether indices lie within a shape: looked at by the host if it knows them, or by the program."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.ops.host_args import invalid


def looking_at(arg: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Says of a check that it looks at the values of input `arg`, which the host may not know."""

    def mark(check: Callable[..., Any]) -> Callable[..., Any]:
        check.arg = arg  # pyright: ignore[reportFunctionMemberAccess]
        return check

    return mark


def nd_check(
    xp: ModuleType, limits: tuple[int, ...], indices: jax.Array | np.ndarray
) -> jax.Array | np.ndarray:
    """Whether rows of `indices` lie within `limits`; the check of ops that index several axes."""
    if indices.size == 0:
        return xp.zeros((3,), xp.int64)
    rows = indices.astype(xp.int64)
    top = xp.asarray(limits, dtype=xp.int64)
    bad = (rows < 0) | (rows >= top)
    at = xp.argmax(bad.reshape(-1))
    value = rows.reshape(-1)[at]
    return xp.stack([xp.any(bad).astype(xp.int64), value, top[at % len(limits)]])


def ignores_bad_indices(policy: str, where: str) -> bool:
    """Whether places out of range are skipped instead of raising."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise invalid(
            f"{where} expected bad_indices_policy to be '', 'DEFAULT', 'ERROR' or 'IGNORE'; got "
            f"bad_indices_policy={policy!r}. The default raises."
        )
    return policy == "IGNORE"


def check_places(indices: np.ndarray, dims: tuple[int, ...], where: str, what: str) -> None:
    """Raise if a row of indices the host knows names a place that does not exist."""
    limits = np.asarray(dims[: indices.shape[-1]], dtype=np.int64)
    bad = np.argwhere(((indices < 0) | (indices >= limits)).any(axis=-1))
    if len(bad):
        row = tuple(bad[0])
        place = f"[{','.join(map(str, row))}]" if row else ""
        raise invalid(
            f"{where} expected places that exist in {what}; got indices{place} = "
            f"{indices[row].tolist()} does not index into shape {list(dims)}. "
            "Negative indices do not count from the end here."
        )
