"""JAX, set up the way the engine needs it; every engine module takes `jax` and `jnp` from here.

x64 is switched on so that float64 and int64 mean what they say. Every op is explicit about its dtype,
so float32 work stays float32 (a contract test reads the jaxprs).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from tapeflow.engine.cache import cache_folder
from tapeflow.engine.heap import keep_freed_memory

__all__ = ["config_value", "jax", "jnp"]


def config_value(name: str) -> Any:
    """A JAX setting as it is now; JAX makes its settings known to no type checker."""
    return getattr(jax.config, name)


def _configure() -> None:
    keep_freed_memory()
    jax.config.update("jax_enable_x64", True)
    # A folder the user has already named for JAX is left alone.
    if config_value("jax_compilation_cache_dir") is None and (folder := cache_folder()) is not None:
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


_configure()
