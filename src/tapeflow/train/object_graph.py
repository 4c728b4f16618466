"""The graph of objects in a TensorFlow checkpoint, as the graph of one of ours.

The names that lead from object to object are mostly the same. What differs is how optimizers before Keras 2.11 keep
what belongs to a Variable, how Keras 3 names layers and the state of optimizers, and what state is that is not a
Variable's.
"""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from typing import Any

_Node = dict[str, Any]
# Where Keras 3 keeps weights that may have others added to them.
_KERAS3_NAMES = {"_kernel": "kernel", "_embeddings": "embeddings"}
_OLD_NAMES = {"iter": "_iterations", "learning_rate": "_learning_rate"}


def graph_nodes(graph: Any, names: Container[str], texts: Container[str]) -> list[_Node]:
    """The nodes, as `restoration.graph_of` describes them.

    Args:
        graph: the message `TrackableObjectGraph`.
        names: of all tensors.
        texts: of the tensors of texts.

    Raises:
        ValueError: the graph is not sound.
    """
    found = _Graph([_node(n, names, texts) for n in graph.nodes])
    for i, node in enumerate(graph.nodes):
        found.rename(i, node.slot_variables)
    return found.nodes


def _node(message: Any, names: Container[str], texts: Container[str]) -> _Node:
    node: _Node = {"name": "", "children": {c.local_name: c.node_id for c in message.children}}
    for attribute in message.attributes:
        key = attribute.checkpoint_key
        node["name"] = key.partition("/.ATTRIBUTES/")[0]
        if attribute.name == "VARIABLE_VALUE" and key in names:
            node.update({"strings": {"$array": key}} if key in texts else {"tensor": key})
        elif attribute.name == "py_state" and key in texts:
            node["state"] = {"$number": key}
        else:
            node["foreign"] = attribute.name
    return node


class _Graph:
    def __init__(self, nodes: list[_Node]) -> None:
        self.nodes = nodes
        self._renumbered: set[int] = set()
        self._room = 4 * len(nodes)  # for names that are added: a few bytes could ask for very many
        for node in nodes:
            self._require(*node["children"].values())

    def _require(self, *numbers: int) -> None:
        if any(not 0 <= n < len(self.nodes) for n in numbers):
            raise ValueError("its graph leads nowhere")

    def rename(self, number: int, slots: Any) -> None:
        """Give what a node leads to the names that it has here."""
        node = self.nodes[number]
        children = node["children"]
        if "_state_var" in children:  # of a generator, whose random numbers are others here
            state = self.nodes[children.pop("_state_var")]
            node.update({"foreign": "_state_var", "name": state["name"]})
            state.pop("tensor", None)
        if "_current_learning_rate" in children:  # what a schedule gave last
            self.nodes[children.pop("_current_learning_rate")].pop("tensor", None)
        for old, new in _KERAS3_NAMES.items():
            if old in children:
                children.setdefault(new, children.pop(old))
        if "iter" in children and "_iterations" not in children:
            self._rename_old_optimizer(node, slots)
        if "_variables" in children and "_trainable_variables" in children:
            self._renumber_keras3_optimizer(children)
        inner = self.nodes[children["_functional"]]["children"] if "_functional" in children else children
        if "_operations" in inner:
            self._name_layers(children, inner["_operations"])

    def _rename_old_optimizer(self, node: _Node, slots: Any) -> None:
        """Hyperparameters were Variables, too; here, all but the learning rate are what the optimizer was made with."""
        for name, n in node["children"].items():
            if name not in _OLD_NAMES:
                self.nodes[n].pop("tensor", None)
        node["children"] = {_OLD_NAMES[k]: n for k, n in node["children"].items() if k in _OLD_NAMES}
        node["slots"] = [(s.original_variable_node_id, s.slot_name, s.slot_variable_node_id) for s in slots]
        for variable, _, slot in node["slots"]:
            self._require(variable, slot)

    def _renumber_keras3_optimizer(self, children: dict[str, int]) -> None:
        """Keras 3 has the learning rate among what the optimizer remembers, at the second place."""
        if children["_variables"] in self._renumbered:
            return
        self._renumbered.add(children["_variables"])
        kept = [n for n in self._in_order(children["_variables"]) if n != children.get("_learning_rate")]
        self.nodes[children["_variables"]]["children"] = {str(i): n for i, n in enumerate(kept)}

    def _name_layers(self, children: dict[str, int], layers: int) -> None:
        weighted = [n for n in self._in_order(layers) if n in self._leading_to_values]
        children.update({f"layer_with_weights-{i}": n for i, n in enumerate(weighted)})
        self._room -= len(self.nodes[layers]["children"])
        if self._room < 0:
            raise ValueError("its graph names the same layers again and again")

    def _in_order(self, number: int) -> list[int]:
        """What a list leads to."""
        numbered = [
            (int(k), n) for k, n in self.nodes[number]["children"].items() if k.isdecimal() and len(k) < 10
        ]
        return [n for _, n in sorted(numbered)]

    @cached_property
    def _leading_to_values(self) -> set[int]:
        parents: list[list[int]] = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes):
            for n in node["children"].values():
                parents[n].append(i)
        found = {i for i, node in enumerate(self.nodes) if "tensor" in node or "strings" in node}
        waiting = list(found)
        while waiting:
            fresh = set(parents[waiting.pop()]) - found
            found |= fresh
            waiting += fresh
        return found
