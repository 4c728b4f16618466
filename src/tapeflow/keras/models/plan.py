"""The order in which a functional model makes its calls, and the making of them."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values import nest
from tapeflow.keras.graph.call_node import CallNode
from tapeflow.keras.graph.keras_tensor import KerasTensor


class Network:
    """What lies between symbolic inputs and outputs, in Keras's order, on which that of weights depends.

    Calls and layers come by their distance from the outputs, farthest first; layers at one distance in the
    order in which a walk from the outputs meets them.

    Args:
        inputs: results of Input layers.
        outputs: symbols computed from them.

    Raises:
        ValueError: an output depends on an Input that is not among `inputs`.
    """

    def __init__(self, inputs: list[KerasTensor], outputs: list[KerasTensor]) -> None:
        met: dict[int, int] = {}  # by layer
        order = walk(inputs, outputs, met)
        depths: dict[int, int] = {}
        of_layers: dict[int, tuple[Any, int]] = {}
        for node in reversed(order):
            # All calls of a shared layer are as far away as the farthest so far.
            depth = max(depths.get(id(node), 0), of_layers.get(id(node.layer), (None, 0))[1])
            depths[id(node)] = depth
            of_layers[id(node.layer)] = (node.layer, depth)
            for parent in node.parents:
                depths[id(parent)] = max(depth + 1, depths.get(id(parent), 0))
        for x in inputs:
            if x.node is not None and id(x.node.layer) not in of_layers:
                of_layers[id(x.node.layer)] = (x.node.layer, 0)
        self.calls = sorted([n for n in order if not n.is_input], key=lambda n: -depths[id(n)])
        ranked = sorted(of_layers.values(), key=lambda pair: (-pair[1], met.get(id(pair[0]), -1)))
        self.layers: list[Any] = [layer for layer, _ in ranked]


def walk(inputs: list[KerasTensor], outputs: list[KerasTensor], met: dict[int, int]) -> list[CallNode]:
    """The calls between symbols, each after those it takes its inputs from; those of Inputs too.

    Args:
        inputs: where to stop.
        outputs: where to begin.
        met: filled with the number of each layer, by its id, in the order they were met.
    """
    given = {id(x) for x in inputs}
    ends = {id(x) for x in inputs if x.node is not None and not x.node.is_input}
    visited: set[int] = set()
    order: list[CallNode] = []
    stack: list[tuple[Any, bool]] = [(x.node, False) for x in reversed(outputs) if id(x) not in ends]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
            continue
        if id(node) in visited:
            continue
        visited.add(id(node))
        met.setdefault(id(node.layer), len(met))
        if node.is_input and id(node.outputs) not in given:
            raise ValueError(
                f'Graph disconnected: cannot obtain value for tensor {node.outputs!r} at layer "{node.layer.name}". '
                "The following previous layers were accessed without issue: "
                f"{[n.layer.name for n in order]}. Add that Input to the model's inputs."
            )
        stack.append((node, True))
        stack.extend((x.node, False) for x in reversed(node.inputs) if id(x) not in ends)
    return order


class Plan:
    """A graph's calls with places for their values, so that running it looks nothing up."""

    def __init__(
        self,
        calls: list[CallNode],
        inputs: list[KerasTensor],
        outputs: list[KerasTensor],
        extra: list[Any] | None = None,
    ) -> None:
        self.extra = extra or []
        places: dict[int, int] = {id(x): i for i, x in enumerate(inputs)}
        self._steps: list[tuple[Any, Any, Any]] = []
        for node in calls:
            is_plain = len(node.args) == 1 and not node.kwargs and isinstance(node.args[0], KerasTensor)
            arguments = places[id(node.args[0])] if is_plain else _placed(node, places)
            symbols = nest.flatten(node.outputs)
            for symbol in symbols:
                if isinstance(symbol, KerasTensor):
                    places.setdefault(id(symbol), len(places))
            results = [places[id(s)] if isinstance(s, KerasTensor) else None for s in symbols]
            self._steps.append((node.layer, arguments, results))
        self._size = len(places)
        self._outputs = [places[id(x)] for x in outputs]

    def run(self, inputs: list[Any]) -> list[Any]:
        """The outputs for these inputs."""
        values: list[Any] = inputs + [None] * (self._size - len(inputs))
        for layer, arguments, results in self._steps:
            if type(arguments) is int:
                outputs = layer(values[arguments])
            else:
                args, kwargs = nest.map_structure(
                    lambda a, values=values: values[a.index] if type(a) is _Place else a, arguments
                )
                outputs = layer(*args, **kwargs)
            if len(results) == 1:
                values[results[0]] = outputs if not nest.is_nested(outputs) else nest.flatten(outputs)[0]
                continue
            # A class with a `__call__` of its own may hand on only the first results of the call inside it.
            for place, value in zip(results, nest.flatten(outputs), strict=False):
                if place is not None:
                    values[place] = value
        return [values[i] for i in self._outputs]


class _Place:
    """Where an argument's value is found."""

    def __init__(self, index: int) -> None:
        self.index = index


def _placed(node: CallNode, places: dict[int, int]) -> Any:
    return nest.map_structure(
        lambda a: _Place(places[id(a)]) if isinstance(a, KerasTensor) else a, (node.args, node.kwargs)
    )
