"""What `ops.summary` plugs in when TapeFlow's tensors are about; without it, values are numpy's.

A summary call hands its data and step to `value` and `step`: numbers and arrays come back as numpy's, copied,
and what is still being computed as a `Pending`, whose value the writer's thread takes when it is there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt


class Pending:
    """A value that is not there yet.

    Attributes:
        shape: its shape.
        dtype: its numpy dtype; object for strings.
    """

    shape: tuple[int, ...]
    dtype: np.dtype

    def is_ready(self) -> bool:
        """Whether `get` no longer depends on what the training thread does next."""
        raise NotImplementedError

    def get(self) -> np.ndarray:
        """The value, waiting for it."""
        raise NotImplementedError


class Bridge:
    """How values get here when there is no engine; `ops.summary` puts its own in `bridge`."""

    def pending(self, value: object) -> Pending | None:
        """The `Pending` of a value, or None for what numpy knows."""
        return None

    def scope(self) -> str:
        """The name scope that a tag begins with: "" or "encoder/"."""
        return ""

    def inside(self, scope: str) -> AbstractContextManager[Any]:
        """Be in a name scope."""
        return nullcontext()

    def truth(self, condition: Any) -> bool:
        """Whether a condition of `record_if` holds."""
        return bool(condition)

    def is_now(self) -> bool:
        """Whether a summary is written when it is called: no function is being recorded."""
        return True

    def call(self, write: Callable[..., None], *values: Any) -> None:
        """Call `write(*values)`: now, or, while a function is recorded, at every run of it.

        A tensor given to `record_if` is then one more value: what is written depends on it.
        """
        write(*values)

    def start_graphs(self) -> None:
        """Note the graphs of the functions that are called from now on."""

    def stop_graphs(self) -> list[Any]:
        """The GraphDef messages noted since `start_graphs`."""
        return []

    def seed(self) -> int | None:
        """The global seed, if one has been set."""
        return None


class Profiler:
    """What `trace_on(profiler=True)` starts; `tapeflow.profiler` puts its own in `profiler`."""

    def start(self, folder: str | None) -> None:
        """Start to profile, into a folder if it is known by now."""

    def stop(self, folder: str | None) -> None:
        """Stop, and write to the folder given at the start, else to `folder`; with neither, nowhere."""


bridge = Bridge()
profiler = Profiler()


def install(new: Bridge) -> None:
    """Have another bridge from now on."""
    global bridge
    bridge = new


def value(data: npt.ArrayLike) -> Any:
    """Data as an array of its own, or as a `Pending`."""
    if isinstance(data, Pending):
        return data
    if (found := bridge.pending(data)) is not None:
        return found
    if type(data).__module__.startswith("torch"):
        return _torch_array(data)
    array = np.array(data)
    # numpy's own strings lose NULs at their end.
    return np.array(data, dtype=object) if array.dtype.kind in "SU" else array


def _torch_array(tensor: Any) -> np.ndarray:
    """A PyTorch tensor that may be part of a graph, on another device, or of a type that numpy has not."""
    plain = tensor.detach().cpu()
    return np.array(plain.float() if str(plain.dtype) == "torch.bfloat16" else plain)


def step(step: npt.ArrayLike) -> Any:
    """A step as an int, or as a `Pending`."""
    if type(step) is int or isinstance(step, Pending):
        return step
    if (found := bridge.pending(step)) is not None:
        if found.shape or found.dtype.kind not in "iu":
            raise _bad_step(step)
        return found
    try:
        number = np.asarray(step)
        return operator.index(number.item())
    except (TypeError, ValueError):
        raise _bad_step(step) from None


def _bad_step(step: Any) -> TypeError:
    return TypeError(
        f"tf.summary expected an integer step; got step={step!r} of type {type(step).__name__}. "
        "Pass for example step=epoch."
    )
