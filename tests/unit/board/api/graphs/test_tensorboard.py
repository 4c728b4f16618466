"""TensorBoard's routes of graphs where TensorBoard itself fails; the rest is asked of both in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.api.graphs.tensorboard_model import NotAModel, conceptual_graph
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.protos import message


@pytest.fixture
def client(tmp_path: Path, serve: Callable[..., Any], events: Any) -> Any:
    metadata = message("RunMetadata")()
    for version in (1, 2):
        metadata.function_graphs.add().pre_optimization_graph.versions.producer = version
    data = record(encoding.graph_event(1.7e9, b"\xff\xff"))
    data += events.entry("mixed", metadata.SerializeToString(), "graph_run_metadata_graph", content=b"1")
    data += events.entry("keras", '{"config": {"layers": []}}', "graph_keras_model", content=b"1")
    data += events.entry("meta", b"\xff\xff", "graph_run_metadata", content=b"1")
    events.write(tmp_path / "run", data)
    found = serve(tmp_path)
    found.wait_until_read()
    return found


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("graph?run=run", "The graph cannot be read"),
        ("graph?run=run&tag=mixed", "Cannot combine GraphDefs of different versions."),
        ("graph?run=run&tag=keras&conceptual=true", "not a Keras model"),
        ("graph?run=run&tag=mixed&limit_attr_size=x", "`limit_attr_size` must be an integer"),
        ("run_metadata?run=run&tag=meta", "The metadata cannot be read"),
        ("run_metadata?run=run", 'query parameter "tag" is required'),
    ],
)
def test_refusals_in_words(client: Any, path: str, words: str) -> None:
    answer = client.ask("GET", f"/data/plugin/graphs/{path}")
    assert answer.status == 400
    assert words in answer.body.decode()


@pytest.mark.parametrize("query", ["limit_attr_size=5", "limit_attr_size=0&large_attrs_key=k"])
def test_limits_that_make_no_sense(
    tmp_path: Path, serve: Callable[..., Any], events: Any, query: str
) -> None:
    events.write(tmp_path / "run", record(encoding.graph_event(1.7e9, b"")))
    client = serve(tmp_path)
    client.wait_until_read()
    answer = client.ask("GET", f"/data/plugin/graphs/graph?run=run&{query}")
    assert answer.status == 400
    assert b"limit_attr_size" in answer.body


def test_a_config_that_is_no_models() -> None:
    for config in (None, [], {"config": {"layers": [3]}}, {"config": {"layers": []}}):
        with pytest.raises(NotAModel, match="not a Keras model"):
            conceptual_graph(config)


def test_models_too_deep_inside_each_other() -> None:
    config: Any = {"class_name": "Dense", "config": {"name": "d"}}
    for _ in range(100):
        config = {"class_name": "Sequential", "config": {"name": "m", "layers": [config]}}
    with pytest.raises(NotAModel, match="deep inside each other"):
        conceptual_graph(config)
