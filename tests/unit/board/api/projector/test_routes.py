"""The projector's routes: finding, reading, projecting; what is broken or hostile is refused in words."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.board.api.projector import assets, layouts, metadata, projections
from tapeflow.board.api.projector.packing import unpack
from tapeflow.board.api.projector.places import Places
from tapeflow.board.logdirs import run_id
from tapeflow.board.notes import joined

API = "/api/v1/projector"
RNG = np.random.default_rng(0)


def log(folder: Path, name: str, vectors: np.ndarray, step: int = 0, **more: Any) -> None:
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.embedding(name, vectors, step=step, **more)
    writer.close()


def configure(folder: Path, text: str, **files: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "projector_config.pbtxt").write_text(text)
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)


class Asking:
    """A board, asked about one run and name."""

    def __init__(self, client: Any, run: str, name: str) -> None:
        self.client = client
        self.place = {"run": run_id(run), "name": name}

    def raw(self, route: str, **query: Any) -> Any:
        return self.client.ask("GET", f"{API}/{route}?{urlencode({**self.place, **query})}")

    def json(self, route: str, **query: Any) -> Any:
        answer = self.raw(route, **query)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def packed(self, route: str, **query: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        answer = self.raw(route, **query)
        assert answer.status == 200, answer.body
        return unpack(answer.body)

    def refused(self, route: str, **query: Any) -> tuple[int, str]:
        answer = self.raw(route, **query)
        return answer.status, json.loads(answer.body)["error"]

    def begin(self, method: str, **parameters: Any) -> Any:
        body = {**self.place, "method": method, "parameters": parameters}
        return self.client.ask("POST", f"{API}/jobs", body)

    def job(self, found: Any) -> Any:
        return json.loads(self.client.ask("GET", f"{API}/jobs/{found['id']}").body)


@pytest.fixture
def ask(tmp_path: Path, serve: Callable[..., Any]) -> Callable[..., Asking]:
    """`ask(run, name)`: a board on `tmp_path/logs`, started once."""
    started: list[Any] = []

    def make(run: str = "run", name: str = "words", **options: Any) -> Asking:
        if not started:
            started.append(serve(tmp_path / "logs", **options))
            started[0].wait_until_read()
        return Asking(started[0], run, name)

    return make


def sets(ask: Asking) -> Any:
    return ask.client.get("api/v1/projector/sets")


def test_sets_steps_and_new_ones_without_a_restart(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    run = tmp_path / "logs" / "run"
    vectors = RNG.normal(size=(6, 3)).astype(np.float32)
    log(run, "words", vectors, step=2, labels=list("abcdef"))
    asking = ask()
    (found,) = sets(asking)["sets"]
    assert (found["run_name"], found["name"]) == ("run", "words")
    (step,) = found["steps"]
    assert (step["step"], step["points"], step["dimensions"], step["has_metadata"]) == (2, 6, 3, True)
    log(run, "words", vectors + 1, step=10, labels=list("abcdef"))
    (found,) = sets(asking)["sets"]
    assert [s["step"] for s in found["steps"]] == [2, 10]
    log(run, "words", vectors * 2, step=10, labels=list("abcdef"))
    (again,) = sets(asking)["sets"]
    assert again["steps"][0] == found["steps"][0]
    assert again["steps"][1]["version"] != found["steps"][1]["version"]


def test_configurations_above_runs_and_in_folders_without_events(
    tmp_path: Path, events: Any, ask: Callable[..., Asking]
) -> None:
    events.write(tmp_path / "logs" / "fit" / "train", events.scalars("loss", [1.0]))
    text = 'embeddings { tensor_name: "t" tensor_path: "t.tsv" }'
    configure(tmp_path / "logs" / "fit", text, t__tsv=b"1\t2\n3\t4\n")
    configure(tmp_path / "logs" / "alone" / "deep", text, t__tsv=b"1\t2\n3\t4\n")
    configure(tmp_path / "logs", text, t__tsv=b"1\t2\n3\t4\n5\t6\n")
    asking = ask("alone/deep", "t")
    assert [one["run_name"] for one in sets(asking)["sets"]] == [".", "alone/deep", "fit"]
    assert asking.json("facts")["points"] == 2
    assert ask(".", "t").json("facts")["points"] == 3


def test_what_keras_names_in_the_log_folder_and_by_step_below_is_shown_once(
    tmp_path: Path, ask: Callable[..., Asking]
) -> None:
    log(tmp_path / "logs" / "fit" / "train", "words", RNG.normal(size=(6, 3)), step=2)
    (file,) = (tmp_path / "logs" / "fit" / "train" / "projector").rglob("vectors.*")
    path = file.relative_to(tmp_path / "logs" / "fit").as_posix()
    entry = f'embeddings {{ tensor_name: "layer-0" tensor_shape: 6 tensor_shape: 3 tensor_path: "{path}" }}'
    configure(tmp_path / "logs" / "fit", entry)
    asking = ask("fit/train", "words")
    assert [(one["run_name"], one["name"]) for one in sets(asking)["sets"]] == [("fit/train", "words")]
    own = 'embeddings { tensor_name: "t" tensor_path: "t.tsv" }'
    configure(tmp_path / "logs" / "fit", entry + own, t__tsv=b"1\t2\n")
    assert [one["name"] for one in sets(asking)["sets"]] == ["t", "words"]


def test_columns_rows_and_what_kind_they_are(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    more = {"size": np.linspace(0, 1, 30), "note": [f"n{i % 2}" for i in range(30)]}
    log(
        tmp_path / "logs" / "run",
        "words",
        RNG.normal(size=(30, 4)),
        labels=["x"] * 29 + ["<b>"],
        metadata=more,
    )
    asking = ask()
    facts = asking.json("facts")
    assert [(c["name"], c["kind"], c["distinct"]) for c in facts["columns"]] == [
        ("label", "categories", 2),
        ("size", "numbers", 30),
        ("note", "categories", 2),
    ]
    head, arrays = asking.packed("column", column=0)
    assert head["values"][arrays["codes"][29]] == "<b>"
    assert asking.packed("column", column=1)[1]["numbers"] == pytest.approx(more["size"], abs=1e-6)
    assert asking.json("row", index=29)["cells"] == [["label", "<b>"], ["size", "1.0"], ["note", "n1"]]
    assert asking.refused("row", index=30) == (404, "there are 30 points; got index=30")
    assert asking.refused("column", column=3) == (404, "there are 3 columns of labels; got column=3")


@pytest.mark.parametrize(
    ("text", "names", "first", "note"),
    [
        ("a\nb\nc\n", ["label"], "a", ""),
        ("name\na\nb\nc\n", ["name"], "a", ""),
        ("w\tn\na\t1\nb\t2\nc\t3\n", ["w", "n"], "a", ""),
        ("a\t1\nb\t2\nc\t3\n", ["column 1", "column 2"], "a", "so the first is not taken for names"),
        ("a\nb\n", ["label"], "a", "3 points and 2 lines of labels"),
        ("a\nb\nc\nd\ne\nf\n", ["label"], "a", "3 points and more than 4 lines of labels"),
        ("", ["label"], "", "3 points and 0 lines of labels"),
    ],
    ids=["plain", "named", "two columns", "no names", "too few", "too many", "empty"],
)
def test_lines_of_labels_are_counted(
    text: str, names: list[str], first: str, note: str, tmp_path: Path
) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text(text)
    with path.open("rb") as file:
        found = metadata.read_metadata(file, 3)
    assert [column.name for column in found.columns] == names
    column = found.columns[0]
    assert column.values[column.codes[0]] == first
    assert len(column.codes) == 3
    assert note in joined(found.notes)
    assert bool(note) == bool(found.notes)


def test_principal_components(
    tmp_path: Path, ask: Callable[..., Asking], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = RNG.normal(size=(500, 12)) * np.array([10, 5, 2] + [0.1] * 9) + 7
    log(tmp_path / "logs" / "run", "words", points.astype(np.float32))
    asking = ask()
    head, arrays = asking.packed("pca", components="0,2")
    centred = points - points.mean(0)
    _, singular, rows = np.linalg.svd(centred, full_matrices=False)
    assert head["variance"][:3] == pytest.approx((singular**2 / (singular**2).sum())[:3], rel=1e-4)
    for name, component in (("0", 0), ("1", 2)):
        along = centred @ rows[component]
        assert abs(np.corrcoef(along, arrays[name])[0, 1]) > 0.99999
    kept = list((tmp_path / "cache" / "projector").glob("*.tfa"))
    assert len(kept) == 1
    monkeypatch.setattr(projections, "_WIDEST_EXACT", 3)
    close = projections.principal(points.astype(np.float32), 3)
    assert close.variance == pytest.approx(head["variance"][:3], rel=1e-3)
    assert asking.refused("pca", components="0,11")[1].startswith("pca expected components=0,1,2")


def test_neighbours_by_both_metrics(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    points = np.array([[1, 0], [10, 1], [0.9, 0.3], [-1, 0], [np.nan, 1]], np.float32)
    log(tmp_path / "logs" / "run", "words", points)
    asking = ask()
    assert asking.json("neighbors", index=0, metric="cosine", k=2)["indices"] == [1, 2]
    found = asking.json("neighbors", index=0, metric="euclidean", k=10)
    assert found["indices"] == [2, 3, 1]
    assert found["distances"][1] == pytest.approx(2.0)
    assert "1 points have numbers that are not finite" in asking.json("facts")["notes"][0]["text"]
    assert asking.refused("neighbors", index=0, metric="taxi")[1] == (
        "neighbors expected metric=cosine or euclidean; got metric='taxi'"
    )


def test_axes_between_labels(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    points = np.array([[0, 0, 5], [4, 0, 5], [0, 2, 5], [4, 2, 5]], np.float32)
    log(
        tmp_path / "logs" / "run",
        "words",
        points,
        labels=["low left", "low right", "high left", "high right"],
    )
    asking = ask()
    _, arrays = asking.packed("axes", left="LEFT", right="right", down="low", up="high")
    assert arrays["0"] == pytest.approx([-2, 2, -2, 2])
    assert arrays["1"] == pytest.approx([-1, -1, 1, 1])
    status, words = asking.refused("axes", left="left", right="zebra", down="low", up="high")
    assert (status, words) == (
        422,
        "axes expected labels there are: no label of 'label' is or contains 'zebra'",
    )
    assert asking.refused("axes", left="left")[0] == 400


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    datasets = pytest.importorskip("sklearn.datasets")
    found = datasets.load_digits()
    return found.data[:600].astype(np.float32), found.target[:600]


def agreement(layout: np.ndarray, labels: np.ndarray, count: int = 5) -> float:
    """The share of points whose nearest neighbours in a layout are mostly of their own label."""
    far = np.square(layout[:, None] - layout[None]).sum(-1)
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1)[:, :count]
    return float(((labels[near] == labels[:, None]).mean(1) > 0.5).mean())


@pytest.mark.slow  # the browser sees the same
def test_tsne_finds_the_ten_digits_in_the_background_and_is_kept(
    tmp_path: Path, ask: Callable[..., Asking], digits: tuple[np.ndarray, np.ndarray]
) -> None:
    pytest.importorskip("openTSNE")
    vectors, labels = digits
    log(tmp_path / "logs" / "run", "words", vectors, labels=labels)
    asking = ask()
    job = json.loads(asking.begin("tsne", iterations=250).body)
    assert job["state"] in ("waiting", "running")
    assert json.loads(asking.begin("tsne", iterations=250).body)["id"] == job["id"]
    seen = []
    while (job := asking.job(job))["state"] in ("waiting", "running"):
        seen.append((job["iteration"], job["layout"]))
        time.sleep(0.05)
    assert (job["state"], job["iteration"], job["total"]) == ("done", 250, 250), job
    assert any(0 < iteration < 250 and layouts for iteration, layouts in seen), seen
    answer = asking.client.ask("GET", f"{API}/jobs/{job['id']}/layout")
    head, arrays = unpack(answer.body)
    assert head["iteration"] == 250
    assert agreement(np.stack([arrays["0"], arrays["1"]], 1), labels) > 0.9
    # Principal components alone do not tell the digits apart.
    _, plain = asking.packed("pca", components="0,1")
    assert agreement(np.stack([plain["0"], plain["1"]], 1), labels) < 0.75
    assert (tmp_path / "cache" / "projector" / f"{job['id']}.tfa").read_bytes() == answer.body
    other = json.loads(asking.begin("tsne", iterations=250).body)
    assert (other["id"], other["state"]) == (job["id"], "done")


def test_a_projection_is_cancelled_and_ends_with_the_board(
    tmp_path: Path, ask: Callable[..., Asking], digits: tuple[np.ndarray, np.ndarray]
) -> None:
    pytest.importorskip("openTSNE")
    log(tmp_path / "logs" / "run", "words", digits[0][:100])
    asking = ask()
    job = json.loads(asking.begin("tsne", iterations=10_000).body)
    asking.client.wait_for(lambda: asking.job(job)["state"] == "running")
    waiting = json.loads(asking.begin("tsne", iterations=9999).body)
    assert asking.job(waiting)["state"] == "waiting"
    answer = asking.client.ask("DELETE", f"{API}/jobs/{job['id']}")
    assert json.loads(answer.body)["state"] == "cancelled"
    asking.client.wait_for(lambda: asking.job(waiting)["state"] == "running")
    assert asking.job(job)["state"] == "cancelled"
    assert asking.client.ask("DELETE", f"{API}/jobs/nonsense").status == 404
    process = next(j for j in asking_jobs(asking) if j.id == waiting["id"]).process
    asking.client.board.stop()
    assert process.wait(10) != 0


def asking_jobs(asking: Asking) -> list[Any]:
    end = asking.client.board.at_end[0]
    return list(end.__self__._jobs.values())


@pytest.mark.slow
def test_umap_finds_the_ten_digits(
    tmp_path: Path, ask: Callable[..., Asking], digits: tuple[np.ndarray, np.ndarray]
) -> None:
    pytest.importorskip("umap")
    vectors, labels = digits
    log(tmp_path / "logs" / "run", "words", vectors, labels=labels)
    asking = ask()
    job = json.loads(asking.begin("umap", iterations=200, dimensions=3).body)
    while (job := asking.job(job))["state"] in ("waiting", "running"):
        time.sleep(0.2)
    assert job["state"] == "done", job
    _, arrays = unpack(asking.client.ask("GET", f"{API}/jobs/{job['id']}/layout").body)
    assert agreement(np.stack([arrays[name] for name in "012"], 1), labels) > 0.9


def test_more_points_than_are_laid_out_are_put_beside_their_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MOST_LAID_OUT", 50)
    points = np.concatenate([RNG.normal(size=(40, 3)), RNG.normal(size=(40, 3)) + 50]).astype(np.float32)

    def place(points: np.ndarray, chosen: np.ndarray, report: Any) -> np.ndarray:
        del report
        return np.square(points[:, None] - points[chosen][None]).sum(-1).argmin(1)

    monkeypatch.setattr(layouts, "_nearest", place)
    monkeypatch.setitem(layouts._METHODS, "tsne", lambda points, parameters, report: points[:, :2].copy())
    found = layouts.lay_out(points, "tsne", {}, lambda *report: None)
    assert found.shape == (80, 2)
    assert np.linalg.norm(found[:40].mean(0) - found[40:].mean(0)) > 30
    assert "50 of 80 points, drawn at random" in str(layouts.note_of(80))


def test_a_missing_extra_is_named_with_the_command(
    tmp_path: Path, ask: Callable[..., Asking], monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path / "logs" / "run", "words", RNG.normal(size=(10, 3)))
    asking = ask()
    monkeypatch.setitem(layouts.PACKAGES, "umap", "no_such_package")
    words = 'UMAP needs a package that is not installed: pip install "tapeflow[projector]"'
    assert sets(asking)["missing"] == {"tsne": layouts.missing("tsne"), "umap": words}
    answer = asking.begin("umap")
    assert (answer.status, json.loads(answer.body)["error"]) == (422, words)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "projector/jobs expected an object; got list"),
        ({"method": "magic"}, "projector/jobs expected method tsne or umap; got method='magic'"),
        (
            {"method": "tsne", "parameters": {"perplexity": 0}},
            "expected perplexity from 1.0 to 500.0; got perplexity=0",
        ),
        ({"method": "tsne", "parameters": {"iterations": True}}, "expected iterations from 50 to 10000"),
        ({"method": "umap", "parameters": {"metric": "x"}}, "expected metric euclidean or cosine; got 'x'"),
        ({"method": "umap", "parameters": {"x": 1}}, "projector/jobs expected parameters out of dimensions"),
        (
            {"method": "tsne", "run": "no", "name": "no"},
            "the projector has no run='no' with name='no' and step=None",
        ),
    ],
    ids=["list", "method", "range", "bool", "metric", "name", "missing"],
)
def test_requests_that_are_none(tmp_path: Path, ask: Callable[..., Asking], body: Any, words: str) -> None:
    (tmp_path / "logs").mkdir()
    answer = ask().client.ask("POST", f"{API}/jobs", body)
    assert answer.status in (400, 404)
    assert words in json.loads(answer.body)["error"]


def test_too_few_points_to_lay_out(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    pytest.importorskip("openTSNE")
    log(tmp_path / "logs" / "run", "words", np.eye(3))
    answer = ask().begin("tsne")
    assert json.loads(answer.body)["error"] == "projector/jobs expected at least 4 points; got 3. Use PCA"


@pytest.mark.parametrize("field", ["tensor_path", "metadata_path", "sprite { image_path"])
@pytest.mark.parametrize("path", ["../../secret", "/etc/passwd", "link"])
def test_paths_that_lead_out_are_refused_in_words(
    tmp_path: Path, ask: Callable[..., Asking], field: str, path: str
) -> None:
    (tmp_path / "secret").write_text("1\t2\n3\t4\n")
    folder = tmp_path / "logs" / "run"
    paths = {"tensor_path": "t.tsv", "metadata_path": "t.tsv", "sprite { image_path": "t.tsv"} | {field: path}
    text = " ".join(
        f'{name}: "{value}" {"single_image_dim: 1 single_image_dim: 1 }" if "{" in name else ""}'
        for name, value in paths.items()
    )
    configure(folder, f'embeddings {{ tensor_name: "words" {text} }}', t__tsv=b"1\t2\n3\t4\n")
    os.symlink(tmp_path / "secret", folder / "link")
    asking = ask()
    words = "which is outside of it"
    if field == "metadata_path":
        facts = asking.json("facts")
        assert words in facts["notes"][0]["text"]
        assert facts["columns"] == []
    else:
        status, found = asking.refused("sprite" if "sprite" in field else "facts")
        assert status == 422
        assert words in found


def test_files_that_are_broken_are_refused_and_the_others_shown(
    tmp_path: Path, ask: Callable[..., Asking]
) -> None:
    logs = tmp_path / "logs"
    one = 'embeddings {{ tensor_name: "words" tensor_path: "{}" {} }}'
    configure(logs / "ragged", one.format("t.tsv", ""), t__tsv=b"1\t2\n3\n")
    configure(logs / "gone", one.format("t.tsv", ""))
    configure(
        logs / "cut", one.format("t.bytes", "tensor_shape: 4 tensor_shape: 4"), t__bytes=b"\xff\xfe" * 8
    )
    configure(logs / "letters", one.format("t.tsv", ""), t__tsv=b"one\ttwo\n")
    configure(logs / "empty", one.format("t.tsv", "tensor_shape: 0 tensor_shape: 4"), t__tsv=b"")
    configure(logs / "torn", "embeddings { tensor_name: ")
    (logs / "pipe").mkdir()
    os.mkfifo(logs / "pipe" / "projector_config.pbtxt")
    configure(logs / "pipe2", one.format("p", ""))
    os.mkfifo(logs / "pipe2" / "p")
    log(logs / "run", "words", np.eye(3))
    asking = ask()
    found = sets(asking)
    assert len(found["problems"]) == 2
    assert any(p["text"].startswith("torn: ") for p in found["problems"])
    assert ask("ragged").refused("facts")[1].startswith("'t.tsv' expected 2 numbers with tabs between them")
    assert ask("gone").refused("facts")[1] == (
        "the projector expected a file 't.tsv'; got: No such file or directory"
    )
    assert "got shape (4, 4) and 16 bytes" in ask("cut").refused("facts")[1]
    assert "expected lines of numbers, or float32" in ask("letters").refused("facts")[1]
    assert ask("empty").refused("facts")[0] == 422
    assert ask("pipe2").refused("facts")[0] == 422
    assert asking.json("facts")["points"] == 3


def test_an_endless_file_is_cut_in_words(
    tmp_path: Path, ask: Callable[..., Asking], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "MOST_POINTS", 1000)
    text = 'embeddings { tensor_name: "words" tensor_path: "t.tsv" metadata_path: "m.tsv" }'
    configure(tmp_path / "logs" / "run", text, t__tsv=b"1.5\t2\n" * 20_000, m__tsv=b"label\n" * 20_000)
    facts = ask().json("facts")
    assert facts["points"] == 1000
    assert [note["text"] for note in facts["notes"]] == [
        "t.tsv has more points than are shown: the first 1,000",
        "there are 1,000 points and more than 1,001 lines of labels",
    ]
    shape = "tensor_shape: 5000 tensor_shape: 2"
    text = f'embeddings {{ tensor_name: "words" tensor_path: "t.bytes" {shape} }}'
    configure(tmp_path / "logs" / "run", text, t__bytes=np.full((5000, 2), -1.5, "<f4").tobytes())
    facts = ask().json("facts")
    (note,) = facts["notes"]
    assert (facts["points"], note["text"]) == (1000, "t.bytes has 5,000 points; the first 1,000 are shown")
    assert (note["code"], note["values"]) == ("points_cut_of", {"path": "t.bytes", "total": 5000, "n": 1000})
    monkeypatch.setattr(assets, "MOST_LINE_BYTES", 100)
    configure(
        tmp_path / "logs" / "run", 'embeddings { tensor_name: "words" tensor_path: "long" }', long=b"1\t" * 99
    )
    assert "a line of more than 100 bytes" in ask().refused("facts")[1]


def test_sprites_are_pictures_or_refused(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    text = 'embeddings { tensor_name: "words" tensor_path: "t" sprite { image_path: "s" } }'
    configure(tmp_path / "logs" / "evil", text, s=b"<svg onload='alert(1)'/>")
    log(tmp_path / "logs" / "run", "words", np.eye(4), images=np.zeros((4, 2, 2, 1), np.uint8))
    asking = ask()
    assert sets(asking)["sets"][1]["steps"][0]["sprite"] == {"width": 2, "height": 2}
    answer = asking.raw("sprite")
    assert answer.headers["content-type"] == "image/png"
    assert ask("evil").refused("sprite")[1].startswith("'s' expected a picture (PNG")


def test_vectors_in_checkpoints(tmp_path: Path, ask: Callable[..., Asking]) -> None:
    """TapeFlow's own (safetensors), and one that TensorFlow 2.21 wrote: tests/data/projector/make.py made it."""
    theirs = tmp_path / "logs" / "theirs"
    theirs.mkdir(parents=True)
    for file in (Path(__file__).parents[4] / "data" / "projector").glob("ckpt*"):
        shutil.copy(file, theirs)
    configure(theirs, 'model_checkpoint_path: "ckpt-1" embeddings { tensor_name: "words:0" }')
    _, arrays = ask("theirs", "words:0").packed("pca", components="0")
    assert len(arrays["0"]) == 5
    points = assets.read_points(*_place(ask("theirs", "words:0")))[0]
    assert points == pytest.approx(np.arange(20, dtype=np.float32).reshape(5, 4) / 8)
    configure(theirs, 'model_checkpoint_path: "ckpt-1" embeddings { tensor_name: "nothing" }')
    assert "it has no 'nothing'; it begins with " in ask("theirs", "nothing").refused("facts")[1]
    configure(theirs, 'model_checkpoint_path: "../../ckpt" embeddings { tensor_name: "nothing" }')
    assert "which is outside of it" in ask("theirs", "nothing").refused("facts")[1]
    (theirs / "ckpt-1.index").write_bytes(b"not a table" * 20)
    configure(theirs, 'model_checkpoint_path: "ckpt-1" embeddings { tensor_name: "words" }')
    assert "there is no TensorFlow checkpoint of this name" in ask("theirs", "words").refused("facts")[1]


def _place(asking: Asking) -> Any:
    place = Places(asking.client.board).named("theirs")
    assert place is not None
    return place, place.embeddings[0]
