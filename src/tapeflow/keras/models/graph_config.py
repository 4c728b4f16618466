"""A functional model as a config, in the forms of Keras 2 and 3, and back.

Keras 2 writes a call as the calls it takes its inputs from: `[layer name, call, result, kwargs]`, where the
calls of a model inside count from 1. Keras 3 writes all arguments, with dicts in the place of tensors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import TensorBase
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.graph.op_layer import TFOpLambda
from tapeflow.keras.layers.general.input_layer import InputLayer
from tapeflow.keras.layers.serialization import deserialize
from tapeflow.keras.saving.keras3_form import is_keras3_wanted
from tapeflow.keras.saving.keras3_ops import (
    function_arguments,
    is_operation,
    operation_call,
    operation_layer,
)
from tapeflow.keras.saving.registry import serialize_keras_object

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer
    from tapeflow.keras.models.functional import Functional

_CONSTANT = "_CONSTANT_VALUE"
_TENSOR = "__keras_tensor__"
_SLICE = ("start", "stop", "step")


def graph_config(model: Functional) -> dict[str, Any]:
    """The config of a functional model."""
    kept = {id(node) for node in model._calls}
    inputs = {id(x.node) for x in model.inputs}
    is_new = is_keras3_wanted()
    numbers: dict[int, int] = {}  # calls of other models with the same layer do not count
    ends: dict[int, int] = {}  # the same as model outputs have it
    for layer in model._graph_layers:
        own = [n for n in layer._inbound_nodes if id(n) in kept or id(n) in inputs]
        first = _first_number(layer)
        # Keras 3 counts from 1 only here, and only for models that are no Sequential.
        first_end = 0 if is_new and "_stack" in vars(layer) else first
        numbers.update({id(n): i + (0 if is_new else first) for i, n in enumerate(own)})
        ends.update({id(n): i + first_end for i, n in enumerate(own)})
    layers = []
    for layer in model._graph_layers:
        calls = [n for n in layer._inbound_nodes if id(n) in kept]
        if is_new:
            layers.append(_keras3_layer(layer, calls, numbers))
            continue
        config = serialize_keras_object(layer)
        inbound = [_call_config(n, numbers) for n in calls]
        layers.append({**config, "name": layer.name, "inbound_nodes": inbound})
    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": _ends(model._nested_inputs, ends, is_new),
        "output_layers": _ends(model._nested_outputs, ends, is_new),
    }


def _first_number(layer: Layer) -> int:
    """The number of a layer's first call: a model that has an Input was called by its own definition."""
    return 1 if vars(layer).get("_nested_inputs") is not None and not _is_without_input(layer) else 0


def _is_without_input(layer: Layer) -> bool:
    stack = vars(layer).get("_stack")
    return bool(stack) and not isinstance(stack[0], InputLayer)


def _ends(symbols: Any, numbers: dict[int, int], is_bare: bool) -> Any:
    references = nest.map_structure(lambda x: _Leaf(_reference(x, numbers)), symbols)
    if isinstance(references, _Leaf):
        return references.value if is_bare else [references.value]
    return nest.map_structure(lambda leaf: leaf.value, references)


def _keras3_layer(layer: Layer, calls: list[Any], numbers: dict[int, int]) -> dict[str, Any]:
    """A layer and its calls in Keras 3's form."""

    def written(leaf: object) -> Any:
        if isinstance(leaf, KerasTensor):
            config = {
                "shape": list(leaf.shape),
                "dtype": leaf.dtype.name,
                "keras_history": _reference(leaf, numbers),
            }
            return {"class_name": _TENSOR, "config": config}
        if isinstance(leaf, slice):
            return {"class_name": "__slice__", "config": {k: getattr(leaf, k) for k in _SLICE}}
        if leaf is Ellipsis:
            return {"class_name": "__ellipsis__", "config": {}}
        return _plain(leaf, numbers)

    if isinstance(layer, TFOpLambda) and len(calls) == 1:
        first, kwargs = _named_arguments(calls[0])
        name = next(iter(inspect.signature(layer.function).parameters))
        call = operation_call(layer, {name: first, **kwargs})
        if call is not None:
            config, args = call
            inbound = {"args": nest.map_structure(written, args), "kwargs": {}}
            return {**config, "inbound_nodes": [inbound]}
    inbound = [
        {"args": nest.map_structure(written, list(n.args)), "kwargs": nest.map_structure(written, n.kwargs)}
        for n in calls
    ]
    return {**serialize_keras_object(layer), "name": layer.name, "inbound_nodes": inbound}


