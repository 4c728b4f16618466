"""Layers of models, as Keras 2, Keras 3 and TapeFlow write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tapeflow.board.api.graphs.graph_def import Graph
from tapeflow.board.api.graphs.keras_model import MOST_BYTES, model_graph
from tapeflow.board.api.graphs.layer_shapes import output_shape
from tapeflow.board.api.graphs.layer_sizes import parameter_count

SAME, ONE, TWO = {"padding": "same"}, {"strides": [1, 1]}, {"strides": [2, 2]}


def layer(kind: str, name: str, inbound: Any = None, **config: Any) -> dict[str, Any]:
    found = {"class_name": kind, "config": {"name": name, **config}}
    return found if inbound is None else {**found, "name": name, "inbound_nodes": inbound}


def functional(
    name: str, layers: list[Any], inputs: Any, outputs: Any, inbound: Any = None
) -> dict[str, Any]:
    return layer("Functional", name, inbound, layers=layers, input_layers=inputs, output_layers=outputs)


def read(config: Any) -> Graph:
    return model_graph(json.dumps(config).encode())


def edges(graph: Graph) -> set[tuple[str, str, str]]:
    return {(graph.nodes[e.source].name, graph.nodes[e.target].name, e.shape) for e in graph.edges}


def tensor(name: str, shape: list[int | None]) -> dict[str, Any]:
    config = {"shape": shape, "dtype": "float32", "keras_history": [name, 0, 0]}
    return {"class_name": "__keras_tensor__", "config": config}


def test_keras_2_with_a_model_inside() -> None:
    inner = functional(
        "inner",
        [
            layer("InputLayer", "i", [], batch_input_shape=[None, 8]),
            layer("Dense", "d", [[["i", 0, 0, {}]]], units=4),
        ],
        [["i", 0, 0]],
        [["d", 0, 0]],
        [[["a", 0, 0, {}]]],
    )
    graph = read(
        functional(
            "model",
            [
                layer("InputLayer", "x", [], batch_input_shape=[None, 16]),
                layer("Dense", "a", [[["x", 0, 0, {}]]], units=8),
                inner,
                layer("Add", "sum", [[["inner", 1, 0, {}], ["inner", 1, 0, {}]]]),
            ],
            [["x", 0, 0]],
            [["sum", 0, 0]],
        )
    )
    assert [node.name for node in graph.nodes] == ["x", "a", "inner/i", "inner/d", "sum"]
    assert edges(graph) == {
        ("x", "a", "?×16"),
        ("a", "inner/i", "?×8"),
        ("inner/i", "inner/d", "?×8"),
        ("inner/d", "sum", "?×4"),
    }
    assert [node.parameters for node in graph.nodes] == [0, 136, 0, 36, 0]


def test_keras_3_has_shapes_in_its_inputs() -> None:
    dtype = {"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}
    graph = read(
        functional(
            "model",
            [
                layer("InputLayer", "x", [], batch_shape=[None, 3]),
                layer("Custom", "c", [{"args": [tensor("x", [None, 3])], "kwargs": {}}]),
                layer(
                    "Dense",
                    "d",
                    [{"args": [[tensor("c", [None, 5])]], "kwargs": {"m": tensor("x", [None, 3])}}],
                    units=2,
                    dtype=dtype,
                ),
            ],
            ["x", 0, 0],
            ["d", 0, 0],
        )
    )
    assert edges(graph) == {("x", "c", "?×3"), ("c", "d", "?×5"), ("x", "d", "?×3")}
    assert graph.nodes[2].parameters == 12
    assert graph.nodes[2].dtype == "mixed_float16"


def test_a_sequential_model_is_a_chain() -> None:
    inner = layer("Sequential", "inner", layers=[layer("Dense", "d", units=3)])
    first = layer("Dense", "a", units=4, batch_input_shape=[None, 2])
    graph = read(layer("Sequential", "model", layers=[first, inner, layer("Dense", "b", units=1)]))
    assert edges(graph) == {("a", "inner/d", "?×4"), ("inner/d", "b", "?×3")}
    assert [node.parameters for node in graph.nodes] == [12, 15, 4]


@pytest.mark.parametrize(
    ("kind", "config", "given", "shape", "parameters"),
    [
        ("Conv2D", {"filters": 8, "kernel_size": [3, 3], **TWO, **SAME}, [9, 9, 3], [5, 5, 8], 224),
        ("Conv2D", {"filters": 8, "kernel_size": [3, 3], **ONE, "use_bias": False}, [9, 9, 3], [7, 7, 8], 216),
        ("Conv1D", {"filters": 2, "kernel_size": [3], "strides": [1], "padding": "causal"}, [9, 4], [9, 2], 26),
        ("DepthwiseConv2D", {"kernel_size": [3, 3], **ONE, **SAME}, [4, 4, 6], [4, 4, 6], 60),
        ("SeparableConv2D", {"filters": 5, "kernel_size": [3, 3], **ONE, **SAME}, [4, 4, 6], [4, 4, 5], 89),
        ("Conv2DTranspose", {"filters": 2, "kernel_size": [3, 3], **TWO, **SAME}, [4, 4, 6], [8, 8, 2], 110),
        ("MaxPooling2D", {"pool_size": [2, 2], "strides": [2, 2], "padding": "valid"}, [5, 5, 3], [2, 2, 3], 0),
        ("GlobalAveragePooling2D", {}, [5, 5, 3], [3], 0),
        ("ZeroPadding2D", {"padding": [[1, 1], [2, 0]]}, [5, 5, 3], [7, 7, 3], 0),
        ("UpSampling2D", {"size": [2, 2]}, [5, 5, 3], [10, 10, 3], 0),
        ("Flatten", {}, [5, 5, 3], [75], 0),
        ("Reshape", {"target_shape": [-1, 5]}, [5, 3], [3, 5], 0),
        ("Permute", {"dims": [2, 1]}, [5, 3], [3, 5], 0),
        ("RepeatVector", {"n": 4}, [5], [4, 5], 0),
        ("Embedding", {"input_dim": 10, "output_dim": 4}, [7], [7, 4], 40),
        ("LSTM", {"units": 4, "return_sequences": True}, [7, 3], [7, 4], 128),
        ("GRU", {"units": 4}, [7, 3], [4], 108),
        ("Bidirectional", {"layer": {"class_name": "LSTM", "config": {"units": 4}}}, [7, 3], [8], 256),
        ("TimeDistributed", {"layer": {"class_name": "Dense", "config": {"units": 2}}}, [7, 3], [7, 2], 8),
        ("BatchNormalization", {"axis": [3]}, [5, 5, 3], [5, 5, 3], 12),
        ("LayerNormalization", {"axis": [2]}, [5, 4], [5, 4], 8),
        ("MultiHeadAttention", {"num_heads": 2, "key_dim": 3, "value_dim": None}, [5, 8], [5, 8], 218),
        ("Dense", {"units": "many"}, [5], None, 0),
        ("Dense", {}, [5], None, 0),
    ],
)  # fmt: skip
def test_shapes_and_sizes_of_layers(
    kind: str, config: dict[str, Any], given: list[int], shape: list[int] | None, parameters: int
) -> None:
    batch = [None, *given]
    assert output_shape(kind, config, [batch]) == (None if shape is None else [None, *shape])
    assert parameter_count(kind, config, [batch]) == parameters


def test_concatenated_shapes() -> None:
    assert output_shape("Concatenate", {"axis": -1}, [[None, 2], [None, 3]]) == [None, 5]
    assert output_shape("Concatenate", {"axis": 7}, [[None, 2], [None, 3]]) is None
    assert output_shape("Concatenate", {}, [[None, 2], None]) is None


@pytest.mark.parametrize(
    "config",
    [
        [],
        3,
        {"config": None},
        {"config": {"layers": 3}},
        {"config": {"layers": [None, 3, {"config": []}, {"inbound_nodes": [[[["a", 0, 0]]]]}]}},
        {"config": {"layers": [{"inbound_nodes": [{"args": [{"config": {"keras_history": [1, 2]}}]}]}]}},
    ],
)
def test_a_config_may_be_anything(config: Any) -> None:
    read(config)


def test_models_inside_each_other_without_end() -> None:
    config: Any = layer("Dense", "d", units=1)
    for _ in range(200):
        config = layer("Sequential", "m", layers=[config])
    assert len(read(config).nodes) == 1


def test_a_layer_wrapped_without_end_has_no_shape() -> None:
    inner: Any = {"class_name": "LSTM", "config": {"units": 1}}
    for _ in range(5000):
        inner = {"class_name": "Bidirectional", "config": {"layer": inner}}
    assert output_shape("Bidirectional", {"layer": inner}, [[None, 2, 3]]) is None
    assert parameter_count("Bidirectional", {"layer": inner}, [[None, 2, 3]]) == 0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="not the JSON of a model"):
        model_graph(b"{")
    with pytest.raises(ValueError, match=f"at most {MOST_BYTES} are read"):
        model_graph(b" " * (MOST_BYTES + 1))
