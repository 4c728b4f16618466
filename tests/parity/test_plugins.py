"""Plugins and one-liners against TensorBoard: it serves every kind, and the messages are its own.

A real TensorBoard is started once on what is logged here and asked over its HTTP routes.
"""

from __future__ import annotations

import io
import json
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
from google.protobuf import json_format, text_format
from PIL import Image
from tensorboard.plugins.custom_scalar import layout_pb2 as their_layout
from tensorboard.plugins.hparams import metadata as their_hparams
from tensorboard.plugins.hparams import plugin_data_pb2 as their_hparams_data
from tensorboard.plugins.hparams import summary_v2 as their_hp
from tensorboard.plugins.mesh import metadata as their_mesh
from tensorboard.plugins.mesh import plugin_data_pb2 as their_mesh_data
from tensorboard.plugins.pr_curve import metadata as their_pr_curve
from tensorboard.plugins.projector import projector_config_pb2 as their_projector

from tapeflow import summary
from tapeflow.plugins import projector
from tapeflow.plugins.custom_scalar import layout_pb2
from tapeflow.plugins.custom_scalar import summary as custom_scalar
from tapeflow.plugins.hparams import api as hp
from tapeflow.plugins.mesh import summary as mesh
from tapeflow.plugins.pr_curve import summary as pr_curve
from tapeflow.summary.event_files.tensors import array_of
from tapeflow.summary.kinds.embeddings import read_embeddings, read_vectors
from tapeflow.summary.kinds.hyperparameters import session_end_pb
from tapeflow.summary.kinds.layouts import read_layout
from tapeflow.summary.kinds.meshes import read_meshes
from tapeflow.summary.kinds.pr_curves import curve_from
from tapeflow.summary.protos import message
from tapeflow.summary.trials import read_experiment, read_trial

RUN = "größe 1"
NAMES = ["cat", "dog", "bird"]
RANDOM = np.random.default_rng(0)
TRUE = RANDOM.integers(0, 3, 90)
SCORES = RANDOM.normal(size=(90, 3)) + 2 * np.eye(3)[TRUE]
PICTURES = RANDOM.integers(0, 256, (5, 6, 4, 3), dtype=np.uint8)
VECTORS = RANDOM.normal(size=(5, 7)).astype(np.float32)
POINTS = RANDOM.normal(size=(1, 20, 3)).astype(np.float32)
FACES = RANDOM.integers(0, 20, (1, 9, 3))
COLORS = RANDOM.integers(0, 256, (1, 20, 3))
HPARAMS = {"units": 32, "rate": 0.5, "optimizer": "adam", "bias": True}


def log_everything(folder: Path) -> None:
    with summary.create_file_writer(folder).as_default():
        hp.hparams_config(
            hparams=[hp.HParam("units", hp.Discrete([16, 32])), hp.HParam("rate", hp.RealInterval(0.0, 1.0))],
            metrics=[hp.Metric("accuracy", display_name="Accuracy")],
        )
    writer = summary.create_file_writer(folder / RUN)
    with writer.as_default(step=4):
        for batch in range(3):
            rows = slice(30 * batch, 30 * batch + 30)
            summary.confusion_matrix("confusion", TRUE[rows], SCORES[rows], NAMES)
            summary.pr_curve("is cat", TRUE[rows] == 0, 1 / (1 + np.exp(-SCORES[rows, 0])))
        summary.image_grid("grid", PICTURES, [0, 1, 2, 0, 1], NAMES)
        summary.video("clip", PICTURES)
        summary.table("scores", [{"class": "cat", "f1": 0.5}, {"class": "a|b", "f1": None}])
        summary.mesh("shape", POINTS, FACES, COLORS, {"camera": {"cls": "PerspectiveCamera"}})
        hp.hparams(HPARAMS, start_time_secs=7.0)
        summary.scalar("accuracy", 0.25)
        summary.experimental.write_raw_pb(session_end_pb(1, 9.0).SerializeToString(), step=0)
        chart = layout_pb2.Chart(title="both", multiline=layout_pb2.MultilineChartContent(tag=["acc.*"]))
        custom_scalar.op(layout_pb2.Layout(category=[layout_pb2.Category(title="mine", chart=[chart])]))
        summary.embedding("points", VECTORS, ["a", "b\tc", "", "d", "e"], PICTURES, {"n": range(5)})
        summary.embedding("zeros", np.zeros((3, 2)))
    writer.close()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    log_everything(folder)
    return folder


