"""Event files and TensorBoard: it serves what we write, we read what it, tensorboardX and TensorFlow write.

A real TensorBoard is started once and asked over its HTTP routes, as its own pages ask it.
"""

from __future__ import annotations

import io
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
from PIL import Image
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.audio import metadata as audio_metadata
from tensorboard.plugins.histogram import summary_v2 as histogram_summary
from tensorboard.plugins.image import metadata as image_metadata
from tensorboard.summary import Writer as TensorBoardWriter
from tensorboard.util import tensor_util

import tapeflow as tf
from tapeflow.summary.kinds.histograms import histogram_buckets
from tapeflow.summary.protos import message, messages

RUN = "größe 1/train"
IMAGES = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)
SOUND = np.random.default_rng(1).uniform(-1, 1, (1, 100, 1)).astype(np.float32)
NUMBERS = np.random.default_rng(2).normal(size=1000)


def log_everything(folder: Path) -> None:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x) * 2.0

    graph = message("GraphDef")()
    graph.node.add(name="a", op="Const")
    graph.node.add(name="b/c", op="Identity", input=["a"])
    writer = tf.summary.create_file_writer(folder / RUN)
    with writer.as_default():
        for i in range(20):
            tf.summary.scalar("loss", tf.constant(1.0) / (i + 1), step=i, description="the *loss*")
        tf.summary.image("pictures", IMAGES, step=3)
        tf.summary.audio("sound", SOUND, 8000, step=4)
        tf.summary.text("note", "some **text**", step=5)
        tf.summary.histogram("numbers", NUMBERS, step=6)
        tf.summary.graph(graph)
        tf.summary.trace_on(graph=True)
        double(tf.ones(3))
        tf.summary.trace_export("double", step=0)
    writer.close()


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., Any]) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("logs")
    log_everything(folder)
    with serve(folder) as found:
        found.wait_for(lambda: "double" in str(found.ask("data/plugin/graphs/info")))
        yield found


def test_runs_and_scalars(board: Any) -> None:
    assert board.ask("data/runs") == [RUN]
    points = board.ask("data/plugin/scalars/scalars", run=RUN, tag="loss")
    assert [p[1] for p in points] == list(range(20))
    np.testing.assert_allclose([p[2] for p in points], 1 / np.arange(1, 21), rtol=1e-6)
    tags = board.ask("data/plugin/scalars/tags")
    assert "<em>loss</em>" in tags[RUN]["loss"]["description"]


def test_images(board: Any) -> None:
    for sample in range(2):
        (entry,) = board.ask("data/plugin/images/images", run=RUN, tag="pictures", sample=sample)
        assert entry["step"] == 3
        query = dict(urllib.parse.parse_qsl(entry["query"]))
        picture = Image.open(io.BytesIO(board.raw("data/plugin/images/individualImage", **query)))
        np.testing.assert_array_equal(np.asarray(picture), IMAGES[sample])


def test_audio(board: Any) -> None:
    (entry,) = board.ask("data/plugin/audio/audio", run=RUN, tag="sound", sample=0)
    assert (entry["step"], entry["contentType"]) == (4, "audio/wav")
    query = dict(urllib.parse.parse_qsl(entry["query"]))
    samples = np.frombuffer(board.raw("data/plugin/audio/individualAudio", **query)[44:], "<i2")
    np.testing.assert_allclose(samples / 32768, SOUND[0, :, 0], atol=1 / 32768)


def test_text(board: Any) -> None:
    (entry,) = board.ask("data/plugin/text/text", run=RUN, tag="note")
    assert (entry["step"], "<strong>text</strong>" in entry["text"]) == (5, True)


def test_histogram(board: Any) -> None:
    ((_, step, buckets),) = board.ask("data/plugin/histograms/histograms", run=RUN, tag="numbers")
    assert step == 6
    np.testing.assert_allclose(buckets, histogram_buckets(NUMBERS))


