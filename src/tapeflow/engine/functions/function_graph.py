"""`ConcreteFunction.graph`: what a call records, op by op, as TensorFlow's users look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow.engine.recording.node import Node, Spec
from tapeflow.engine.recording.recorder import is_item
from tapeflow.engine.recording.trace import Trace
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable

exporters: list[Callable[[FunctionGraph], Any]] = []
"""What makes a GraphDef of a graph; `tapeflow.ops` has it, which knows protocol buffers."""


class Operation(NamedTuple):
    """One op of a graph.

    Attributes:
        name: its name, unique in the graph.
        type: the kind of op.
        inputs: the names of the ops whose results it takes.
        specs: of its results.
    """

    name: str
    type: str
    inputs: tuple[str, ...]
    specs: tuple[Any, ...]

    @property
    def node_def(self) -> Operation:
        """Itself: name, type and inputs are there."""
        return self


class FunctionGraph:
    """The ops of a recorded call.

    Args:
        name: that of the function.
        trace: what was recorded.
        arguments: a name, a node and a spec for each tensor it is given.
        variables: the Variables it uses, with the nodes that hold their values.
        results: the nodes it returns.
    """

    def __init__(
        self,
        name: str,
        trace: Trace,
        arguments: Sequence[tuple[str, Node, TensorSpec]],
        variables: Sequence[tuple[Variable, Node]],
        results: Sequence[Node],
    ) -> None:
        self.name = name
        self.inputs = [TensorSpec(spec.shape, spec.dtype, name) for name, _, spec in arguments]
        self.outputs: list[TensorSpec] = []
        self.structured_input_signature: Any = None
        self.structured_outputs: Any = None
        self.variables = tuple([v for v, _ in variables])
        self._taken: Counter[str] = Counter()
        self._names: dict[int, str] = {}
        self._operations: list[Operation] = []
        for given, node, spec in arguments:
            self._names[id(node)] = self._add(given, "Placeholder", (), (spec,))
        for variable, node in variables:
            found = self._add(variable.name.removesuffix(":0"), "VarHandleOp", (), (node.spec,))
            self._names[id(node)] = found
        for node in trace.nodes:
            self._take(node)
        for node in results:
            self._add("Identity", "Identity", (self._name_of(node),), (node.spec,))

    def _take(self, node: Node) -> None:
        inputs = tuple([self._name_of(n) for n in node.inputs])
        if node.instance is None or is_item(node.instance):
            self._names[id(node)] = (
                inputs[0] if inputs else self._add("gradient", "Gradient", (), (node.spec,))
            )
            return
        kind = getattr(getattr(node.instance, "op", None), "name", "Gradient")
        specs = node.spec if type(node.spec) is tuple else (node.spec,)
        self._names[id(node)] = self._add(kind, kind, inputs, specs)

    def _name_of(self, node: Node) -> str:
        found = self._names.get(id(node))
        if found is None:
            found = self._names[id(node)] = self._add("Const", "Const", (), (node.spec,))
        return found

    def _add(
        self, name: str, kind: str, inputs: tuple[str, ...], specs: tuple[Spec | TensorSpec, ...]
    ) -> str:
        name = name.replace(" ", "_")
        self._taken[name] += 1
        own = name if self._taken[name] == 1 else f"{name}_{self._taken[name] - 1}"
        self._operations.append(Operation(own, kind, inputs, specs))
        return own

    def get_operations(self) -> list[Operation]:
        """The ops, in the order they are computed in."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The op of this name."""
        for operation in self._operations:
            if operation.name == name:
                return operation
        raise KeyError(f"The graph of {self.name!r} expected the name of one of its ops; got {name!r}.")

    def as_graph_def(self) -> Any:
        """The graph as a `GraphDef`."""
        return exporters[-1](self)

    def __repr__(self) -> str:
        return f"<graph of {self.name}: {len(self._operations)} ops>"
