"""`tf.config.threading`: how many threads XLA uses on the CPU."""

from __future__ import annotations

import operator
from typing import Any

from tapeflow.engine.devices import startup

_inter_op_count = 0


def _count(value: Any, where: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if count < 0:
        raise ValueError(
            f"tf.config.threading.{where} expected a number of threads, or 0 for the default; got "
            f"num_threads={value!r}."
        )
    return count


def get_intra_op_parallelism_threads() -> int:
    """The size of the pool that ops are split over; 0 if it is left to XLA (one per core)."""
    return startup.thread_count()


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the size of the pool that ops are split over; 0 leaves it to XLA.

    Raises:
        RuntimeError: something has run already, or the devices have been listed.
    """
    count = _count(num_threads, "set_intra_op_parallelism_threads")
    if count == startup.thread_count():
        return
    _must_come_first("Intra")
    startup.choose_thread_count(count)


def get_inter_op_parallelism_threads() -> int:
    """The number last set; 0 if none was."""
    return _inter_op_count


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Kept for `get_inter_op_parallelism_threads`, and otherwise without effect.

    XLA has one pool of threads. It runs the independent parts of a program on it as well, so what
    TensorFlow divides in two is set by `set_intra_op_parallelism_threads` alone.

    Raises:
        RuntimeError: something has run already, or the devices have been listed.
    """
    global _inter_op_count
    count = _count(num_threads, "set_inter_op_parallelism_threads")
    if count == _inter_op_count:
        return
    _must_come_first("Inter")
    _inter_op_count = count


def _must_come_first(which: str) -> None:
    if startup.has_started():
        raise RuntimeError(
            f"{which} op parallelism cannot be modified after initialization: JAX has started its threads. "
            "Set it at the top of the script, before any tensor is made and the devices are listed."
        )