def test_graphs(board: Any) -> None:
    info = board.ask("data/plugin/graphs/info")[RUN]
    assert info["run_graph"] is True
    assert info["tags"]["double"]["op_graph"] is True
    plain = board.raw("data/plugin/graphs/graph", run=RUN, conceptual="false").decode()
    assert 'name: "b/c"' in plain
    traced = board.raw("data/plugin/graphs/graph", run=RUN, tag="double", conceptual="false").decode()
    for name in ("double/argument_0", "double/Relu", "double/Identity"):
        assert f'name: "{name}"' in traced


# What others write is read here with equal values.


def tensorboards_view(path: str) -> dict[str, list[tuple[int, float, np.ndarray, str]]]:
    """The events of a file as TensorBoard's own Python reader gives them."""
    found: dict[str, list[Any]] = {}
    plugins: dict[str, str] = {}
    for event in EventFileLoader(path).Load():
        for value in event.summary.value:
            if value.tag == "__run_graph__":  # made of the event's own field, which here is `Run.graphs`
                continue
            plugin = plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name)
            entry = (event.step, event.wall_time, tensor_util.make_ndarray(value.tensor), plugin)
            found.setdefault(value.tag, []).append(entry)
    return found


def assert_read_alike(path: str) -> None:
    run, expected = tf.summary.read(path), tensorboards_view(path)
    assert set(run) == set(expected)
    for tag, entries in expected.items():
        series = run[tag]
        assert series.steps.tolist() == [e[0] for e in entries]
        assert series.wall_times.tolist() == [e[1] for e in entries]
        assert series.plugin == entries[0][3]
        for mine, (_, _, theirs, _) in zip(series.values, entries, strict=True):
            if series.plugin == "audio":  # TensorBoard leaves out the labels
                assert mine[:, 0].tolist() == theirs.tolist()
            elif theirs.dtype == object:
                assert np.ravel(mine).tolist() == np.ravel(theirs).tolist()
            else:
                np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    assert run.lost_bytes == 0


def only_file(folder: Path) -> str:
    (found,) = [f for f in folder.rglob("*") if "tfevents" in f.name]
    return str(found)


def test_our_own_files_through_tensorboards_reader(tmp_path: Path) -> None:
    log_everything(tmp_path)
    assert_read_alike(only_file(tmp_path))


def test_files_of_tensorboardx(tmp_path: Path) -> None:
    writer = tensorboardX.SummaryWriter(str(tmp_path))
    for i in range(200):
        writer.add_scalar("loss", 1 / (i + 1), i)
        writer.add_scalar("group/accuracy", i / 200, i * 1000)
    writer.add_image("image", IMAGES[0], 3, dataformats="HWC")
    writer.add_histogram("numbers", NUMBERS, 4)
    writer.add_text("text", "hello", 5)
    writer.close()
    assert_read_alike(only_file(tmp_path))


def test_files_of_tensorboard(tmp_path: Path) -> None:
    writer = TensorBoardWriter(str(tmp_path))
    for i in range(100):
        writer.add_scalar("loss", 1 / (i + 1), i)
    writer.close()
    assert_read_alike(only_file(tmp_path))


def test_files_of_tensorflow() -> None:
    # Made by fixtures/make_summary.py.
    folder = Path(__file__).parent / "fixtures" / "summary"
    assert_read_alike(only_file(folder))


def test_pictures_sounds_and_histograms_are_tensorflows(tmp_path: Path) -> None:
    ramp = np.linspace(-0.2, 1.2, 60).reshape(1, 5, 4, 3)
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        tf.summary.image("im/float32", ramp.astype(np.float32), step=1)
        tf.summary.image("im/float64", ramp, step=1)
        for dtype in (np.uint8, np.int8, np.uint16, np.int32):
            data = (np.clip(ramp, 0, 1) * np.iinfo(dtype).max).astype(dtype)
            tf.summary.image(f"im/{dtype.__name__}", data, step=1)
        data = np.linspace(-1.2, 1.2, 99, dtype=np.float32).reshape(1, 33, 3)
        tf.summary.audio("au/ramp", data, 44100, step=1)
        for seed, count in ((0, 30), (1, 7)):
            data = np.random.RandomState(seed).normal(size=500)
            tf.summary.histogram(f"h/{count}", data, step=1, buckets=count)
    writer.close()
    ours = tf.summary.read(tmp_path)
    theirs = tf.summary.read(only_file(Path(__file__).parent / "fixtures" / "summary"))
    for tag, series in ours.items():
        mine, expected = series.values[0], theirs[tag].values[0]
        assert (series.plugin, series.content) == (theirs[tag].plugin, theirs[tag].content)
        if series.plugin == "images":
            assert mine[:2].tolist() == expected[:2].tolist()
            pixels = [np.asarray(Image.open(io.BytesIO(found[2]))) for found in (mine, expected)]
            np.testing.assert_array_equal(*pixels)
        elif series.plugin == "audio":
            assert mine.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(mine, expected, rtol=1e-12, atol=1e-15)
    assert len(ours) == 9


