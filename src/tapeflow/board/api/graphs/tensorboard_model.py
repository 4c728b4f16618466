"""A Keras model as the GraphDef that TensorBoard makes of it, which its route of conceptual graphs gives.

It is not what the page shows: like TensorBoard's, it knows only the inbound nodes of Keras 3, and no shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow.summary.event_files.tensors import STRING, TYPE_NUMBERS
from tapeflow.summary.protos import message

_DEEPEST = 60
_OTHER_TYPES = {"half": "float16", "float": "float32", "double": "float64"}


class NotAModel(ValueError):
    """A config that is no Keras model's."""


def conceptual_graph(config: Any) -> Any:
    """A GraphDef with a node for each layer.

    Raises:
        NotAModel: the config is not what `model.to_json` gives.
    """
    try:
        return _Conversion().run(config)
    except (AttributeError, TypeError, KeyError, IndexError, ValueError) as error:
        raise NotAModel(f"not a Keras model: {error}") from None


class _Conversion:
    def __init__(self) -> None:
        self.graph = message("GraphDef")()
        self.entrances: dict[str, str] = {}  # input layers of models inside, and what feeds them
        self.exits: dict[str, list[str]] = {}  # models inside, and their output layers
        self.previous: str | None = None

    def run(self, config: Any) -> Any:
        for scope, layer in _walk(config, 0):
            if layer["config"].get("layers") is not None:
                self._enter(scope, layer)
            else:
                self._add(scope, layer)
        return self.graph

    def _enter(self, scope: str, model: Any) -> None:
        config = model["config"]
        if not config["layers"]:
            raise NotAModel("a model without layers")
        name = _joined(scope, config.get("name"))
        entrances, exits = config.get("input_layers"), config.get("output_layers")
        inbound = list(_inbound(model))
        is_functional = bool(entrances and exits)
        if inbound and is_functional:
            for entrance, source in zip(entrances, inbound, strict=False):
                self.entrances[_joined(name, entrance)] = _joined(scope, source[0])
        elif inbound:
            self.previous = _joined(scope, inbound[0][0])
        elif self.previous and is_functional:
            self.entrances[_joined(name, entrances[0])] = self.previous
        if is_functional:
            ends = exits if isinstance(exits[0], list) else [exits]
            self.exits[name] = [_joined(name, end[0]) for end in ends]
        else:
            self.exits[name] = [_joined(name, config["layers"][-1]["config"].get("name"))]

    def _add(self, scope: str, layer: Any) -> None:
        config = layer["config"]
        node = self.graph.node.add(name=_joined(scope, config.get("name")))
        if layer.get("class_name") is not None:
            node.attr["keras_class"].s = layer["class_name"].encode("ascii")
        dtype = config.get("dtype")
        if isinstance(dtype, dict) and "config" in dtype:
            dtype = dtype["config"].get("name")
        number = _type_number(dtype)
        if number:
            node.attr["dtype"].type = number
        if layer.get("inbound_nodes") is not None:
            for name, _, index in _inbound(layer):
                source = _joined(scope, name)
                ends = self.exits.get(source, [source])
                node.input.append(ends[index] if index < len(ends) else ends[-1])
        elif self.previous is not None:
            node.input.append(self.previous)
        if node.name in self.entrances:
            node.input.append(self.entrances[node.name])
        self.previous = node.name


def _walk(layer: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Every layer with its scope, models before what is in them."""
    yield "", layer
    inner = layer["config"].get("layers")
    if not inner:
        return
    if depth > _DEEPEST:
        raise NotAModel(f"models more than {_DEEPEST} deep inside each other")
    name = layer["config"].get("name")
    for one in inner:
        for scope, found in _walk(one, depth + 1):
            yield f"{name}/{scope}" if scope else name, found


def _inbound(layer: Any) -> Iterator[list[Any]]:
    for call in layer.get("inbound_nodes") or []:
        for given in call.get("args", []) if isinstance(call, dict) else []:
            for one in given if isinstance(given, list) else [given]:
                history = one.get("config", {}).get("keras_history", [])
                if len(history) >= 3:
                    yield history[:3]


def _joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


def _type_number(dtype: Any) -> int:
    name = _OTHER_TYPES.get(dtype, dtype) if isinstance(dtype, str) else ""
    return STRING if name == "string" else TYPE_NUMBERS.get(name, 0)
