"""The error about a config that makes no sense."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tapeflow.engine.errors import OpError

# What classes raise that are given arguments they were not made for.
_SENSELESS = (KeyError, TypeError, IndexError, AttributeError, RecursionError, ArithmeticError, OpError)


@contextlib.contextmanager
def telling_config(expected: str, advice: str) -> Iterator[None]:
    """Raise what a class says of a config as one clear error.

    Args:
        expected: what the config should have been.
        advice: what to do next.

    Raises:
        ValueError: no object can be made of the config.
    """
    try:
        yield
    except _SENSELESS as error:
        raise ValueError(
            f"Loading expected {expected} ({type(error).__name__}: {error}). {advice}"
        ) from error
