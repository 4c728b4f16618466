"""`tf.experimental.async_scope` and its kin: programs run ahead of Python in any case."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def async_scope() -> Iterator[None]:
    """Ops inside do not wait for their results, as they never do."""
    yield


def async_clear_error() -> None:
    """Nothing to do: an error is raised once, where the value is read, and is gone."""


@contextmanager
def function_executor_type(executor_type: Any) -> Iterator[None]:
    """Accepted, without effect: XLA runs every program."""
    del executor_type
    yield