@pytest.fixture(scope="module")
def board(logs: Path, serve: Callable[..., Any]) -> Iterator[Any]:
    with serve(logs, "--reload_interval", "1") as found:
        found.wait_for(lambda: RUN in found.ask("data/plugin/projector/runs"))
        yield found


def picture(board: Any, tag: str) -> Any:
    (entry,) = board.ask("data/plugin/images/images", run=RUN, tag=tag, sample=0)
    assert entry["step"] == 4
    query = dict(urllib.parse.parse_qsl(entry["query"]))
    return Image.open(io.BytesIO(board.raw("data/plugin/images/individualImage", **query)))


def test_a_confusion_matrix_is_shown_as_a_picture(board: Any, logs: Path) -> None:
    assert picture(board, "confusion/image").format == "PNG"
    counts = summary.read(logs / RUN)["confusion"].values[-1]
    expected = np.zeros((3, 3), int)
    np.add.at(expected, (TRUE, SCORES.argmax(1)), 1)
    np.testing.assert_array_equal(counts, expected)


def test_grids_and_videos_are_images(board: Any) -> None:
    assert picture(board, "grid").format == "PNG"
    clip = picture(board, "clip")
    assert (clip.format, clip.n_frames, clip.size) == ("GIF", 5, (4, 6))


def test_a_table_is_text(board: Any) -> None:
    (entry,) = board.ask("data/plugin/text/text", run=RUN, tag="scores/text")
    assert "<table>" in entry["text"]
    assert "<td>cat</td>" in entry["text"]
    assert "<td>a|b</td>" in entry["text"]


def test_pr_curves(board: Any) -> None:
    tags = board.ask("data/plugin/pr_curves/tags")[RUN]
    assert tags["is cat/pr_curves"]["displayName"] == "is cat"
    (curve,) = board.ask("data/plugin/pr_curves/pr_curves", run=RUN, tag="is cat/pr_curves")[RUN]
    chances = 1 / (1 + np.exp(-SCORES[:, 0]))
    hits = [int(((chances >= t) & (TRUE == 0)).sum()) for t in np.linspace(0, 1, 201)]
    assert curve["step"] == 4
    np.testing.assert_array_equal(curve["true_positives"], hits[: len(curve["true_positives"])])


def test_meshes(board: Any) -> None:
    tags = board.ask("data/plugin/mesh/tags")[RUN]
    assert tags == {"shape": {"samples": 1}}
    parts = board.ask("data/plugin/mesh/meshes", run=RUN, tag="shape", sample=0)
    assert {p["content_type"]: p["data_shape"] for p in parts} == {1: [1, 20, 3], 2: [1, 9, 3], 3: [1, 20, 3]}
    assert all(json.loads(p["config"]) == {"camera": {"cls": "PerspectiveCamera"}} for p in parts)
    for kind, dtype, expected in (
        ("VERTEX", np.float32, POINTS),
        ("FACE", np.int32, FACES),
        ("COLOR", np.uint8, COLORS),
    ):
        data = board.raw("data/plugin/mesh/data", run=RUN, tag="shape", sample=0, step=4, content_type=kind)
        np.testing.assert_array_equal(np.frombuffer(data, dtype).reshape(expected.shape[1:]), expected[0])


def test_hparams(board: Any) -> None:
    experiment = board.post("data/plugin/hparams/experiment", {"experimentName": ""})
    infos = {info["name"]: info for info in experiment["hparamInfos"]}
    assert sorted(infos["units"]["domainDiscrete"]) == [16, 32]
    assert infos["rate"]["domainInterval"] == {"minValue": 0.0, "maxValue": 1.0}
    request = {
        "experimentName": "",
        "allowedStatuses": ["STATUS_SUCCESS"],
        "colParams": [{"hparam": "units", "order": "ORDER_ASC"}],
        "startIndex": 0,
        "sliceSize": 10,
    }
    (group,) = board.post("data/plugin/hparams/session_groups", request)["sessionGroups"]
    assert group["hparams"] == HPARAMS
    (session,) = group["sessions"]
    assert (session["name"], session["startTimeSecs"], session["endTimeSecs"]) == (RUN, 7.0, 9.0)
    assert [(m["name"]["tag"], m["value"]) for m in session["metricValues"]] == [("accuracy", 0.25)]


