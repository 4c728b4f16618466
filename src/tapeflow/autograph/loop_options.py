"""`tf.autograph.experimental.set_loop_options`: what the loop around the call is told."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any


@dataclass
class LoopOptions:
    """What a loop's body has asked for, in its first turn."""

    maximum_iterations: Any = None
    shape_invariants: Any = None


class _Current(threading.local):
    def __init__(self) -> None:
        self.loops: list[LoopOptions] = []


current = _Current()
"""The loops whose bodies are being recorded by this thread, the innermost last."""


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Say more of the loop around this call, at the beginning of its body.

    Args:
        parallel_iterations: ignored: XLA decides.
        swap_memory: ignored.
        maximum_iterations: how many turns there are at most.
        shape_invariants: pairs of a tensor and the shape it keeps, with None where it changes. A loop in which a
            shape changes cannot be part of a program; it runs turn by turn.
    """
    if not current.loops:
        return
    if maximum_iterations is not None:
        current.loops[-1].maximum_iterations = maximum_iterations
    if shape_invariants is not None:
        current.loops[-1].shape_invariants = shape_invariants
