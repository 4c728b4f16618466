"""The values of a SavedModel's objects: which tensor of `variables/` belongs to which of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.saved_model.interpreter.kernels import GraphError
from tapeflow.summary.protos import message
from tapeflow.train.tensor_bundle import GRAPH, TensorBundle


class ObjectValues:
    """Names of tensors by the number of an object and the name of what it keeps.

    The checkpoint has a graph of objects of its own; the same names lead to the same objects.

    Args:
        bundle: the checkpoint, or None.
        nodes: the objects of the SavedModel.
    """

    def __init__(self, bundle: TensorBundle | None, nodes: Any) -> None:
        self.bundle = bundle
        self._keys: dict[int, dict[str, str]] = {}
        if bundle is None or GRAPH not in bundle or not nodes:
            return
        try:
            graph = message("TrackableObjectGraph").FromString(bundle.read(GRAPH)[()])
        except DecodeError as error:
            raise GraphError(f"the graph of its checkpoint cannot be read: {error}") from error
        self._match(nodes, graph.nodes)

    def _match(self, nodes: Any, theirs: Any) -> None:
        waiting, pairs = [(0, 0)], {0: 0}
        while waiting:
            mine, its = waiting.pop()
            if not 0 <= mine < len(nodes) or not 0 <= its < len(theirs):
                raise GraphError("its graph of objects leads nowhere")
            self._keys[mine] = {a.name: a.checkpoint_key for a in theirs[its].attributes}
            children = {c.local_name: c.node_id for c in theirs[its].children}
            steps = [
                (c.node_id, children[c.local_name]) for c in nodes[mine].children if c.local_name in children
            ]
            if nodes[mine].slot_variables and theirs[its].slot_variables:
                steps += self._slots(nodes[mine].slot_variables, theirs[its].slot_variables, pairs)
            for step in steps:
                if step[0] not in pairs:
                    pairs[step[0]] = step[1]
                    waiting.append(step)

    @staticmethod
    def _slots(mine: Any, theirs: Any, pairs: dict[int, int]) -> list[tuple[int, int]]:
        """What an optimizer keeps for each Variable, in both graphs."""
        found = {(s.original_variable_node_id, s.slot_name): s.slot_variable_node_id for s in theirs}
        matched = [(s, found.get((pairs.get(s.original_variable_node_id, -1), s.slot_name))) for s in mine]
        return [(s.slot_variable_node_id, n) for s, n in matched if n is not None]

    def value(self, number: int) -> np.ndarray | None:
        """The value of a Variable."""
        return self._read(self._keys.get(number, {}).get("VARIABLE_VALUE"))

    def rows(self, number: int) -> tuple[np.ndarray, np.ndarray] | None:
        """The keys and values of a table."""
        for key in self._keys.get(number, {}).values():
            keys, values = self._read(f"{key}-keys"), self._read(f"{key}-values")
            if keys is not None and values is not None:
                return keys, values
        return None

    def _read(self, key: str | None) -> np.ndarray | None:
        return (
            self.bundle.read(key)
            if key is not None and self.bundle is not None and key in self.bundle
            else None
        )
