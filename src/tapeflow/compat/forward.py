"""`tf.compat.forward_compatible`: whether programs written now may need a TensorFlow of some date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date

# The day of the release whose behaviour is the contract.
_horizon = ContextVar("tapeflow_forward_horizon", default=date(2022, 11, 18))


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether a date is before the compatibility horizon, so that features of that date may be used."""
    return _horizon.get() > date(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Another horizon, inside the block."""
    token = _horizon.set(date(year, month, day))
    try:
        yield
    finally:
        _horizon.reset(token)
