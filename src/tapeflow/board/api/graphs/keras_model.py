"""The layers of a Keras model, from the JSON that its TensorBoard callback logs: ours, Keras 2's or Keras 3's.

Layers are nodes, models inside models are scopes. What goes into a layer stands in its inbound nodes: in Keras 3
with shapes; in Keras 2 without, so there they are inferred from the input's on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from tapeflow.board.api.graphs.graph_def import (
    MOST_NODES,
    NOTES,
    Edge,
    Graph,
    Node,
    shown_shape,
    unique_name,
)
from tapeflow.board.api.graphs.layer_shapes import Shape, output_shape, shape_in
from tapeflow.board.api.graphs.layer_sizes import parameter_count

MOST_BYTES = 32 << 20
_DEEPEST = 60


class _Source(NamedTuple):
    """Which tensor goes in: the name of a layer, which of its outputs, and its shape if the file says so."""

    layer: str
    tensor: int
    shape: Shape | None


class _Place(NamedTuple):
    """A layer or model: the nodes that take its inputs, and those that give its outputs."""

    inputs: list[int]
    outputs: list[int]


def model_graph(data: bytes) -> Graph:
    """The graph of a model's JSON.

    Raises:
        ValueError: it is none, or larger than any model is.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"a model in {len(data)} bytes of JSON; at most {MOST_BYTES} are read")
    try:
        config = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not the JSON of a model: {error}") from None
    builder = _Builder()
    builder.model(_dict(config), "", None, 0)
    return builder.finish()


class _Builder:
    def __init__(self) -> None:
        self.graph = Graph()
        self.taken: dict[str, int] = {}
        self.shapes: dict[int, Shape] = {}
        self.inputs: dict[int, list[int]] = {}
        self.built: dict[int, Shape | None] = {}  # the shapes that layers were built for, if the file says so

    def model(self, layer: dict[str, Any], scope: str, before: int | None, depth: int) -> _Place:
        """The layers of a model; `before` gives what goes into one that is a link of a chain."""
        config = _dict(layer.get("config"))
        layers = [_dict(one) for one in _list(config.get("layers"))]
        places: dict[str, _Place] = {}
        is_chain = not any("inbound_nodes" in one for one in layers)
        last = before
        waiting: list[tuple[_Place, list[_Source]]] = []
        for one in layers:
            name = _name(one)
            if len(self.graph.nodes) >= MOST_NODES:
                self.graph.problems.append(NOTES("layers_cut", n=MOST_NODES))
                break
            inner = _dict(one.get("config"))
            if isinstance(inner.get("layers"), list) and depth < _DEEPEST:
                place = self.model(one, f"{scope}{name}/", last if is_chain else None, depth + 1)
            else:
                node = self._node(one, f"{scope}{name}")
                place = _Place([node], [node])
                if is_chain and last is not None:
                    self._connect(last, node)
            places[name] = place
            if not is_chain:
                waiting.append((place, list(_sources(one.get("inbound_nodes")))))
            elif place.outputs:
                last = place.outputs[-1]
        for place, sources in waiting:
            self._link(place, sources, places)
        ends = [places[s.layer] for s in _sources(config.get("output_layers")) if s.layer in places]
        starts = [places[s.layer] for s in _sources(config.get("input_layers")) if s.layer in places]
        every = list(places.values())
        return _Place(
            [node for place in starts or every[:1] for node in place.inputs],
            [node for place in ends or every[-1:] for node in place.outputs],
        )

    def _node(self, layer: dict[str, Any], name: str) -> int:
        unique = unique_name(name, self.taken)
        config = _dict(layer.get("config"))
        built = _dict(layer.get("build_config")).get("input_shape", config.get("batch_input_shape"))
        self.built[len(self.graph.nodes)] = shape_in(built)
        node = Node(unique, _text(layer.get("class_name")) or "Layer", dtype=_dtype(config), content=config)
        self.graph.nodes.append(node)
        self.graph.total += 1
        return len(self.graph.nodes) - 1

    def _link(self, place: _Place, sources: list[_Source], places: dict[str, _Place]) -> None:
        for number, source in enumerate(sources):
            outputs = places[source.layer].outputs if source.layer in places else []
            if not outputs or not place.inputs:
                self.graph.lost += 1
                continue
            given = outputs[min(source.tensor, len(outputs) - 1)]
            if source.shape is not None:
                self.shapes.setdefault(given, source.shape)
            # A model takes its inputs in order; a layer takes them all.
            self._connect(given, place.inputs[min(number, len(place.inputs) - 1)])

    def _connect(self, source: int, target: int) -> None:
        self.graph.edges.append(Edge(source, target, "", False))
        self.inputs.setdefault(target, []).append(source)

    def finish(self) -> Graph:
        """Infer what the file does not say. Layers come after those they use, but for shared ones: hence twice."""
        nodes = self.graph.nodes
        for _ in range(2):
            for place, node in enumerate(nodes):
                if place not in self.shapes:
                    found = output_shape(node.op, node.content, self._given(place))
                    if found is not None:
                        self.shapes[place] = found
        for place, node in enumerate(nodes):
            node.parameters = parameter_count(node.op, node.content, self._given(place))
            node.shapes = [shown_shape(self.shapes[place])] if place in self.shapes else []
        for edge in self.graph.edges:
            edge.shape = next(iter(nodes[edge.source].shapes), "")
        return self.graph

    def _given(self, place: int) -> list[Shape | None]:
        """The shapes of what goes into a layer."""
        found = [self.shapes.get(source) for source in self.inputs.get(place, [])]
        return found if any(shape is not None for shape in found) else [self.built[place]]


def _sources(found: Any, depth: int = 0) -> Iterator[_Source]:
    """The tensors named in inbound nodes, or in the inputs and outputs of a model, however they are nested."""
    if depth > _DEEPEST:
        return
    if isinstance(found, dict):
        history = _dict(found.get("config")).get("keras_history")
        if isinstance(history, list) and _is_reference(history):
            shape = shape_in(_dict(found["config"]).get("shape"))
            yield _Source(history[0], max(history[2], 0), shape)
            return
        for value in found.values():
            yield from _sources(value, depth + 1)
    elif isinstance(found, list):
        if _is_reference(found):
            yield _Source(found[0], max(found[2], 0), None)
            found = found[3:]  # further tensors may be among the keyword arguments
        for value in found:
            yield from _sources(value, depth + 1)


def _is_reference(found: list[Any]) -> bool:
    return len(found) >= 3 and isinstance(found[0], str) and all(type(one) is int for one in found[1:3])


def _name(layer: dict[str, Any]) -> str:
    config = _dict(layer.get("config"))
    return _text(layer.get("name")) or _text(config.get("name")) or _text(layer.get("class_name")) or "layer"


def _dtype(config: dict[str, Any]) -> str:
    dtype = config.get("dtype")
    if isinstance(dtype, dict):  # a policy
        dtype = _dict(dtype.get("config")).get("name")
    return _text(dtype)[:100]


def _dict(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""
