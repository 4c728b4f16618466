"""`clone_model`: the same architecture with weights of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.graph.op_layer import TFOpLambda
from tapeflow.keras.layers.general.input_layer import Input, InputLayer
from tapeflow.keras.models.functional import Functional
from tapeflow.keras.models.model import Model
from tapeflow.keras.models.sequential import Sequential

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer


def clone_model(
    model: Model, input_tensors: Any = None, clone_function: Callable[[Any], Any] | None = None
) -> Any:
    """A new model with new layers, made from the configs of the old ones.

    Args:
        model: a functional or Sequential model; a subclassed one if it has a config.
        input_tensors: symbolic inputs to build on; new ones unless given.
        clone_function: gives the new layer for an old one.
    """
    make = clone_function or _cloned
    if not isinstance(model, Model):
        raise ValueError(f"clone_model expected a Model; got model={model!r}.")
    if isinstance(model, Sequential):
        layers = [
            make(layer) if not isinstance(layer, InputLayer) else _cloned(layer) for layer in model._stack
        ]
        if input_tensors is not None:
            layers = [nest.flatten(input_tensors)[0], *[x for x in layers if not isinstance(x, InputLayer)]]
        clone = type(model)(layers, name=model.name)
        if model.built and not clone.built:
            clone.build(model._known_input_shape)
        return clone
    if not isinstance(model, Functional):
        if clone_function is not None:
            raise ValueError(
                "clone_model expected a Functional or Sequential model where clone_function is given; got a "
                f"subclassed model {type(model).__name__}, whose layers only its own code knows."
            )
        return type(model).from_config(model.get_config())
    return _clone_graph(model, input_tensors, make)


def _clone_graph(model: Functional, input_tensors: Any, make: Callable[[Any], Any]) -> Any:
    given = (
        nest.flatten(input_tensors) if input_tensors is not None else [_new_input(x) for x in model.inputs]
    )
    symbols = {id(old): new for old, new in zip(model.inputs, given, strict=True)}
    layers: dict[int, Any] = {}

    def value(leaf: object) -> Any:
        return symbols[id(leaf)] if isinstance(leaf, KerasTensor) else leaf

    for node in model._calls:
        layer = layers.get(id(node.layer))
        if layer is None:
            cloned = node.layer.copied() if isinstance(node.layer, TFOpLambda) else make(node.layer)
            layer = layers[id(node.layer)] = cloned
        args, kwargs = nest.map_structure(value, (node.args, node.kwargs))
        results = layer(*args, **kwargs)
        for old, new in zip(nest.flatten(node.outputs), nest.flatten(results), strict=False):
            symbols[id(old)] = new
    inputs, outputs = nest.map_structure(value, (model._nested_inputs, model._nested_outputs))
    return Functional(inputs, outputs, name=model.name)


def _new_input(symbol: KerasTensor) -> KerasTensor:
    return Input(batch_shape=tuple(symbol.shape), dtype=symbol.dtype, name=symbol.name)


def _cloned(layer: Layer) -> Any:
    return type(layer).from_config(layer.get_config())