class _Leaf:
    """A list as one leaf of a structure."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _reference(symbol: KerasTensor, numbers: dict[int, int]) -> list[Any]:
    node = symbol.node
    if node is None:
        raise ValueError(f"get_config expected symbolic tensors made by layers; got {symbol!r}.")
    return [node.layer.name, numbers.get(id(node), 0), symbol.index]


def _call_config(node: Any, numbers: dict[int, int]) -> Any:
    """A call: its first argument with references for symbols, each carrying the other arguments."""
    first, kwargs = _named_arguments(node)
    plain = nest.map_structure(lambda a: _plain(a, numbers), kwargs)

    def written(leaf: object) -> Any:
        if isinstance(leaf, KerasTensor):
            return _Leaf([*_reference(leaf, numbers), plain])
        return _Leaf([_CONSTANT, -1, _plain(leaf, numbers), plain])

    inputs = nest.map_structure(written, first)
    if isinstance(inputs, _Leaf):
        return inputs.value if isinstance(node.layer, TFOpLambda) else [inputs.value]
    return nest.map_structure(lambda leaf: leaf.value, inputs)


def _named_arguments(node: Any) -> tuple[Any, dict[str, Any]]:
    """The first argument, and the others by name."""
    function = node.layer.function if isinstance(node.layer, TFOpLambda) else node.layer.call
    names = list(inspect.signature(function).parameters)
    rest = _rest_name(function)
    if rest is not None:  # tf.einsum(equation, *inputs)
        start = max(names.index(rest), 1)
        return node.args[0], {rest: list(node.args[start:]), **node.kwargs}
    kwargs = {**dict(zip(names[1:], node.args[1:], strict=False)), **node.kwargs}
    first = node.args[0] if node.args else kwargs.pop(names[0])
    return first, kwargs


def _rest_name(function: Callable[..., Any]) -> str | None:
    """The name of the parameter that takes any number of arguments."""
    parameters = inspect.signature(function).parameters.values()
    return next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None)


def _plain(value: object, numbers: dict[int, int]) -> Any:
    if isinstance(value, KerasTensor):
        return _reference(value, numbers)
    if isinstance(value, (np.ndarray, TensorBase, np.generic)):
        return np.asarray(value).tolist()
    if isinstance(value, slice):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return getattr(value, "name", None) or serialize_keras_object(value)


def graph_from_config(
    config: dict[str, Any], custom_objects: CustomObjects = None
) -> tuple[Any, Any, list[Any]]:
    """The inputs, outputs and layers that a config describes."""
    _require_keys(config)
    configs = {c["name"]: c for c in config["layers"]}
    graph = _Graph({name: _layer(c, custom_objects) for name, c in configs.items()}, config)
    waiting = [(c, call) for c in config["layers"] for call in c["inbound_nodes"]]
    while waiting:
        left = []
        blocked: set[str] = set()  # a layer's calls are made in their order
        for layer, call in waiting:
            name = layer["name"]
            try:
                if name in blocked:
                    raise _NotYet
                args, kwargs = graph.arguments(layer, call)
            except _NotYet:
                left.append((layer, call))
                blocked.add(name)
                continue
            graph.layers[name](*args, **kwargs)
            graph.made[name].append(graph.layers[name]._inbound_nodes[-1])
        if len(left) == len(waiting):
            raise ValueError(
                "Model.from_config expected calls that follow from the inputs; got some that never can be made: "
                f"{sorted({c['name'] for c, _ in left})}."
            )
        waiting = left
    try:
        inputs = graph.ends(config["input_layers"])
        outputs = graph.ends(config["output_layers"])
    except _NotYet:
        raise ValueError(
            "Model.from_config expected inputs and outputs among the calls; got others."
        ) from None
    return inputs, outputs, list(graph.layers.values())


def _require_keys(config: Mapping[str, Any]) -> None:
    keys = ("layers", "input_layers", "output_layers")
    is_whole = isinstance(config, dict) and all(k in config for k in keys)
    layers = config["layers"] if is_whole else None
    if not isinstance(layers, list) or not all(
        isinstance(c, dict) and isinstance(c.get("name"), str) and isinstance(c.get("inbound_nodes"), list)
        for c in layers
    ):
        raise ValueError(
            "Model.from_config expected the config of a functional model, with layers that have a name and "
            f"inbound_nodes; got {str(config)[:200]}."
        )


def _layer(config: dict[str, Any], custom_objects: CustomObjects) -> Any:
    if is_operation(config):
        return operation_layer(config)
    layer = deserialize({k: config[k] for k in config if k != "inbound_nodes"}, custom_objects)
    layer._name = config["name"]
    return layer


def _is_reference(value: object) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) in (3, 4)
        and isinstance(value[0], str)
        and (isinstance(value[1], int) and not isinstance(value[1], bool))
    )


def _references(value: Any) -> Any:
    """Every reference in Keras 2's form of calls."""
    if _is_reference(value):
        yield value
        value = value[3] if len(value) == 4 else None
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _references(item)


class _NotYet(Exception):
    """A call takes a symbol that has not been made."""


