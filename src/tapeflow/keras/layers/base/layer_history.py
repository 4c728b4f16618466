"""What a layer knows of its calls in functional models: `input`, `output` and their shapes."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values import nest
from tapeflow.keras.graph.followers import calls_after


class LayerHistory:
    """Read access to the symbolic calls of a layer."""

    _inbound_nodes: list[Any]
    _name: str

    @property
    def _outbound_nodes(self) -> list[Any]:
        """The symbolic calls that take what this layer gives."""
        return calls_after(self)

    @property
    def inbound_nodes(self) -> list[Any]:
        """The layer's calls on symbolic tensors."""
        return self._inbound_nodes

    @property
    def input(self) -> Any:
        """The symbolic input of the first call."""
        return self.get_input_at(0)

    @property
    def output(self) -> Any:
        """The symbolic output of the first call."""
        return self.get_output_at(0)

    def get_input_at(self, node_index: int) -> Any:
        """The symbolic input of a call."""
        return _node(self, node_index, "input").input_tensors

    def get_output_at(self, node_index: int) -> Any:
        """The symbolic output of a call."""
        return _node(self, node_index, "output").outputs

    @property
    def input_shape(self) -> tuple[int | None, ...]:
        """The shape of the input, as a tuple; several if there are several."""
        return _shapes(_node(self, 0, "input shape").input_tensors)

    @property
    def output_shape(self) -> tuple[int | None, ...]:
        """The shape of the output, as a tuple; several if there are several."""
        return _shapes(_node(self, 0, "output shape").outputs)

    def get_input_shape_at(self, node_index: int) -> tuple[int | None, ...]:
        """The shape of the input of a call."""
        return _shapes(_node(self, node_index, "input shape").input_tensors)

    def get_output_shape_at(self, node_index: int) -> tuple[int | None, ...]:
        """The shape of the output of a call."""
        return _shapes(_node(self, node_index, "output shape").outputs)

    @property
    def input_mask(self) -> None:
        """None: masks travel with the data."""
        return

    @property
    def output_mask(self) -> None:
        """None: masks travel with the data."""
        return


def _node(layer: LayerHistory, index: int, what: str) -> Any:
    if not layer._inbound_nodes:
        raise AttributeError(
            f'The layer "{layer._name}" has never been called and thus has no defined {what}. It is known for '
            "layers of Functional and Sequential models."
        )
    if index >= len(layer._inbound_nodes):
        raise ValueError(
            f"Asked to get {what} at node {index}, but the layer has only {len(layer._inbound_nodes)} "
            "inbound nodes."
        )
    return layer._inbound_nodes[index]


def _shapes(symbols: Any) -> tuple[int | None, ...]:
    return nest.map_structure(lambda x: tuple(x.shape), symbols)
