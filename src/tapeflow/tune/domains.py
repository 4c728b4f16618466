"""Domains whose values are spread evenly over orders of magnitude: for learning rates, sizes of layers."""

from __future__ import annotations

import math
import random
from typing import Any

from tapeflow.plugins.hparams.api import IntInterval, RealInterval


class LogInterval(RealInterval):
    """All floats from one positive number to another, 0.001 to 0.01 as likely as 0.01 to 0.1.

    >>> from tapeflow import tune
    >>> from tapeflow.plugins.hparams import api as hp
    >>> hp.HParam("learning_rate", tune.LogInterval(1e-4, 1e-1)).domain
    LogInterval(0.0001, 0.1)
    """

    def __init__(self, min_value: float, max_value: float) -> None:
        super().__init__(min_value, max_value)
        _check_positive(self)

    def sample_uniform(self, rng: Any = random) -> float:
        return _between(self, rng)


class LogIntInterval(IntInterval):
    """All integers from one positive number to another, 8 to 16 as likely as 16 to 32."""

    def __init__(self, min_value: int, max_value: int) -> None:
        super().__init__(min_value, max_value)
        _check_positive(self)

    def sample_uniform(self, rng: Any = random) -> int:
        return round(_between(self, rng))


def _check_positive(domain: LogInterval | LogIntInterval) -> None:
    if domain.min_value <= 0:
        raise ValueError(
            f"{type(domain).__name__} expected bounds above 0; got min_value={domain.min_value!r}. "
            "Give a small positive number, or an interval that is not logarithmic."
        )


def _between(domain: LogInterval | LogIntInterval, rng: Any) -> float:
    """A number between the bounds; rounding may not carry it beyond them."""
    found = math.exp(rng.uniform(math.log(domain.min_value), math.log(domain.max_value)))
    return min(max(found, domain.min_value), domain.max_value)
