"""What a loop's functions say about it: the variables that never change, and how often it turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tapeflow.saved_model.interpreter.library import Library

_LONGEST = 1 << 31


def invariants(body: Any) -> set[int]:
    """The places of the loop variables that a turn hands on as they are."""
    names = [argument.name for argument in body.signature.input_arg]
    origin = _Origin(body)
    results = [body.ret.get(output.name, "") for output in body.signature.output_arg]
    return {i for i, (n, r) in enumerate(zip(names, results, strict=False)) if origin.argument(r) == n}


class _Origin:
    """Where references in a function lead to, through nodes that change nothing."""

    def __init__(self, function: Any) -> None:
        self.nodes = {node.name: node for node in function.node_def}
        self.arguments = {argument.name for argument in function.signature.input_arg}

    def reference(self, reference: str) -> str:
        """The reference behind identities."""
        for _ in range(len(self.nodes) + 1):
            node = self.nodes.get(reference.partition(":")[0])
            if node is None or node.op != "Identity" or not node.input:
                return reference
            reference = node.input[0]
        return reference

    def argument(self, reference: str) -> str | None:
        """The argument that a reference leads to."""
        name = self.reference(reference).partition(":")[0]
        return name if name in self.arguments and name not in self.nodes else None

    def node(self, reference: str) -> Any:
        """The node that a reference leads to."""
        return self.nodes.get(self.reference(reference).partition(":")[0])

    def constant(self, reference: str) -> int | None:
        """The whole number that a reference leads to, if it is one."""
        node = self.node(reference)
        if node is None or node.op != "Const" or node.attr["value"].WhichOneof("value") != "tensor":
            return None
        proto = node.attr["value"].tensor
        found = list(proto.int_val) or list(proto.int64_val)
        if not found and proto.tensor_content and proto.dtype in (3, 9):
            found = np.frombuffer(proto.tensor_content, np.int32 if proto.dtype == 3 else np.int64).tolist()
        return int(found[0]) if len(found) == 1 and not proto.tensor_shape.dim else None


def turn_count(library: Library, test: str, body: str, inputs: Sequence[Any]) -> int | None:
    """How often a loop turns, if that is known before it runs: counters that are below known numbers.

    Such is every loop over the rows of a tensor; it is compiled to a scan.
    """
    tested, turned = library.function(test), library.function(body)
    if len(tested.signature.output_arg) != 1:
        return None
    origin, after = _Origin(tested), _Origin(turned)
    names = {argument.name: i for i, argument in enumerate(tested.signature.input_arg)}
    same = invariants(turned)
    counts: list[int] = []
    waiting = [tested.ret.get(tested.signature.output_arg[0].name, "")]
    while waiting:
        node = origin.node(waiting.pop())
        if node is None:
            return None
        if node.op == "LogicalAnd":
            waiting += [i for i in node.input if not i.startswith("^")]
        elif node.op == "Less" and len(node.input) >= 2:
            found = _turns(node, origin, after, names, same, inputs, turned)
            if found is None:
                return None
            counts.append(found)
        else:
            return None
    return min(counts) if counts else None


def _turns(
    node: Any,
    origin: _Origin,
    after: _Origin,
    names: dict[str, int],
    same: set[int],
    inputs: Sequence[Any],
    body: Any,
) -> int | None:
    """How often `counter < limit` holds, if the counter begins at a known number and grows by a constant."""
    counter, limit = origin.argument(node.input[0]), origin.argument(node.input[1])
    if counter is None or names[counter] >= len(body.signature.output_arg):
        return None
    at = names[counter]
    start = _known(inputs[at])
    end = origin.constant(node.input[1])
    if limit is not None and names[limit] in same:
        end = _known(inputs[names[limit]])
    update = after.node(body.ret.get(body.signature.output_arg[at].name, ""))
    if start is None or end is None or update is None or update.op not in ("AddV2", "Add"):
        return None
    sides = [i for i in update.input if not i.startswith("^")]
    argument = body.signature.input_arg[at].name
    for mine, other in (sides, sides[::-1]):
        step = after.constant(other)
        if after.argument(mine) == argument and step is not None and step > 0:
            return min(_LONGEST, max(0, -(-(end - start) // step)))
    return None


def _known(value: Any) -> int | None:
    known = value.host_value() if hasattr(value, "host_value") else None
    if known is None or known.size != 1 or known.dtype.kind not in "iu":
        return None
    return int(known.reshape(()))
