"""Compiling a program on a thread of its own, before it is needed. User code never runs there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.compiling import Compiling


def compile_ahead(jit: Callable[..., Any], arguments: list[Any]) -> Future[Any]:
    """Begin to compile for arguments like these; the result is called as what `jit` makes for them would be.

    Only shapes and dtypes are kept: whoever holds a Variable's buffer keeps it from being overwritten.
    """
    shapes = jax.tree.map(_shape_of, arguments)
    compiler = ThreadPoolExecutor(1, thread_name_prefix="tapeflow-compile")
    found = compiler.submit(lambda: jit(*shapes).lower(*shapes).compile())
    compiler.shutdown(wait=False)
    return found


def awaited(ahead: Future[Any]) -> Any:
    """What `compile_ahead` gives; waiting for it is compiling."""
    if not ahead.done():
        with phases.during("compile"), Compiling():
            return ahead.result()
    return ahead.result()


def _shape_of(value: Any) -> Any:
    if isinstance(value, jax.Array):
        sharding = value.sharding if len(value.sharding.device_set) > 1 else None
        return jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=sharding, weak_type=value.weak_type)
    if isinstance(value, (np.ndarray, np.generic)):
        return jax.ShapeDtypeStruct(value.shape, value.dtype)
    return value
