"""`Lambda`: any function as a layer.

A config holds the function's name and where it was defined. In the process that made the config the function is
found again; elsewhere a function is found among `custom_objects`, the registered ones and Keras's own, by name. A
lambda has no name: its code is in the config, and run only where that is allowed (`saving.function_body`).
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.autograph.callees import converted
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.graph.tensor_functions import tensor_function
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.saving.family import deserialize_keras_object
from tapeflow.keras.saving.function_body import body_of, function_of, is_body
from tapeflow.keras.saving.registry import get_registered_object, serialize_keras_object

# Functions that configs were made of in this process, by the token that stands for them; a token of
# another process means nothing here.
_PROCESS = uuid.uuid4().hex[:12]
_seen: dict[str, Callable[..., Any]] = {}


class Lambda(Layer):
    """Call a function with the inputs.

    A function that uses Variables should be a Layer of its own: those of a Lambda are not found, nor trained.

    Args:
        function: takes the inputs, and `mask` and `training` if it names them.
        output_shape: the shape without the batch axis, or a function of the input's shape; not needed.
        mask: the mask of the output, or a function of inputs and mask.
        arguments: further keyword arguments of the function.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Lambda(lambda x: x * 2)(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    def __init__(
        self,
        function: Any,
        output_shape: Any = None,
        mask: Callable[..., Any] | None = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(
                f"Lambda expected a function of the inputs; got function={function!r}. Pass a callable."
            )
        self.function = function
        self.arguments = dict(arguments or {})
        self.mask = mask
        self.supports_masking = mask is not None
        self._output_shape = output_shape
        named = _parameters(function)
        self._passes_training = "training" in named
        self._passes_mask = "mask" in named

    def call(self, inputs: TensorLike, mask: Tensor | None = None, training: bool | None = None) -> Tensor:
        kwargs = dict(self.arguments)
        if self._passes_mask:
            kwargs["mask"] = mask
        if self._passes_training:
            kwargs["training"] = training
        return converted(self.function)(inputs, **kwargs)

    def compute_mask(self, inputs: TensorLike, mask: Tensor | None = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            shape: Any = self._output_shape(input_shape)
            return tf.TensorShape(shape)
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        return tf.TensorShape((*tuple(first)[:1], *self._output_shape))

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **_described("function", "module", self.function)}
        config.update(_described("output_shape", "output_shape_module", self._output_shape))
        if self.mask is not None:
            config.update(_described("mask", "mask_module", self.mask))
        config["arguments"] = {k: _plain(v) for k, v in self.arguments.items()}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Lambda:
        config = dict(config)
        for key, module in (
            ("function", "module"),
            ("output_shape", "output_shape_module"),
            ("mask", "mask_module"),
        ):
            if key in config:
                kind = config.pop(f"{key}_type", "raw")
                config[key] = _found(
                    config.get("name"), key, config[key], kind, config.get(module), custom_objects
                )
            config.pop(module, None)
        config["arguments"] = {k: _restored(v) for k, v in (config.get("arguments") or {}).items()}
        return cls(**config)


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some built-in functions have none
        return []


def _described(key: str, module_key: str, value: Callable[..., Any] | None) -> dict[str, Any]:
    """What stands in a config for a function, or for a plain value."""
    if not callable(value):
        return {key: _plain(value), f"{key}_type": "raw", module_key: None}
    module = getattr(value, "__module__", None)
    name = serialize_keras_object(value)
    if not isinstance(name, str):  # an object with a config of its own
        return {key: name, f"{key}_type": "function", module_key: module}
    if get_registered_object(name) is value or _public(name) is value:
        return {key: name, f"{key}_type": "function", module_key: module}
    kind = "lambda" if name == "<lambda>" else "function"
    body = body_of(value) if kind == "lambda" else None
    if body is not None:
        return {key: {**body, "token": _token(value)}, f"{key}_type": kind, module_key: module}
    named = {"class_name": "function", "config": name, "token": _token(value)}
    return {key: named, f"{key}_type": kind, module_key: module}


def _token(function: Callable[..., Any]) -> str:
    """A text that means this function, in this process alone."""
    for token, known in _seen.items():
        if known is function:
            return token
    token = f"{_PROCESS}-{len(_seen)}"
    _seen[token] = function
    return token


def _found(
    layer: Any,
    key: str,
    value: object,
    kind: str,
    module: str | None,
    custom_objects: Mapping[str, Any] | None,
) -> Any:
    """The function that a config names; see the module's docstring for where it is looked for."""
    is_dict = isinstance(value, Mapping)
    is_named = isinstance(value, str) or (is_dict and "class_name" in value)
    if not is_named and not is_body(value, kind):
        return value
    if is_body(value, kind):
        found = _users(layer, custom_objects)
        found = found or (_seen.get(value.get("token", "")) if is_dict else None)
        return found or function_of(value, module, f"The {key} of Lambda layer {layer!r}")
    if is_dict and value.get("class_name") != "function":
        return deserialize_keras_object(value, None, custom_objects, "function in Lambda layer")
    name = value["config"] if is_dict else value
    if isinstance(name, str):
        found = _users(name, custom_objects) or (custom_objects or {}).get(layer)
        found = found or (_seen.get(value.get("token", "")) if is_dict else None) or _public(name)
        if found is not None:
            return found
    what = "a lambda" if kind == "lambda" else f"a function called {name!r}"
    raise ValueError(
        f"Lambda layer {layer!r} was saved with {what} as its {key}, whose code is not in the file, and which this "
        f"process does not know. Pass custom_objects={{{layer!r}: your_function}}, or make it a named function "
        "under @tf.keras.utils.register_keras_serializable()."
    )


def _users(name: str, custom_objects: Mapping[str, Any] | None) -> Callable[..., Any] | None:
    """The function that the user passed or registered under a name."""
    found = (custom_objects or {}).get(name) or get_registered_object(name, custom_objects)
    return found if callable(found) and not inspect.isclass(found) else None


def _public(name: str) -> Callable[..., Any] | None:
    """A function of `tf`, `tf.math` or `tf.nn`, or an activation, that only makes tensors of tensors."""
    for space in ("", "math.", "nn.", "keras.activations."):
        found = tensor_function(space + name) if "." not in name else None
        if found is not None:
            return found
    return None


def _plain(value: object) -> Any:
    """An argument in a form that JSON has."""
    if isinstance(value, np.ndarray):
        return {"type": "ndarray", "value": value.tolist()}
    return value


def _restored(value: dict[str, Any]) -> Any:
    is_array = isinstance(value, Mapping) and value.get("type") == "ndarray"
    return np.array(value["value"]) if is_array else value
