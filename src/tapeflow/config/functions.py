"""Whether `tf.function` stages calls."""

from __future__ import annotations

from tapeflow.engine.settings import settings


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` run its Python at every call, so that a debugger can step through it.

    Ops are still recorded and compiled; `tf.debugging.enable_op_by_op` switches that off too.
    """
    settings.run_functions_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether every `tf.function` runs as Python at every call."""
    return settings.run_functions_eagerly