# The messages are TensorBoard's.


def test_messages_are_tensorboards() -> None:
    from tensorboard.compat.proto import config_pb2, event_pb2, graph_pb2, summary_pb2, tensor_pb2

    theirs = {}
    for module in (event_pb2, summary_pb2, tensor_pb2, graph_pb2, config_pb2):
        theirs.update(module.DESCRIPTOR.message_types_by_name)
        for needed in module.DESCRIPTOR.dependencies:
            theirs.update(needed.message_types_by_name)
    for name in (
        "Event",
        "Summary",
        "SummaryMetadata",
        "HistogramProto",
        "TensorProto",
        "GraphDef",
        "RunMetadata",
    ):
        assert_same_fields(message(name).DESCRIPTOR, theirs[name], set())


def assert_same_fields(ours: Any, theirs: Any, seen: set[str]) -> None:
    if ours.full_name in seen:
        return
    seen.add(ours.full_name)
    for field in ours.fields:
        other = theirs.fields_by_name[field.name]
        where = f"{ours.full_name}.{field.name}"
        assert (field.number, field.type, field.is_repeated) == (
            other.number,
            other.type,
            other.is_repeated,
        ), where
        assert bool(field.containing_oneof) == bool(other.containing_oneof), where
        if field.enum_type is not None:
            values = {v.name: v.number for v in other.enum_type.values}
            assert {v.name: v.number for v in field.enum_type.values}.items() <= values.items(), where
        if field.message_type is not None:
            assert_same_fields(field.message_type, other.message_type, seen)


def test_protoc_reads_our_files_alike(tmp_path: Path) -> None:
    from google.protobuf import descriptor_pb2
    from grpc_tools import protoc

    folder = Path(messages.__file__).parent
    names = sorted(p.name for p in folder.glob("*.proto"))
    out = tmp_path / "set"
    assert protoc.main(["", f"-I{folder}", f"--descriptor_set_out={out}", *names]) == 0
    for theirs in descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file:
        ours = descriptor_pb2.FileDescriptorProto()
        messages._pool().FindFileByName(theirs.name).CopyToProto(ours)
        for item in (ours, theirs):
            clear_json_names(item.message_type)
        assert ours == theirs


def clear_json_names(found: Any) -> None:
    for item in found:
        for field in item.field:
            field.ClearField("json_name")
        clear_json_names(item.nested_type)


def test_metadata_is_tensorboards() -> None:
    from tapeflow.summary.event_files.encoding import metadata

    mine = message("SummaryMetadata").FromString(metadata("images", description="d"))
    theirs = image_metadata.create_summary_metadata(display_name=None, description="d")
    assert mine.SerializeToString() == theirs.SerializeToString(deterministic=True)
    wav = audio_metadata.create_summary_metadata(
        display_name=None, description="", encoding=audio_metadata.Encoding.Value("WAV")
    )
    assert metadata("audio", b"\x10\x0b") == wav.SerializeToString(deterministic=True)


@pytest.mark.parametrize("count", [1, 7, 30])
@pytest.mark.parametrize(
    "data", [NUMBERS, np.ones(5), np.zeros(0), np.arange(31)], ids=["normal", "one", "none", "range"]
)
def test_buckets_are_tensorboards(count: int, data: np.ndarray) -> None:
    theirs = histogram_summary.histogram_pb("h", data, buckets=count)
    np.testing.assert_array_equal(
        histogram_buckets(data, count), tensor_util.make_ndarray(theirs.value[0].tensor).reshape(-1, 3)
    )
