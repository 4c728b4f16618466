"""The table of rules, and TensorFlow's nodes as rules see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.ops.graphs.nodes.interfaces import interface
from tapeflow.saved_model.onnx.graph import Sizes

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}
"""How nodes become ONNX nodes: `rule(graph, node, *inputs)` gives a tensor or a list of them."""
_HANDLES = (20, 21)  # TensorFlow's types of resources and variants


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops of TensorFlow's."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


class Node(NamedTuple):
    """A node of TensorFlow's.

    Attributes:
        name, op: what it is called, and its op.
        message: its NodeDef.
        outputs: the name of each output argument, with how many tensors it is.
        shapes, dtypes: of the results; the dtype of a handle is None.
    """

    name: str
    op: str
    message: Any
    outputs: list[tuple[str, int]]
    shapes: list[Sizes | None]
    dtypes: list[DType | None]

    @property
    def shape(self) -> Sizes | None:
        """The shape of the first result."""
        return self.shapes[0]

    @property
    def dtype(self) -> DType:
        """The dtype of the first result, which must be a tensor."""
        found = self.dtypes[0]
        if found is None:
            raise TypeError(f"{self.name} gives a handle, which has no dtype")
        return found

    def ints(self, name: str) -> list[int]:
        """A list of numbers among the attributes."""
        return list(self.message.attr[name].list.i)

    def integer(self, name: str) -> int:
        """A number among the attributes."""
        return int(self.message.attr[name].i)

    def number(self, name: str) -> float:
        """A number with a fraction among the attributes."""
        return float(self.message.attr[name].f)

    def flag(self, name: str) -> bool:
        """A switch among the attributes."""
        return bool(self.message.attr[name].b)

    def text(self, name: str) -> str:
        """A text among the attributes."""
        return self.message.attr[name].s.decode()


def node_of(message: Any) -> Node:
    """A NodeDef as rules see it."""
    outputs: list[tuple[str, int]] = []
    kinds: list[int] = []
    for output in interface(message.op).outputs:
        if output.number == "*":
            listed = list(message.attr[str(output.kind)].list.type)
        else:
            count = int(message.attr[output.number].i) if output.number else 1
            kind = output.kind if isinstance(output.kind, int) else message.attr[output.kind].type
            listed = [kind] * count
        outputs.append((output.name, len(listed)))
        kinds += listed
    shapes = [_sizes(shape) for shape in message.attr["_output_shapes"].list.shape]
    shapes += [None] * (len(kinds) - len(shapes))
    dtypes = [None if kind in _HANDLES else as_dtype(kind) for kind in kinds]
    return Node(message.name, message.op, message, outputs, shapes, dtypes)


def _sizes(shape: Any) -> Sizes | None:
    return None if shape.unknown_rank else tuple([None if d.size < 0 else int(d.size) for d in shape.dim])