class _Graph:
    """The layers of a config, and the calls of them made so far."""

    def __init__(self, layers: dict[str, Any], config: dict[str, Any]) -> None:
        self.layers = layers
        self.made: dict[str, list[Any]] = {name: [] for name in layers}
        for name, layer in layers.items():
            if layer._inbound_nodes and layer._inbound_nodes[0].is_input:
                self.made[name].append(layer._inbound_nodes[0])
        calls = {c["name"]: c["inbound_nodes"] for c in config["layers"]}
        self._is_new = any(isinstance(call, dict) and "args" in call for c in calls.values() for call in c)
        # The numbers of a model's calls begin with 1 in files of Keras; ours once began with 0.
        self._first = dict.fromkeys(layers, 0)
        ends = [config["input_layers"], config["output_layers"]]
        for name, number, *_ in _references(ends if self._is_new else [*calls.values(), *ends]):
            if name in calls and number >= max(len(calls[name]), 1):
                self._first[name] = 1

    def _symbol(self, reference: Any, first: int) -> Any:
        name, number, index = reference[:3]
        calls = self.made.get(name, [])
        if not 0 <= number - first < len(calls):
            raise _NotYet
        results = nest.flatten(calls[number - first].outputs)
        if not isinstance(index, int) or not 0 <= index < len(results):
            raise ValueError(f"Model.from_config expected a result of layer {name!r}; got number {index!r}.")
        return results[index]

    def ends(self, value: Any) -> Any:
        """The symbols that references in `input_layers` or `output_layers` stand for, in their structure."""
        if _is_reference(value):
            return self._symbol(value, self._first.get(value[0], 0))
        if isinstance(value, dict):
            return {k: self.ends(v) for k, v in value.items()}
        restored_ends = [self.ends(v) for v in value]
        return restored_ends[0] if len(restored_ends) == 1 else restored_ends

    def arguments(self, layer: dict[str, Any], call: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call."""
        if not isinstance(call, dict) or "args" not in call:
            first, kwargs = self._keras2_arguments(call)
            made = self.layers[layer["name"]]
            rest = _rest_name(made.function) if isinstance(made, TFOpLambda) else None
            return (first, *(kwargs.pop(rest, ()) if rest else ())), kwargs
        args, kwargs = self._keras3_value(call["args"]), self._keras3_value(call.get("kwargs") or {})
        if is_operation(layer):
            named = function_arguments(layer, args, kwargs)
            return (), {k: _as_index(v) if k == "slice_spec" else v for k, v in named.items()}
        # Masks are found on the symbols; Keras 3 writes them down as well.
        return tuple(args), {k: v for k, v in kwargs.items() if v is not None}

    def _keras3_value(self, value: object) -> Any:
        if isinstance(value, list):
            return [self._keras3_value(v) for v in value]
        if not isinstance(value, dict):
            return value
        kind, inner = value.get("class_name"), value.get("config")
        if kind == _TENSOR and isinstance(inner, dict) and _is_reference(inner.get("keras_history")):
            return self._symbol(inner["keras_history"], 0)
        if kind == "__slice__" and isinstance(inner, dict):
            return slice(*(inner.get(k) for k in _SLICE))
        if kind == "__ellipsis__":
            return ...
        if kind in ("__numpy__", "__tensor__") and isinstance(inner, dict):
            return np.array(inner.get("value"), dtype=inner.get("dtype"))
        return {k: self._keras3_value(v) for k, v in value.items()}

    def _keras2_arguments(self, call: Any) -> tuple[Any, dict[str, Any]]:
        kwargs: dict[str, Any] = {}

        def symbol(reference: Any) -> Any:
            return self._symbol(reference, self._first.get(reference[0], 0))

        def restored(value: Any) -> Any:
            if _is_reference(value) and len(value) == 3 and value[0] in self.layers:
                return symbol(value)
            if isinstance(value, dict):
                if set(value) == set(_SLICE):
                    return slice(*(restored(value[k]) for k in _SLICE))
                return ... if value == {"ellipsis": True} else {k: restored(v) for k, v in value.items()}
            if isinstance(value, list):
                return [restored(v) for v in value]
            return tuple(restored(v) for v in value) if isinstance(value, tuple) else value

        def read(value: Any) -> Any:
            if _is_reference(value):
                kwargs.update(value[3] if len(value) == 4 else {})
                return restored(value[2]) if value[0] == _CONSTANT else symbol(value)
            if isinstance(value, dict):
                return {k: read(v) for k, v in value.items()}
            return [read(v) for v in value]

        first = read(call)
        if isinstance(first, list) and len(first) == 1 and _is_reference(call[0]):
            first = first[0]
        options = {k: restored(v) for k, v in kwargs.items()}
        if "slice_spec" in options:
            options["slice_spec"] = _as_index(options["slice_spec"])
        return first, options


def _as_index(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value
