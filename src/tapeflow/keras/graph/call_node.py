"""`CallNode`: one call of a layer on symbolic tensors, and how a config writes it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.keras.graph import op_layer as op_layer  # gives symbols their operators
from tapeflow.keras.graph.composite_tensor import symbol_like
from tapeflow.keras.graph.followers import follow
from tapeflow.keras.graph.inference import Result, infer
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.graph.op_names import op_name

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer


class CallNode:
    """A layer, the arguments of a call, and the KerasTensors that stand for what it gives."""

    def __init__(
        self, layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any = None
    ) -> None:
        self.layer = layer
        self.args = args
        self.kwargs = kwargs
        self.node_index = len(layer._inbound_nodes)
        self.is_input = outputs is not None
        self.outputs: Any = outputs
        self.inputs = [a for a in nest.flatten((args, kwargs)) if isinstance(a, KerasTensor)]
        if outputs is None:
            self.outputs = self._named(infer(layer, args, kwargs))
        layer._inbound_nodes.append(self)
        for node in self.parents:
            follow(node.layer, self)

    def _named(self, results: Any) -> Any:
        flat = nest.flatten(results)
        known = op_name(self.layer)
        outputs = []
        for i, result in enumerate(flat):
            if isinstance(result, Result):
                last = f"output_{i}:0" if known is None else f"{known}:{i}"
                symbol = symbol_like(result.type_spec, f"{self.layer.name}/{last}", self, i)
                symbol.samples = result.samples
                outputs.append(symbol)
            else:
                outputs.append(result)
        return nest.pack_sequence_as(results, outputs)

    @property
    def parents(self) -> list[CallNode]:
        """The calls whose results this one takes."""
        return [x.node for x in self.inputs if x.node is not None]

    @property
    def outbound_layer(self) -> Any:
        """The layer that is called, by the name that packages know."""
        return self.layer

    @property
    def inbound_layers(self) -> Any:
        """The layers whose results this call takes: a list, or the layer if there is one."""
        layers = [node.layer for node in self.parents]
        return layers[0] if len(layers) == 1 else layers

    @property
    def input_tensors(self) -> Any:
        """The inputs in the structure of the call's first argument."""
        return self.args[0] if self.args else self.outputs

    def run(self, values: dict[int, Any]) -> Any:
        """Make the call, with `values` (by a KerasTensor's id) for the symbols."""

        def value(leaf: object) -> Any:
            return values[id(leaf)] if isinstance(leaf, KerasTensor) else leaf

        args, kwargs = nest.map_structure(value, (self.args, self.kwargs))
        return self.layer(*args, **kwargs)
