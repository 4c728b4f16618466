"""`ConcreteFunction.graph`: the ops of a call, their names, and the GraphDef."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf


def concrete() -> Any:
    v = tf.Variable(2.0, name="scale")

    @tf.function
    def f(x: Any, y: Any = 3) -> Any:
        if tf.reduce_sum(x) > 0:
            return x * v + y
        return -x

    return f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))


def test_operations() -> None:
    graph = concrete().graph
    kinds = [o.type for o in graph.get_operations()]
    assert kinds[:2] == ["Placeholder", "VarHandleOp"]
    assert "If" in kinds
    assert kinds[-1] == "Identity"
    names = [o.name for o in graph.get_operations()]
    assert len(set(names)) == len(names)
    assert names[:2] == ["x", "scale"]
    known = set()
    for operation in graph.get_operations():
        assert set(operation.inputs) <= known
        known.add(operation.name)
    assert graph.get_operation_by_name("x").node_def.type == "Placeholder"
    assert repr(graph) == f"<graph of f: {len(names)} ops>"
    with pytest.raises(KeyError, match="expected the name of one of its ops; got 'other'"):
        graph.get_operation_by_name("other")


def test_inputs_outputs_and_variables() -> None:
    function = concrete()
    graph = function.graph
    assert graph is function.graph
    assert [(s.name, s.shape.as_list()) for s in graph.inputs] == [("x", [None, 2])]
    assert [s.shape.as_list() for s in graph.outputs] == [[None, 2]]
    assert graph.structured_outputs == function.structured_outputs
    assert graph.structured_input_signature == function.structured_input_signature
    assert [v.name for v in function.captured_inputs] == [v.name for v in graph.variables] == ["scale:0"]


def test_graph_def() -> None:
    found = concrete().graph.as_graph_def()
    assert [n.name for n in found.node][:2] == ["x", "scale"]
    assert [d.size for d in found.node[0].attr["_output_shapes"].list.shape[0].dim] == [-1, 2]
    assert found.node[-1].op == "Identity"


def test_looking_changes_nothing() -> None:
    total = tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        total.assign_add(tf.reduce_sum(x) + tf.random.uniform(()))
        return total.read_value()

    tf.random.set_seed(1)
    wanted = float(tf.random.uniform(()))
    tf.random.set_seed(1)
    assert f.get_concrete_function(tf.ones(2)).graph.get_operations()
    assert float(total) == 0.0
    assert float(tf.random.uniform(())) == wanted


def test_the_gradient_of_a_tape() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = x * v
        return tape.gradient(y, v)

    assert f.get_concrete_function(tf.constant(1.0)).graph.as_graph_def().node[-1].op == "Identity"


def test_an_argument_of_any_rank() -> None:
    @tf.function
    def power(a: Any, b: int) -> Any:
        return a**b

    graph = power.get_concrete_function(tf.TensorSpec(None, tf.float32), 2).graph.as_graph_def()
    assert graph.node[0].attr["_output_shapes"].list.shape[0].unknown_rank
