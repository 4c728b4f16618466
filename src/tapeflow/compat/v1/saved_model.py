"""`tf.compat.v1.saved_model`: `tf.saved_model`, under the names that TensorFlow 1 has for it."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

from tapeflow.saved_model import constants as _files
from tapeflow.saved_model import load as load_v2

__all__ = ["constants", "load_v2"]

constants = SimpleNamespace(
    **{name: value for name, value in vars(_files).items() if name.isupper()},
    LEGACY_INIT_OP_KEY="legacy_init_op",
    MAIN_OP_KEY="saved_model_main_op",
)
"""The names of a SavedModel's files, and of what a graph of TensorFlow 1 runs when it is loaded."""


def __getattr__(name: str) -> Any:
    value = vars(_files).get(name)
    return getattr(importlib.import_module("tapeflow.saved_model"), name) if value is None else value
