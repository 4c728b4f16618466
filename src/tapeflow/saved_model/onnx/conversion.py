"""From functions of TensorFlow's nodes to ONNX graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.variable import Variable
from tapeflow.ops.graphs.nodes.function_body import CannotLower, Library
from tapeflow.saved_model.interpreter.values import proto_value
from tapeflow.saved_model.onnx import arrays, elementwise, layers  # noqa: F401 - register their rules
from tapeflow.saved_model.onnx.control import CONTROL
from tapeflow.saved_model.onnx.graph import Graph, Tensor
from tapeflow.saved_model.onnx.rules import RULES, Node, node_of
from tapeflow.saved_model.onnx.values import Value
from tapeflow.train.checkpoint import snapshot

_STATE = "changes a Variable: an ONNX model keeps nothing between its calls"
_RANDOM = "draws random numbers, which an exported model does not"


class Converter:
    """Converts functions of a library.

    Args:
        library: TensorFlow's functions.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._variables: dict[int, Tensor] = {}

    def convert(self, graph: Graph, name: str, arguments: Sequence[Value]) -> list[Value]:
        """Add the nodes of a function to a graph; returns what the function gives.

        Raises:
            CannotLower: a node has no counterpart.
        """
        function = self.library.functions[name]
        given = zip(function.signature.input_arg, arguments, strict=True)
        values: dict[str, Value] = {argument.name: value for argument, value in given}
        for message in function.node_def:
            node = node_of(message)
            found = iter(self._convert_node(graph, node, [values[i] for i in message.input if i[0] != "^"]))
            values |= {f"{node.name}:{label}:{i}": next(found) for label, n in node.outputs for i in range(n)}
        return [values[function.ret[output.name]] for output in function.signature.output_arg]

    def _convert_node(self, graph: Graph, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        graph.scope = f"{node.name}/"
        try:
            found = self._converted(graph, node, inputs)
        except CannotLower as error:
            raise CannotLower(
                f"has the node {node.name!r} of TensorFlow's op {node.op}, which {error}"
            ) from error
        return found if isinstance(found, list) else [found]

    def _converted(self, graph: Graph, node: Node, inputs: Sequence[Value]) -> Any:
        if node.op == "Const":
            return graph.constant(proto_value(node.message.attr["value"].tensor, node.name), name=node.name)
        if node.op == "ReadVariableOp":
            (variable,) = inputs
            return self._read(graph, variable)
        if node.op in CONTROL:
            return CONTROL[node.op](self, graph, node, *inputs)
        if node.op in RULES:
            return RULES[node.op](graph, node, *inputs)
        if node.op.startswith("Assign"):
            raise CannotLower(_STATE)
        raise CannotLower(_RANDOM if "Random" in node.op else "has no form in ONNX that this export writes")

    def _read(self, graph: Graph, variable: Any) -> Tensor:
        if not isinstance(variable, Variable):
            raise CannotLower("reads something that is no Variable")
        found = self._variables.get(id(variable))
        if found is None:
            name = variable.name.removesuffix(":0")
            found = self._variables[id(variable)] = graph.constant(np.asarray(snapshot(variable)), name=name)
        return found
