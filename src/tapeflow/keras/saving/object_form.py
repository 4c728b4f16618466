"""`tf.keras.saving.serialize_keras_object`: configs that say where a class is found and what it is registered as.

This is the form of Keras 2.12 and later, `{"module", "class_name", "config", "registered_name"}`; tensors, arrays,
bytes and specs have forms of their own. `tf.keras.utils` has the older form, which `registry` writes. Both are read.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.dtypes import DType
from tapeflow.keras.saving import family
from tapeflow.keras.saving.function_body import body_of
from tapeflow.keras.saving.keras3_form import place_of
from tapeflow.keras.saving.registry import (
    PASSIVE,
    get_registered_name,
    get_registered_object,
    has_config,
)

_PLAIN = (str, int, float, bool, type(None))


def serialize_keras_object(obj: Any) -> Any:
    """An object, or a structure with objects in it, as something JSON can hold.

    >>> config = tf.keras.saving.serialize_keras_object(tf.keras.regularizers.L2(0.5))
    >>> config["module"], config["class_name"], config["config"]
    ('keras.regularizers', 'L2', {'l2': 0.5})
    """
    if isinstance(obj, _PLAIN):
        return obj
    if isinstance(obj, (list, tuple)):
        parts = [serialize_keras_object(part) for part in obj]
        return tuple(parts) if isinstance(obj, tuple) else parts
    if isinstance(obj, Mapping):
        return _with_module({key: serialize_keras_object(part) for key, part in obj.items()})
    value = _value(obj)
    if value is not None:
        return value
    if has_config(obj) and not inspect.isclass(obj):
        return _described(obj)
    if getattr(obj, "__name__", None) == "<lambda>":
        body = body_of(obj)
        if body is not None:
            return body
    name = getattr(obj, "__name__", None)
    if name is None or inspect.isclass(obj):
        raise TypeError(
            f"Cannot serialize object {obj} of type {type(obj)}. To be serializable, a class must implement the "
            "`get_config()` method."
        )
    return {
        "module": "builtins",
        "class_name": "function",
        "config": get_registered_name(obj),
        "registered_name": "function",
    }


def _value(obj: Any) -> Any:
    """What stands for bytes, arrays, tensors, shapes, dtypes and specs; None for anything else."""
    if isinstance(obj, bytes):
        return {"class_name": "__bytes__", "config": {"value": obj.decode("utf-8")}}
    if isinstance(obj, tf.TensorShape):
        return None if obj.rank is None else obj.as_list()
    if isinstance(obj, (DType, np.dtype)):
        return obj.name
    if isinstance(obj, tf.Tensor):
        return _numbers("__tensor__", obj.numpy())
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, np.ndarray):
        return _numbers("__numpy__", obj) if obj.ndim else obj.item()
    if isinstance(obj, tf.TensorSpec):
        return {
            "class_name": "__typespec__",
            "spec_name": "TensorSpec",
            "module": "tensorflow",
            "config": [obj.shape.as_list(), obj.dtype.name, obj.name],
            "registered_name": None,
        }
    return None


def _numbers(kind: str, array: np.ndarray) -> dict[str, Any]:
    return {"class_name": kind, "config": {"value": array.tolist(), "dtype": array.dtype.name}}


def _described(obj: Any) -> dict[str, Any]:
    """An object by its class and the arguments that make it."""
    kind = type(obj)
    name = get_registered_name(kind)
    module, registered_name = (
        place_of(name) if kind.__module__.startswith("tapeflow.") else (kind.__module__, name)
    )
    return {
        "module": module,
        "class_name": kind.__name__,
        "config": {key: serialize_keras_object(part) for key, part in obj.get_config().items()},
        "registered_name": registered_name,
    }


def _with_module(config: dict[str, Any]) -> dict[str, Any]:
    """A config inside another one, which may be in the older form, with what it lacks."""
    if (
        not {"class_name", "config"} <= set(config)
        or "module" in config
        or config["class_name"].startswith("__")
    ):
        return config
    module, registered_name = place_of(config["class_name"])
    others = {key: part for key, part in config.items() if key != PASSIVE}
    return {"module": module, **others, "registered_name": registered_name}


def deserialize_keras_object(
    config: Any, custom_objects: Mapping[str, Any] | None = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """The object that `serialize_keras_object` described, or the objects of a structure.

    Args:
        config: what it gave, or a config in the older form.
        custom_objects: classes and functions of yours by name, which come first.
        safe_mode: whether to refuse Python code in it; pass False for what you trust.
        kwargs: `module_objects` and `printable_module_name`, as `tf.keras.utils.deserialize_keras_object` takes them.
    """
    if config is None or isinstance(config, (bool, int, float)):
        return config
    if isinstance(config, str) and "module_objects" not in kwargs:
        found = get_registered_object(config, custom_objects)
        return config if found is None else found
    if isinstance(config, Mapping) and "class_name" not in config:
        return {key: _part(part, custom_objects, safe_mode) for key, part in config.items()}
    if isinstance(config, (list, tuple)):
        return type(config)([_part(part, custom_objects, safe_mode) for part in config])
    if isinstance(config, Mapping):
        given = config.get("config")
        match config["class_name"]:
            case "__bytes__" if isinstance(given, Mapping):
                return str(given["value"]).encode("utf-8")
            case "__tensor__" if isinstance(given, Mapping):
                return tf.constant(given["value"], dtype=given["dtype"])
            case "__numpy__" if isinstance(given, Mapping):
                return np.array(given["value"], dtype=given["dtype"])
            case "__typespec__" if config.get("spec_name") == "TensorSpec" and isinstance(given, list):
                return tf.TensorSpec(*given)
            case _:
                pass
    return family.deserialize_keras_object(
        config, custom_objects=custom_objects, safe_mode=safe_mode, **kwargs
    )


def _part(part: Any, custom_objects: Mapping[str, Any] | None, safe_mode: bool) -> Any:
    """A part of a structure: texts are texts there, and name nothing."""
    return part if isinstance(part, str) else deserialize_keras_object(part, custom_objects, safe_mode)
