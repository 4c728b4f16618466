"""What Keras keeps in a SavedModel of a model: the kinds and configs of layers, from which it makes the model again."""

from __future__ import annotations

import json
from typing import Any

from tapeflow.engine.values.annotations import ShapeLike
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers import RNN, InputLayer, Layer, MultiHeadAttention
from tapeflow.keras.metrics import Metric
from tapeflow.keras.models.kinds import AnyFunctional, AnyModel, AnySequential
from tapeflow.keras.optimizers import Optimizer
from tapeflow.keras.saving.keras3_form import as_json
from tapeflow.keras.saving.registry import serialize_keras_object
from tapeflow.keras.saving.training_state import keras2_optimizer
from tapeflow.saved_model.object_graph import ObjectGraph
from tapeflow.summary.protos import message

FILE = "keras_metadata.pb"
_GENERIC = "_generic_user_object"
_VERSION = {"producer": 2, "min_consumer": 1}


def identifier_of(value: object) -> str:
    """What TensorFlow calls the kind of an object."""
    if isinstance(value, (list, tuple)):
        return "trackable_list_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    if isinstance(value, AnySequential):
        return "_tf_keras_sequential"
    if isinstance(value, AnyFunctional):
        return "_tf_keras_network"
    if isinstance(value, AnyModel):
        return "_tf_keras_model"
    if isinstance(value, InputLayer):
        return "_tf_keras_input_layer"
    if isinstance(value, RNN):
        return "_tf_keras_rnn_layer"
    if isinstance(value, Layer):
        return "_tf_keras_layer"
    if isinstance(value, Metric):
        return _GENERIC
    return "experimentalOptimizer" if isinstance(value, Optimizer) else _GENERIC


def has_metadata(model: Any) -> bool:
    """Whether Keras can make a model again: one that is a graph of layers."""
    return isinstance(model, AnyFunctional)


def metadata(objects: ObjectGraph, model: Any, training: dict[str, Any] | None) -> bytes:
    """The bytes of `keras_metadata.pb`.

    Args:
        objects: the objects of the SavedModel, of which `model` is the first.
        model: a graph of layers.
        training: how it was compiled, as Keras 2 describes it; None if it was not.
    """
    found = message("SavedMetadata")()
    parts: dict[int, Any] = {}
    for _, value in objects.numbered():
        if isinstance(value, MultiHeadAttention):
            parts.update(_parts_of_attention(value))
    for number, value in objects.numbered():
        if isinstance(value, Variable) or not isinstance(value, Layer):
            continue
        path = objects.path(number)
        try:
            text = as_json(_described(value, training if value is model else None))
        except NotImplementedError:  # a part of a layer, which the layer makes again
            if value is model:
                raise
            text = as_json(_part(value, parts.get(id(value))))
        node = found.nodes.add(
            node_id=number, node_path=".".join(["root", *path.split("/")] if path else ["root"])
        )
        node.identifier, node.metadata = identifier_of(value), text
        node.version.producer, node.version.min_consumer = _VERSION["producer"], _VERSION["min_consumer"]
    return found.SerializeToString(deterministic=True)


def _described(layer: Any, training: dict[str, Any] | None) -> dict[str, Any]:
    serialized = serialize_keras_object(layer)
    if serialized["config"].get("softmax_robust_masking") is False:  # which Keras 2 does not know
        serialized["config"].pop("softmax_robust_masking")
    dtype = getattr(layer, "dtype", None)
    found: dict[str, Any] = {
        "name": layer.name,
        "trainable": bool(layer.trainable),
        "dtype": dtype if isinstance(dtype, str) or dtype is None else getattr(dtype, "name", str(dtype)),
        "batch_input_shape": None,
        "stateful": bool(getattr(layer, "stateful", False)),
        "must_restore_from_config": False,
        "preserve_input_structure_in_config": False,
        "autocast": not isinstance(layer, AnyModel),
        "expects_training_arg": True,
        "class_name": serialized["class_name"],
        "config": serialized["config"],
    }
    if isinstance(layer, InputLayer):
        shape = serialized["config"].get("batch_input_shape")
        return {
            "class_name": "InputLayer",
            "name": layer.name,
            "dtype": found["dtype"],
            "sparse": False,
            "ragged": False,
            "batch_input_shape": None if shape is None else _tuple(shape),
            "config": serialized["config"],
        }
    shape = _input_shape(layer)
    if shape is not None:
        found["build_input_shape"] = shape
    if isinstance(layer, AnyModel):
        found["is_graph_network"] = has_metadata(layer)
        found["backend"], found["keras_version"] = "tensorflow", "2.11.0"
    if training is not None:
        found["training_config"] = training
    return found


def _parts_of_attention(layer: Any) -> dict[int, Any]:
    """The shapes that the projections of an attention are built for."""
    query, key, value = (list(s) for s in (layer._query_shape, layer._key_shape, layer._value_shape))
    config = layer.get_config()
    joined = [*query[:-1], config["num_heads"], config["value_dim"] or config["key_dim"]]
    given = [
        (layer._query_dense, query),
        (layer._key_dense, key),
        (layer._value_dense, value),
        (layer._output_dense, joined),
    ]
    return {id(part): {"class_name": "TensorShape", "items": shape} for part, shape in given}


def _part(layer: Any, shape: ShapeLike) -> dict[str, Any]:
    """What is to be said of a layer that another one makes: the shape to build it for."""
    found = {
        "class_name": "EinsumDense",
        "name": layer.name,
        "trainable": bool(layer.trainable),
        "config": None,
    }
    shape = shape or _input_shape(layer)
    return found if shape is None else {**found, "build_input_shape": shape}


def _input_shape(layer: Any) -> Any:
    """The shape, or shapes, that a layer was built for, as Keras 2 writes it; None if that is not known."""
    try:
        shape = layer.input_shape
    except (AttributeError, RuntimeError, ValueError):  # it is called several times, or by another layer
        shape = None
    shape = vars(layer).get("_build_input_shape") if shape is None else shape
    if _is_shape(shape):
        return {"class_name": "TensorShape", "items": list(shape)}
    if isinstance(shape, (list, tuple)) and all(map(_is_shape, shape)):
        return [{"class_name": "TensorShape", "items": list(part)} for part in shape]
    return None


def _tuple(shape: Any) -> dict[str, Any]:
    items = shape["items"] if isinstance(shape, dict) else shape
    return {"class_name": "__tuple__", "items": list(items)}


def _is_shape(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(d is None or isinstance(d, int) for d in value)


def training_config(model: Any, compiled: dict[str, Any]) -> dict[str, Any]:
    """How a model was compiled, as Keras 2 describes it."""
    found = json.loads(as_json(compiled))
    optimizer = found.pop("optimizer", None)
    if optimizer is not None:
        found["optimizer_config"] = keras2_optimizer(optimizer, model.optimizer)
    return {
        key: found.get(key)
        for key in ("loss", "metrics", "weighted_metrics", "loss_weights", "optimizer_config")
    }
