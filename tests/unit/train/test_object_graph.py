"""The graph of objects in TensorFlow's checkpoints, with the names that things have here."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.summary.protos import message
from tapeflow.train.object_graph import graph_nodes


def graph(*nodes: dict[str, int], values: tuple[int, ...] = ()) -> Any:
    made = message("TrackableObjectGraph")()
    for i, children in enumerate(nodes):
        node = made.nodes.add()
        for name, number in children.items():
            node.children.add(local_name=name, node_id=number)
        if i in values:
            node.attributes.add(name="VARIABLE_VALUE", checkpoint_key=f"{i}/.ATTRIBUTES/VARIABLE_VALUE")
    return made


NAMES = {f"{i}/.ATTRIBUTES/VARIABLE_VALUE" for i in range(9)}


def test_layers_of_keras_3() -> None:
    nodes = [
        {"_functional": 1},
        {"_operations": 2},
        {"10": 5, "9": 4, "0": 3},
        {},
        {"_kernel": 6},
        {"w": 7},
        {},
        {},
    ]
    found = graph_nodes(graph(*nodes, values=(6, 7)), NAMES, ())
    assert found[0]["children"] == {"_functional": 1, "layer_with_weights-0": 4, "layer_with_weights-1": 5}
    assert found[4]["children"] == {"kernel": 6}


def test_optimizer_of_keras_3() -> None:
    top = {"_variables": 1, "_trainable_variables": 2, "_learning_rate": 4}
    found = graph_nodes(graph(top, {"0": 3, "1": 4, "2": 5}, {}, {}, {}, {}, values=(3, 4, 5)), NAMES, ())
    assert found[1]["children"] == {"0": 3, "1": 5}


def test_what_a_schedule_gave_is_no_value() -> None:
    found = graph_nodes(graph({"_current_learning_rate": 1}, {}, values=(1,)), NAMES, ())
    assert found[0]["children"] == {}
    assert "tensor" not in found[1]


def test_old_optimizer() -> None:
    made = graph({"iter": 1, "beta_1": 2, "learning_rate": 3}, {}, {}, {}, {}, {}, values=(1, 2, 3, 4, 5))
    made.nodes[0].slot_variables.add(original_variable_node_id=4, slot_name="m", slot_variable_node_id=5)
    found = graph_nodes(made, NAMES, ())
    assert found[0]["children"] == {"_iterations": 1, "_learning_rate": 3}
    assert found[0]["slots"] == [(4, "m", 5)]
    assert "tensor" not in found[2]  # what the optimizer is made with


def test_ways_that_lead_nowhere() -> None:
    with pytest.raises(ValueError, match="its graph leads nowhere"):
        graph_nodes(graph({"a": 1}), NAMES, ())
    made = graph({"iter": 0})
    made.nodes[0].slot_variables.add(original_variable_node_id=-1)
    with pytest.raises(ValueError, match="its graph leads nowhere"):
        graph_nodes(made, NAMES, ())


def test_few_bytes_that_ask_for_many_names() -> None:
    layers = {str(i): 1 for i in range(100)}
    with pytest.raises(ValueError, match="names the same layers again and again"):
        graph_nodes(graph(layers, {}, *[{"_operations": 0}] * 9, values=(1,)), NAMES, ())
