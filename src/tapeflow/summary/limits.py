"""Arguments that several kinds of summary share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def output_limit(where: str, max_outputs: npt.ArrayLike, argument: str = "max_outputs") -> int:
    """`max_outputs` as an int."""
    most = int(np.asarray(max_outputs))
    if most < 0:
        raise ValueError(
            f"tf.summary.{where} expected {argument} to be at least 0; got {argument}={max_outputs!r}."
        )
    return most


def check_rank(where: str, shape: tuple[int, ...], rank: int, layout: str, advice: str) -> None:
    """Raise unless a shape has so many dimensions."""
    if len(shape) != rank:
        raise ValueError(
            f"tf.summary.{where} expected data of rank {rank}, {layout}; got rank {len(shape)}, shape {shape}. "
            f"{advice}"
        )


def first(data: Any, most: int) -> Any:
    """The first `most` of what numpy holds, so that no more is copied; other data as it is."""
    return data[:most] if isinstance(data, (np.ndarray, list, tuple)) and np.ndim(data) else data
