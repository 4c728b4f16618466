"""Which way a monitored quantity is better: the rules of `mode='auto'`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

Direction = Literal["min", "max"]

# Names of scores that Keras 2's rules would minimise: worth telling.
_SCORES = (
    "auc",
    "precision",
    "recall",
    "f1",
    "f1_score",
    "fbeta_score",
    "iou",
    "mean_io_u",
    "r2",
    "r2_score",
)


def direction(where: str, mode: str, monitor: str, is_score: bool) -> Direction:
    """`min` or `max`; an unknown mode warns and means `auto`, as in Keras.

    Args:
        where: the callback's name, for the warning.
        mode: what the user gave.
        monitor: the name of the quantity.
        is_score: what `auto` makes of the name by this callback's rule; the rules differ, as in Keras.
    """
    if mode not in ("auto", "min", "max"):
        warnings.warn(f"{where} mode {mode} is unknown, fallback to auto mode.", stacklevel=4)
        mode = "auto"
    if mode == "min" or mode == "max":
        return mode
    if not is_score and monitor.removeprefix("val_").endswith(_SCORES):
        warnings.warn(
            f"{where}(mode='auto') minimises {monitor!r}, as Keras 2 does: only names of accuracies count as "
            "scores. Give mode='max' if more is better, mode='min' to keep this.",
            stacklevel=4,
        )
    return "max" if is_score else "min"


def worst(way: Direction) -> float:
    """What any value improves on."""
    return math.inf if way == "min" else -math.inf


def comparison(way: Direction) -> Callable[[Any, Any], Any]:
    """The function that says whether its first argument is better than its second."""
    return np.less if way == "min" else np.greater


def missing(what: str, monitor: str, logs: dict[str, Any]) -> None:
    """Warn that the monitored quantity is not in the logs, and what is."""
    warnings.warn(
        f"{what} conditioned on metric `{monitor}` which is not available. "
        f"Available metrics are: {','.join(logs)}",
        stacklevel=4,
    )
