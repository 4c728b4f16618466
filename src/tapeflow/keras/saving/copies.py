"""Models in pickles: as the bytes of a `.keras` file, and the user's classes and functions by reference.

Weights are never unpickled: what a pickle of a model calls is `load_model`. Pickle itself finds classes and
functions by name and runs what a pickle says, so a pickle is for one's own processes; a `.keras` file is for
everybody.
"""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.keras.saving.model_file import save_model
from tapeflow.keras.saving.registry import get_registered_name

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

_OWN = "tapeflow."


def reduced(model: Model) -> Any:
    """What pickle is to keep of a model: how to make it again."""
    if not model.built:
        return object.__reduce_ex__(model, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.keras")
        save_model(model, path)
        return restored, (path.read_bytes(), _custom_objects(model))


def restored(data: bytes, custom_objects: dict[str, Any]) -> Any:
    """The model that `reduced` took apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.keras")
        path.write_bytes(data)
        return tf.keras.models.load_model(path, custom_objects)


def deep_copy(model: Model, memo: dict[int, Any]) -> Any:
    """A model with Variables of its own: everything it holds is copied, random counters and all."""
    copied = object.__new__(type(model))
    memo[id(model)] = copied
    for name, value in vars(model).items():
        object.__setattr__(copied, name, copy.deepcopy(value, memo))
    return copied


def _custom_objects(model: Model) -> dict[str, Any]:
    """The user's classes and functions that the model's config names."""
    found: list[Any] = []
    for layer in model._below():
        found += [type(layer), *(v for v in vars(layer).values() if isinstance(v, FunctionType))]
    for given in nest.flatten(model._compile_arguments):
        found.append(given if isinstance(given, (type, FunctionType)) else type(given))
    return {
        get_registered_name(obj): obj
        for obj in found
        if not obj.__module__.startswith(_OWN) and obj.__module__ != "builtins"
    }
