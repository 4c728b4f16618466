"""Models without weights, from configs: `model_from_json` and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.layers.serialization import deserialize
from tapeflow.keras.models.kinds import AnyModel
from tapeflow.keras.saving.archive import parsed
from tapeflow.keras.saving.config_errors import telling_config
from tapeflow.keras.saving.function_body import code_allowed, is_code_allowed
from tapeflow.keras.saving.keras3_form import as_json
from tapeflow.keras.saving.layer_groups import BACKEND, KERAS_VERSION
from tapeflow.keras.saving.registry import custom_object_scope, serialize_keras_object

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model


def to_json(model: Model, **options: Any) -> str:
    """A model's architecture as JSON, in Keras 2's form; `options` are those of `json.dumps`."""
    config = serialize_keras_object(model)
    return as_json({**config, "keras_version": KERAS_VERSION, "backend": BACKEND}, **options)


def model_from_config(config: str | Mapping[str, Any], custom_objects: CustomObjects = None) -> Any:
    """The model that a config describes: `{"class_name", "config"}`, as `to_json` has it.

    Args:
        config: of Keras 2 or 3.
        custom_objects: classes and functions of your own, by name.
    """
    if isinstance(config, list):
        raise TypeError(
            f"`model_from_config` expects a dictionary, not a list. Received: config={config}. Did you mean to use "
            "`Sequential.from_config(config)`?"
        )
    if not isinstance(config, dict) or "class_name" not in config or "config" not in config:
        raise ValueError(
            f"model_from_config expected a dict with `class_name` and `config`; got config={str(config)[:100]}."
        )
    with custom_object_scope(custom_objects or {}):
        return made_from_config(config, custom_objects)


def model_from_json(json_string: str, custom_objects: CustomObjects = None) -> Any:
    """The model that `Model.to_json` described, with new weights.

    Args:
        json_string: what `to_json` gave, of Keras 2 or 3 too.
        custom_objects: classes and functions of your own, by name.
    """
    return model_from_config(parsed(json_string, "the given JSON"), custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: CustomObjects = None) -> NoReturn:
    """Refused, as Keras does: YAML can run code.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        "Method `model_from_yaml()` has been removed due to security risk of arbitrary code execution. Please use "
        "`Model.to_json()` and `model_from_json()` instead."
    )


def made_from_config(config: dict[str, Any], custom_objects: CustomObjects = None) -> Any:
    """The model of a config of any version, built if the config knows for which input."""
    from tapeflow.keras.utils.feature_space import FeatureSpace  # start-up

    damaged = "the config of a model; got one that no model can be made of"
    with telling_config(damaged, "It may be damaged: use another copy."), code_allowed(is_code_allowed()):
        model = deserialize(config, custom_objects)
        if not isinstance(model, (AnyModel, FeatureSpace)):
            raise ValueError(f"Loading expected the config of a model; got that of a {type(model).__name__}.")
        shape = (config.get("build_config") or {}).get("input_shape")
        if not model.built and shape is not None:
            model.build(_as_shape(shape))
    return model


def _as_shape(value: Any) -> Any:
    """A shape that JSON made lists of: tuples again, in lists and dicts if there are several."""
    if isinstance(value, dict):
        return {k: _as_shape(v) for k, v in value.items()}
    if all(d is None or isinstance(d, int) for d in value):
        return tuple(value)
    return [_as_shape(v) for v in value]