def test_custom_scalars(board: Any) -> None:
    layout = board.ask("data/plugin/custom_scalars/layout")
    assert layout["category"][0]["chart"][0]["multiline"]["tag"] == ["acc.*"]
    found = board.ask("data/plugin/custom_scalars/scalars", tag="acc.*", run=RUN)
    assert found["tag_to_events"]["accuracy"][0][1:] == [4, 0.25]


def test_the_projector(board: Any) -> None:
    infos = {e["tensorName"]: e for e in board.ask("data/plugin/projector/info", run=RUN)["embeddings"]}
    assert set(infos) == {"points (step 4)", "zeros (step 4)"}
    points = infos["points (step 4)"]
    assert points["tensorShape"] == [5, 7]
    assert points["sprite"]["singleImageDim"] == [4, 6]
    query = {"run": RUN, "name": "points (step 4)"}
    data = np.frombuffer(board.raw("data/plugin/projector/tensor", **query), np.float32).reshape(5, 7)
    np.testing.assert_array_equal(data, VECTORS)
    rows = board.raw("data/plugin/projector/metadata", **query).decode().split("\n")
    assert rows == ["label\tn", "a\t0", "b c\t1", "\t2", "d\t3", "e\t4", ""]
    sprite = np.asarray(Image.open(io.BytesIO(board.raw("data/plugin/projector/sprite_image", **query))))
    np.testing.assert_array_equal(sprite[6:12, 0:4], PICTURES[3])  # the first of the second row
    zeros = board.raw("data/plugin/projector/tensor", run=RUN, name="zeros (step 4)")
    assert zeros == bytes(24)


def test_another_step_of_an_embedding_needs_no_restart(board: Any, logs: Path) -> None:
    writer = summary.create_file_writer(logs / RUN)
    with writer.as_default():
        summary.embedding("points", VECTORS + 1, step=9)
    writer.close()

    def names() -> list[str]:
        found = board.ask("data/plugin/projector/info", run=RUN)["embeddings"]
        return [e["tensorName"] for e in found]

    board.wait_for(lambda: len(names()) == 3)
    assert "points (step 9)" in names()
    data = board.raw("data/plugin/projector/tensor", run=RUN, name="points (step 9)")
    np.testing.assert_array_equal(np.frombuffer(data, np.float32).reshape(5, 7), VECTORS + 1)
    assert summary.read(logs / RUN).inner == []  # what tells TensorBoard is no run


def test_visualize_embeddings(tmp_path: Path) -> None:
    config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
    info = config.embeddings.add(tensor_name="words", tensor_path="größe.tsv")
    info.sprite.single_image_dim.extend([3, 4])
    projector.visualize_embeddings(tmp_path / "run", config)
    text = (tmp_path / "run" / "projector_config.pbtxt").read_text("utf-8")
    theirs = text_format.Parse(text, their_projector.ProjectorConfig())
    assert theirs.SerializeToString() == config.SerializeToString()


@pytest.mark.parametrize("vectors", [np.zeros((2, 3)), VECTORS, np.full((1, 1), 1e-30)], ids=["0", "n", "e"])
def test_vectors_come_back(tmp_path: Path, vectors: np.ndarray) -> None:
    with summary.create_file_writer(tmp_path).as_default() as writer:
        summary.embedding("v", vectors, step=0)
    writer.close()
    (path,) = (tmp_path / "projector" / "v" / "step_0").glob("vectors.*")
    np.testing.assert_array_equal(read_vectors(path, vectors.shape), vectors.astype(np.float32))


# What tensorboardX, and PyTorch with the same code, writes is read here.


