"""Configs as Keras 3 writes them into `.keras` files.

Ours are in the form of Keras 2: `{"class_name", "config"}`. Keras 3 adds where a class is found, has some
arguments under another name and does not know others. Reading needs nothing of this: the registry and
the classes themselves know both.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.saving.registry import serialize_keras_object

# Whether functional models write their calls as Keras 3 does.
_is_wanted: ContextVar[bool] = ContextVar("keras3_form", default=False)

# What the last part of a key says about the object there.
_KEY_FAMILIES = (
    ("initializer", "initializers"),
    ("regularizer", "regularizers"),
    ("constraint", "constraints"),
    ("optimizer", "optimizers"),
    ("learning_rate", "optimizers.schedules"),
    ("loss", "losses"),
    ("metrics", "metrics"),
)
_FAMILIES = ("layers", "initializers", "regularizers", "constraints", "losses", "metrics", "optimizers")
_RENAMED = {
    "InputLayer": {"batch_input_shape": "batch_shape"},
    "LeakyReLU": {"alpha": "negative_slope"},
}
# Arguments that Keras 3 has no more; they say nothing here either, or only what is the default.
_DROPPED = frozenset(
    {
        *("batch_input_shape", "jit_compile", "is_legacy_optimizer", "implementation", "time_major"),
        *("ragged", "fn", "dynamic", "input_length", "query_shape", "key_shape", "value_shape", "renorm"),
        *("softmax_robust_masking", "virtual_batch_size", "fused"),
    }
)
_DROPPED_IF_FALSE = ("ragged", "renorm")
_DROPPED_BY = (
    ("Conv1DTranspose", ("groups",)),
    ("Conv2DTranspose", ("groups",)),
    ("Conv3DTranspose", ("groups",)),
    ("DepthwiseConv", ("groups",)),
    ("Discretization", ("trainable",)),
    (
        "Lambda",
        ("function_type", "module", "output_shape_type", "output_shape_module", "mask_type", "mask_module"),
    ),
    ("SeparableConv", ("groups", "kernel_initializer", "kernel_regularizer", "kernel_constraint")),
    ("SpatialDropout", ("noise_shape", "trainable")),
)
# Layers that Keras 3 has not, and that are not what they were without these arguments.
_KEPT_BY = (("LocallyConnected", ("implementation",)),)
_PLACES = {
    "Functional": ("keras.src.models.functional", "Functional"),
    "Sequential": ("keras", None),
    "Custom>CustomScaleLayer": ("keras.src.applications.inception_resnet_v2", "CustomScaleLayer"),
    "LayerScale": ("keras.src.applications.convnext", "LayerScale"),
}


@contextmanager
def keras3_calls() -> Iterator[None]:
    """Have functional models write their calls as Keras 3 does."""
    token = _is_wanted.set(True)
    try:
        yield
    finally:
        _is_wanted.reset(token)


def is_keras3_wanted() -> bool:
    """Whether calls are to be written as Keras 3 does."""
    return _is_wanted.get()


def to_keras3(value: object, key: str = "") -> Any:
    """A config, or a part of one found under `key`, in Keras 3's form."""
    if isinstance(value, Mapping):
        if "class_name" in value and "config" in value and "module" not in value:
            return _object(value, key)
        return {k: to_keras3(v, key if _is_list_key(key) else k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_keras3(v, key) for v in value]
    return value


def _is_list_key(key: str) -> bool:
    return key in ("loss", "metrics", "weighted_metrics")


def _object(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    name = value["class_name"]
    if name.startswith("__"):  # a tensor, a slice: not an object
        return dict(value)
    if name in ("Policy", "PolicyV1"):
        return {**value, "class_name": "DTypePolicy", "module": "keras", "registered_name": None}
    module, registered_name = _place(name, key)
    others = {k: v for k, v in value.items() if k not in ("class_name", "config")}
    inner = value["config"]
    if isinstance(inner, Mapping):
        inner = _arguments(name, inner) if module is not None else dict(inner)
        inner = {k: to_keras3(v, k) for k, v in inner.items()}
    others.pop("__passive_serialization__", None)
    return {
        "module": module,
        "class_name": name.rpartition(">")[2],
        "config": inner,
        "registered_name": registered_name,
        **{k: v if k == "inbound_nodes" else to_keras3(v, k) for k, v in others.items()},
    }


def _arguments(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    renamed = _RENAMED.get(name, {})
    dropped = _DROPPED.union(*(keys for start, keys in _DROPPED_BY if name.startswith(start)))
    dropped = dropped.difference(*(keys for start, keys in _KEPT_BY if name.startswith(start)))
    told = {k for k in _DROPPED_IF_FALSE if config.get(k)}
    found = {renamed.get(k, k): v for k, v in config.items() if k in renamed or k in told or k not in dropped}
    if found.get("reduction") == "auto":
        found["reduction"] = "sum_over_batch_size"
    if name == "BatchNormalization" and isinstance(found.get("axis"), (list, tuple)):
        found["axis"] = found["axis"][0]
    if found.get("name", "") is None:  # of a schedule; Keras 3 wants a text, and has one
        del found["name"]
    return found


def _place(name: str, key: str) -> tuple[str | None, str | None]:
    """The module that Keras 3 has a class in, and the name it is registered under if it is a user's."""
    if name in _PLACES:
        return _PLACES[name]
    hinted = [family for end, family in _KEY_FAMILIES if key.endswith(end)]
    for family in (*hinted, *_FAMILIES):
        package: Any = tf.keras
        for part in family.split("."):
            package = getattr(package, part)
        if inspect.isclass(getattr(package, name, None)):
            return f"keras.{family}", None
    return None, name


def place_of(name: str) -> tuple[str | None, str | None]:
    """The module that Keras has a class in, and None; for a user's class no module, and its registered name."""
    if name == "Policy":
        return "keras.mixed_precision", None
    if hasattr(tf.keras.optimizers.schedules, name):
        return "keras.optimizers.schedules", None
    return _place(name, "")


def as_json(value: object, **options: Any) -> str:
    """A config as JSON; shapes, dtypes, numbers of numpy and tensors in it become what JSON has."""
    return json.dumps(value, default=_plain, **options)


def _plain(value: object) -> Any:
    if isinstance(value, (np.generic, np.ndarray, TensorBase)):
        return np.asarray(value).tolist()
    if isinstance(value, tf.TensorShape):
        return value.as_list()
    if isinstance(value, (DType, np.dtype)):
        return value.name
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if callable(getattr(value, "get_config", None)):
        return serialize_keras_object(value)
    name = getattr(value, "__name__", None)
    if name is not None:
        return name
    raise TypeError(
        f"Saving expected configs of plain values; got {value!r} of type {type(value).__name__}. Return only what "
        "JSON can hold from get_config()."
    )
