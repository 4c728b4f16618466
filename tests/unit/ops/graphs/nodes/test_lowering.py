"""Recorded functions become functions of TensorFlow's nodes; what the nodes compute is compared in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.graphs.nodes import op_rules  # noqa: F401 - registers the rules
from tapeflow.ops.graphs.nodes.function_body import Library
from tapeflow.ops.graphs.nodes.interfaces import interface
from tapeflow.ops.graphs.nodes.lowering import CannotWrite, Lowered, lower_function


def lowered(function: Callable[..., Any], *shapes: Any, dtype: str = "float32") -> tuple[Library, Lowered]:
    library = Library()
    specs = [tf.TensorSpec(shape, dtype, f"x{i}") for i, shape in enumerate(shapes)]
    return library, lower_function(library, "f", function, specs, "tf.test")


def ops_of(library: Library, name: str) -> list[str]:
    return [node.op for node in library.functions[name].node_def]


def check_well_formed(library: Library) -> None:
    """Every node takes what an earlier node or argument gives, and has its attributes."""
    for function in library.functions.values():
        known = {argument.name for argument in function.signature.input_arg}
        for node in function.node_def:
            taken = {name.removeprefix("^").partition(":")[0] for name in node.input}
            assert taken <= known, (node.name, taken - known)
            known.add(node.name)
            wanted = set() if node.op == "Const" else set(interface(node.op).attributes)
            required = {k for k in wanted if len(interface(node.op).attributes[k]) == 1}
            assert required <= set(node.attr), (node.op, required - set(node.attr))
            for attribute in node.attr.values():
                if attribute.WhichOneof("value") == "func":
                    assert attribute.func.name in library.functions
        assert {v.partition(":")[0] for v in function.ret.values()} <= known


def test_open_sizes_stay_open() -> None:
    library, found = lowered(lambda x: tf.nn.softmax(tf.reshape(x, [tf.shape(x)[0] * 2, -1])), [None, 4])
    check_well_formed(library)
    assert [s.shape.as_list() for s in found.results] == [[None, 2]]
    function = library.functions[found.name]
    assert [d.size for d in function.arg_attr[0].attr["_output_shapes"].list.shape[0].dim] == [-1, 4]
    assert {"Reshape", "Softmax", "Identity"} <= set(ops_of(library, found.name))


def test_two_open_sizes_are_told_apart() -> None:
    library, found = lowered(lambda x, y: tf.concat([x, y], 0), [None, 3], [None, 3])
    check_well_formed(library)
    assert found.results[0].shape.as_list() == [None, 3]


def test_a_number_made_of_sizes_is_computed() -> None:
    library, found = lowered(lambda x: tf.cast(3 * tf.shape(x)[0] + 1, tf.float32) * x, [None])
    assert {"Shape", "StridedSlice", "Mul", "AddV2", "Cast"} <= set(ops_of(library, found.name))


def test_layers_become_the_ops_they_stand_for() -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((None, None, 3)),
            layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
            layers.DepthwiseConv2D(3),
            layers.MaxPooling2D(),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, "softmax"),
        ]
    )
    library, found = lowered(model, [None, None, None, 3])
    check_well_formed(library)
    ops = ops_of(library, found.name)
    for op in ("Conv2D", "DepthwiseConv2dNative", "MaxPool", "MatMul", "BiasAdd", "Softmax"):
        assert op in ops
    assert found.results[0].shape.as_list() == [None, 2]
    assert [v.name for v in found.variables] == [v.name for v in model.variables]


def test_recurrent_layers_are_loops_as_tensorflow_writes_them() -> None:
    layer = tf.keras.layers.LSTM(3, return_sequences=True)
    library, found = lowered(layer, [None, None, 2])
    check_well_formed(library)
    (node,) = [n for n in library.functions[found.name].node_def if n.op == "StatelessWhile"]
    body = library.functions[node.attr["body"].func.name]
    assert "TensorListSetItem" in [n.op for n in body.node_def]
    # A counter and the most turns come first, and what goes in comes out.
    assert len(body.signature.input_arg) == len(body.signature.output_arg) == len(node.input)
    condition = library.functions[node.attr["cond"].func.name]
    assert [n.op for n in condition.node_def] == ["Less"]


def test_branches_and_loops() -> None:
    @tf.function
    def function(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            x = x * 2
        while tf.reduce_sum(x) < 100:
            x = x + 1
        return x

    library, found = lowered(function, [3])
    check_well_formed(library)
    assert {"StatelessIf", "StatelessWhile"} <= set(ops_of(library, found.name))


def test_assignments_come_after_reads() -> None:
    count = tf.Variable(0.0)

    def function(x: Any) -> Any:
        before = x + count
        count.assign_add(1)
        return before

    library, found = lowered(function, [2])
    check_well_formed(library)
    written = library.functions[found.name]
    (node,) = [n for n in written.node_def if n.op == "AssignVariableOp"]
    assert any(name.startswith("^ReadVariableOp") for name in node.input)
    assert list(written.control_ret) == [node.name]
    assert written.signature.is_stateful


def test_the_whole_of_a_constant_is_kept() -> None:
    table = np.random.default_rng(0).random((5, 7)).astype("float32")
    library, found = lowered(lambda i: tf.gather(table, i), [None], dtype="int32")
    values = [n.attr["value"].tensor for n in library.functions[found.name].node_def if n.op == "Const"]
    assert table.tobytes() in [v.tensor_content for v in values]


def test_broadcasts_keep_their_shapes() -> None:
    """What clips a broadcast is as small as what is broadcast, and counts as large."""
    library, found = lowered(lambda x: tf.clip_by_value(x[:, None] * tf.ones([1, 4]), 0.0, 1.0), [None])
    assert found.results[0].shape.as_list() == [None, 4]
    function = library.functions[found.name]
    node = {n.name: n for n in function.node_def}[function.ret["result_0"].partition(":")[0]]
    assert [d.size for d in node.attr["_output_shapes"].list.shape[0].dim] == [-1, 4]


def test_what_cannot_be_written_is_named() -> None:
    with pytest.raises(CannotWrite, match="reads no values while it is recorded; got 'f'"):
        lowered(lambda x: tf.constant(float(x[0])), [3])
    with pytest.raises(CannotWrite, match="takes arguments of unknown rank; give them shapes"):
        lowered(lambda x: x, None)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    with pytest.raises(CannotWrite, match=r"got 'f', which computes a gradient \(.*test_lowering.py:\d+\)"):
        lowered(gradient, [3])
    with pytest.raises(
        CannotWrite, match=r"has the op Svd \(.*\), which comes to 'svd', which has no counter"
    ):
        lowered(lambda x: tf.linalg.svd(x, compute_uv=False), [3, 3])