def test_plugins_of_tensorboardx(tmp_path: Path) -> None:
    writer = tensorboardX.SummaryWriter(str(tmp_path))
    writer.add_hparams({"units": 3, "name": "x", "on": True}, {"accuracy": 0.5}, name="trial")
    writer.add_pr_curve(
        "is cat", (TRUE == 0).astype(int), 1 / (1 + np.exp(-SCORES[:, 0])), 3, num_thresholds=11
    )
    writer.add_mesh("shape", POINTS, COLORS, FACES)
    writer.add_custom_scalars({"mine": {"both": ["Multiline", ["loss/a", "loss/b"]]}})
    writer.add_embedding(VECTORS, list("abcde"), PICTURES[:, :4].transpose(0, 3, 1, 2) / 255, 7, "points")
    writer.close()
    run, trial_run = summary.read(tmp_path), summary.read(tmp_path / "trial")
    trial, experiment = read_trial(trial_run), read_experiment(trial_run)
    assert trial is not None
    assert experiment is not None
    assert (trial.hparams, trial.status) == ({"units": 3, "name": "x", "on": True}, "success")
    assert [m.tag for m in experiment.metrics] == ["accuracy"]
    curve = curve_from(run["is cat"].values[0])
    assert curve.true_positives[0] == (TRUE == 0).sum()
    (found,) = read_meshes(run)
    np.testing.assert_allclose(found.parts["vertices"].values[0], POINTS, rtol=1e-6)
    np.testing.assert_array_equal(found.parts["faces"].values[0], FACES)
    assert (found.name, found.config) == ("shape", {})
    assert read_layout(run).category[0].chart[0].multiline.tag == ["loss/a", "loss/b"]
    (points,) = read_embeddings(tmp_path)
    assert (points.name, points.step, points.picture_size) == ("points", 7, (4, 4))
    np.testing.assert_allclose(read_vectors(tmp_path / points.vectors), VECTORS, rtol=1e-6)


# The messages are TensorBoard's.


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("hparams.HParamsPluginData", their_hparams_data.HParamsPluginData),
        ("projector.ProjectorConfig", their_projector.ProjectorConfig),
        ("Layout", their_layout.Layout),
        ("MeshPluginData", their_mesh_data.MeshPluginData),
    ],
)
def test_messages_have_the_same_fields(name: str, theirs: Any) -> None:
    assert_same_fields(message(name).DESCRIPTOR, theirs.DESCRIPTOR, set())


def assert_same_fields(ours: Any, theirs: Any, seen: set[str]) -> None:
    if ours.full_name in seen:
        return
    seen.add(ours.full_name)
    for field in ours.fields:
        other = theirs.fields_by_name[field.name]
        assert (field.number, field.type, field.is_repeated) == (other.number, other.type, other.is_repeated)
        if field.enum_type is not None:
            values = {v.name: v.number for v in other.enum_type.values}
            assert {v.name: v.number for v in field.enum_type.values} == values
        if field.message_type is not None:
            assert_same_fields(field.message_type, other.message_type, seen)


def content(found: Any) -> bytes:
    (value,) = found.value
    return value.metadata.plugin_data.content


def test_a_trial_is_written_as_tensorboard_writes_it() -> None:
    mine = hp.hparams_pb({hp.HParam("rate"): np.float32(0.5), "units": 3, "name": "x", "on": True}, None, 5.0)
    theirs = their_hp.hparams_pb(
        {their_hp.HParam("rate"): np.float32(0.5), "units": 3, "name": "x", "on": True}, None, 5.0
    )
    assert (mine.value[0].tag, mine.value[0].metadata.plugin_data.plugin_name) == (
        theirs.value[0].tag,
        "hparams",
    )
    assert mine.value[0].tensor.SerializeToString() == theirs.value[0].tensor.SerializeToString()
    parsed = [their_hparams.parse_session_start_info_plugin_data(content(found)) for found in (mine, theirs)]
    assert parsed[0] == parsed[1]
    assert len(parsed[0].group_name) == 64


def test_an_experiment_is_written_as_tensorboard_writes_it() -> None:
    def experiment(api: Any) -> Any:
        hparams = [
            api.HParam("a", api.Discrete([2, 1]), display_name="A"),
            api.HParam("b", api.Discrete(["x", "y"]), description="which"),
            api.HParam("c", api.Discrete([True, False])),
            api.HParam("d", api.IntInterval(1, 3)),
            api.HParam("e", api.RealInterval(0.5, 2.5)),
            api.HParam("f"),
        ]
        metrics = [
            api.Metric("loss", group="train", dataset_type=api.Metric.TRAINING),
            api.Metric("accuracy", display_name="Accuracy", description="of all"),
        ]
        return content(api.hparams_config_pb(hparams, metrics, time_created_secs=3.0))

    parsed = [their_hparams.parse_experiment_plugin_data(experiment(api)) for api in (hp, their_hp)]
    assert parsed[0] == parsed[1]
    assert [len(info.domain_discrete) for info in parsed[0].hparam_infos] == [2, 2, 2, 0, 0, 0]


def test_domains_describe_themselves_alike() -> None:
    for make in (
        lambda api: api.Discrete([2, 1]),
        lambda api: api.IntInterval(1, 3),
        lambda api: api.RealInterval(0.0, 0.5),
        lambda api: api.HParam("x", api.Discrete(["a"]), "X", "an x"),
    ):
        mine, theirs = make(hp), make(their_hp)
        assert (str(mine), repr(mine)) == (str(theirs), repr(theirs))


def test_a_mesh_has_tensorboards_metadata() -> None:
    found = mesh.mesh_pb("m", POINTS, FACES, COLORS, {"a": 1}, "about")
    kinds = (1, 2, 3)
    components = their_mesh.get_components_bitmask(kinds)
    for value, kind, data in zip(found.value, kinds, (POINTS, FACES, COLORS), strict=True):
        assert value.tag == their_mesh.get_instance_name("m", kind)
        expected = their_mesh.create_summary_metadata(
            "m", None, kind, components, data.shape, "about", json.dumps({"a": 1})
        )
        assert value.metadata.SerializeToString() == expected.SerializeToString()


def test_a_curve_has_tensorboards_metadata() -> None:
    found = pr_curve.pb("p", TRUE == 0, np.linspace(0, 1, 90), num_thresholds=11, description="about")
    expected = their_pr_curve.create_summary_metadata("p", "about", 11)
    assert found.value[0].tag == "p/pr_curves"
    assert found.value[0].metadata.SerializeToString() == expected.SerializeToString()


def test_a_layout_goes_both_ways() -> None:
    theirs = their_layout.Layout(category=[their_layout.Category(title="t", closed=True)])
    found = custom_scalar.pb(theirs).value[0]
    assert found.tag == "custom_scalars__config__"
    mine = layout_pb2.Layout.FromString(found.tensor.string_val[0])
    assert json_format.MessageToDict(mine) == json_format.MessageToDict(theirs)


def test_summaries_are_those_of_tensorboard_with_tensorflow() -> None:
    # Made by fixtures/make_plugins.py, with the same random numbers.
    random = np.random.default_rng(0)
    labels, predictions = random.uniform(size=50) < 0.4, random.uniform(size=50).astype(np.float32)
    weights, vertices = random.uniform(size=50), random.normal(size=(2, 5, 3)).astype(np.float32)
    faces, colors = random.integers(0, 5, (2, 3, 3)), random.integers(0, 255, (2, 5, 3))
    layout = layout_pb2.Layout(category=[layout_pb2.Category(title="x")])
    made = {
        "pr_curve": pr_curve.pb("n", labels, predictions, 17, weights, description="d"),
        "mesh": mesh.mesh_pb("n", vertices, faces, colors, {"b": 1, "a": 2}, "d"),
        "custom_scalar": custom_scalar.pb(layout),
    }
    for name, mine in made.items():
        path = Path(__file__).parent / "fixtures" / "plugins" / f"{name}.summary"
        theirs = message("Summary").FromString(path.read_bytes())
        for value, expected in zip(mine.value, theirs.value, strict=True):
            assert (value.tag, value.metadata) == (expected.tag, expected.metadata)
            array, right = array_of(value.tensor), array_of(expected.tensor)
            assert array.dtype == right.dtype
            if right.dtype == object:
                assert array.tolist() == right.tolist()
            else:
                np.testing.assert_allclose(array, right, rtol=1e-6)
