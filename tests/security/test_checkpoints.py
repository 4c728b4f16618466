"""Checkpoints of others: what their `checkpoint` file names is not deleted, links and damage are said clearly."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.train.tensor_file import TensorFile, write_tensors

THEIRS = Path(__file__).parents[1] / "parity" / "keras" / "fixtures" / "checkpoints" / "old_adam"


def manager_of(folder: Path, **options: Any) -> Any:
    return tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), folder, 1, **options)


def state(folder: Path, *names: str) -> None:
    lines = [f"all_model_checkpoint_paths: {json.dumps(name)}" for name in names]
    times = ["all_model_checkpoint_timestamps: 1700000000.0" for _ in names]
    (folder / "checkpoint").write_text("\n".join(['model_checkpoint_path: "ckpt-1"', *lines, *times]) + "\n")


def test_a_manager_deletes_its_own_checkpoints_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept = []
    for place in (tmp_path, elsewhere, folder):
        for name in ("ckpt-7", "weights", "other-3", "ckpt-7x"):
            if place is not folder or name != "ckpt-7":
                tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(place / name))
                kept.append(place / f"{name}.safetensors")
    (folder / "notes.index").write_bytes(b"mine")
    (folder / "ckpt-9.safetensors").write_bytes(b"a user's file")
    write_tensors(folder / "ckpt-8.safetensors", {"w": np.zeros(2)})
    (folder / "ckpt-6.index").write_bytes(b"no index")
    (folder / "ckpt-6.data-00000-of-00001").write_bytes(b"no data of it")
    os.symlink(elsewhere / "ckpt-7.safetensors", folder / "ckpt-5.safetensors")
    os.symlink(elsewhere, folder / "sub")
    kept += [folder / n for n in ("notes.index", "ckpt-9.safetensors", "ckpt-8.safetensors", "ckpt-6.index")]
    kept += [folder / n for n in ("ckpt-6.data-00000-of-00001", "ckpt-5.safetensors")]
    names = [
        "../ckpt-7",
        str(elsewhere / "ckpt-7"),
        "sub/ckpt-7",
        "sub/../ckpt-7x",
        "weights",
        "other-3",
        "notes",
    ]
    state(
        folder,
        *names,
        "../run/../elsewhere/ckpt-7",
        "ckpt-9",
        "ckpt-8",
        "ckpt-6",
        "ckpt-5",
        "ckpt-7/../../ckpt-7",
    )
    manager = manager_of(folder)
    for _ in range(3):
        manager.save()
    assert [path for path in kept if not path.exists()] == []
    assert manager.checkpoints == [str(folder / "ckpt-3")]
    assert not (folder / "ckpt-2.safetensors").exists()


def test_a_manager_still_deletes_what_it_wrote_before(tmp_path: Path) -> None:
    manager_of(tmp_path).save()
    for ending in ("index", "data-00000-of-00001"):
        (tmp_path / f"ckpt-0.{ending}").write_bytes(THEIRS.with_name(f"{THEIRS.name}.{ending}").read_bytes())
    state(tmp_path, str(tmp_path / "ckpt-0"), "ckpt-1")
    manager = manager_of(tmp_path)
    assert manager.checkpoints == [str(tmp_path / "ckpt-0"), str(tmp_path / "ckpt-1")]
    manager.save(checkpoint_number=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "ckpt-2.safetensors"]


def test_a_state_file_that_makes_no_sense(tmp_path: Path) -> None:
    for text in (b"", b"\xff\xfe", b"model_checkpoint_path: 7\n", b'model_checkpoint_path: "\\', bytes(100)):
        (tmp_path / "checkpoint").write_bytes(text)
        assert tf.train.latest_checkpoint(tmp_path) is None
        if text and b"7" not in text:  # it may be somebody else's file
            with pytest.raises(FileExistsError, match="got a file that is no such list"):
                manager_of(tmp_path).save()
            assert (tmp_path / "checkpoint").read_bytes() == text
        else:
            manager_of(tmp_path).save()


def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ckpt-1.safetensors")
    os.symlink("/dev/zero", tmp_path / "ckpt-2.safetensors")
    for name in ("ckpt-1", "ckpt-2"):
        with pytest.raises(OSError, match="is not a regular file"):
            tf.train.load_checkpoint(tmp_path / name)


def header(**changes: Any) -> bytes:
    entry = {"dtype": "F64", "shape": [2], "data_offsets": [0, 16], **changes.pop("entry", {})}
    text = json.dumps({"w": entry, **changes}).encode()
    return struct.pack("<Q", len(text)) + text + bytes(16)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(struct.pack("<Q", 1 << 62), "header is longer than the file", id="length"),
        pytest.param(struct.pack("<Q", 100_000) + b"[" * 100_000, "header is no JSON", id="deep"),
        pytest.param(header(entry={"shape": [1 << 62]}), "no sound entry", id="shape"),
        pytest.param(header(entry={"shape": None}), "no sound entry", id="no shape"),
        pytest.param(header(entry={"dtype": []}), "no sound entry", id="dtype"),
        pytest.param(header(entry={"data_offsets": [0, 1 << 70]}), "no sound entry", id="offsets"),
        pytest.param(
            header(__metadata__={"dtypes": '{"x": "complex128"}'}), "unsound dtypes", id="no such tensor"
        ),
        pytest.param(header(__metadata__={"dtypes": '{"w": "complex128"}', "a": "b"}), None, id="complex"),
        pytest.param(header(__metadata__={"dtypes": "[" * 5000}), "unknown dtypes", id="deep dtypes"),
        pytest.param(header(__metadata__={"sums": "0"}), "has changed", id="checksum"),
    ],
)
def test_safetensors_files_that_lie(tmp_path: Path, data: bytes, text: str | None) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(data)
    if text is None:
        with TensorFile(path) as file:
            assert file.dtype("w") == np.complex128
        return
    with pytest.raises(ValueError, match=text):
        TensorFile(path).read("w")


def node(**more: Any) -> dict[str, Any]:
    return {"name": "", "children": {}, **more}


@pytest.mark.parametrize(
    "graph",
    [
        [node(children={"v": 7})],
        [node(children={"v": True})],
        [node(children=[])],
        [node(tensor="nothing")],
        [node(children={"v": 1}), node(tensor=None)],
        [node(slots=[[0, "m", 9]])],
        [node(slots={"a": 1})],
        [node(children={"it": 1}), node(state={"$array": "nothing"})],
        [node(children={"it": 1}), node(state={"$tuple": 7})],
        [node(children={"it": 1}), node(state={"$dict": [[[], 1]]})],
        [node(children={"it": 1}), node(state={"$objects": [1], "shape": "x"})],
        [node(children={"it": 1}), node(state={"$what": 1})],
        [node(children={"it": 1}), node(state={"$bytes": "no base64"})],
        [node(children={"it": 1}), node(state={})],
        [node(children={"it": 1}), node(state=json.loads("[" * 500 + "]" * 500))],
        "text",
        [],
    ],
    ids=str,
)
def test_checkpoints_whose_graph_lies(tmp_path: Path, graph: Any) -> None:
    metadata = {"format": "tapeflow-checkpoint", "version": "1", "graph": json.dumps(graph)}
    write_tensors(tmp_path / "c.safetensors", {}, metadata)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0), it=iter(tf.data.Dataset.range(3)))
    with pytest.raises(
        ValueError, match="Restoring expected|Loading state expected|base64|Incorrect padding"
    ):
        checkpoint.restore(str(tmp_path / "c"))


# Folders of datasets and programs


def saved_dataset(folder: Path) -> Path:
    tf.data.Dataset.from_tensor_slices({"x": np.arange(3)}).save(str(folder))
    return folder


@pytest.mark.parametrize(
    "change",
    [
        {"element": 7},
        {"element": {"spec": [[2], "nonsense"]}},
        {"element": {"spec": [["x"], "int64"]}},
        {"element": {"spec": [[10**40], "int64"]}},
        {"element": {"dict": [["a"]]}},
        {"element": {"dict": [[1, None], ["a", None]]}},
        {"element": {"what": []}},
        {"element": json.loads('{"tuple":[' * 400 + "]}" * 400)},
        {"count": "many"},
        {"count": -1},
        {"compression": "7z"},
        {"element": {"dict": [["x", {"spec": [[5], "int64"]}]]}},
        {"element": {"dict": [["x", {"spec": [[], "float32"]}]]}},
        {"element": {"tuple": []}},
    ],
    ids=lambda change: str(change)[:40],
)
def test_manifests_of_datasets_that_lie(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = saved_dataset(tmp_path / "d")
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(tf.errors.DataLossError, match=r"saved dataset.*use another copy\."):
        list(tf.data.Dataset.load(str(folder)))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "[" * 100_000, "null"])
def test_manifests_of_datasets_that_are_none(tmp_path: Path, text: str) -> None:
    folder = saved_dataset(tmp_path / "d")
    (folder / "dataset.json").write_text(text)
    with pytest.raises(tf.errors.DataLossError, match="expected a whole saved dataset"):
        tf.data.Dataset.load(str(folder))


def test_records_of_datasets_that_lie(tmp_path: Path) -> None:
    folder = saved_dataset(tmp_path / "d")
    for record in (b"\xff", b"\x0a\x02\x08\x63", b"", b"\x0a\x08\x08\x09\x12\x04\x12\x02\x08\x7f"):
        with tf.io.TFRecordWriter(str(folder / "elements.tfrecord")) as writer:
            writer.write(record)
        with pytest.raises(tf.errors.DataLossError, match=r"A saved dataset expected elements"):
            list(tf.data.Dataset.load(str(folder)))


def test_records_that_claim_to_be_long(tmp_path: Path) -> None:
    from tapeflow.summary.event_files.records import header as record_header

    for length in (1 << 32, (1 << 63) - 1):
        (tmp_path / "r").write_bytes(record_header(length) + b"short")
        with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
            list(tf.data.TFRecordDataset(str(tmp_path / "r")))


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_compressed_records_that_are_cut_off(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "r"
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        writer.write(bytes(np.random.default_rng(0).integers(0, 256, 5000, np.uint8)))
    data = path.read_bytes()
    for changed in (data[:100], b"not compressed", data[:50] + b"\xff" * 50 + data[100:]):
        path.write_bytes(changed)
        with pytest.raises(tf.errors.DataLossError, match="a whole compressed file|record"):
            list(tf.data.TFRecordDataset(str(path), kind))


@pytest.mark.parametrize("name", ["dataset.json", "elements.tfrecord"])
def test_links_out_of_a_dataset_are_not_followed(tmp_path: Path, name: str) -> None:
    folder = saved_dataset(tmp_path / "d")
    os.rename(folder / name, tmp_path / name)
    os.symlink(tmp_path / name, folder / name)
    with pytest.raises(tf.errors.DataLossError, match="got a symbolic link to a place outside it"):
        list(tf.data.Dataset.load(str(folder)))


@pytest.fixture(scope="module")
def saved_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    module: Any = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec((2,))])
    folder = tmp_path_factory.mktemp("programs") / "saved"
    tf.saved_model.save(module, folder)
    return folder


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m.update(variables=7), "variables='7'"),
        (lambda m: m["variables"][0].update(path=["__class__"]), "path="),
        (lambda m: m["variables"][0].update(trainable="yes"), "trainable='yes'"),
        (lambda m: m["endpoints"].update(f={}), "endpoints='{}'"),
        (lambda m: m["endpoints"]["f"][0].update(writes=[3]), r"writes='\[3\]'"),
        (lambda m: m["endpoints"]["f"][0].update(file=7), "file='7'"),
        (lambda m: m["endpoints"]["f"][0]["inputs"][0].update(shape=[-1]), "shape="),
        (lambda m: m["endpoints"]["f"][0].update(arguments=[["x", {"input": 5}]]), "input='5'"),
        (lambda m: m["endpoints"]["f"][0].update(arguments=[["x", {"what": 5}]]), "arguments="),
        (lambda m: m.update(signatures={"a": "nothing"}), "signatures='nothing'"),
        (lambda m: m.pop("sha256"), "sha256='None'"),
    ],
)
def test_manifests_of_programs_that_lie(saved_program: Path, change: Any, text: str) -> None:
    path = saved_program / "saved_model.json"
    good = path.read_text()
    manifest = json.loads(good)
    change(manifest)
    path.write_text(json.dumps(manifest))
    try:
        with pytest.raises(ValueError, match=f"expected a whole saved model.*its manifest has {text}"):
            tf.saved_model.load(saved_program)
    finally:
        path.write_text(good)


@pytest.mark.parametrize("name", ["saved_model.json", "variables.safetensors"])
def test_links_out_of_a_saved_model_are_not_followed(saved_program: Path, tmp_path: Path, name: str) -> None:
    os.rename(saved_program / name, tmp_path / name)
    os.symlink(tmp_path / name, saved_program / name)
    try:
        with pytest.raises(ValueError, match="got a symbolic link to a place outside it"):
            tf.saved_model.load(saved_program)
    finally:
        os.replace(tmp_path / name, saved_program / name)
    assert tf.saved_model.load(saved_program).f(tf.constant([1.0, 1.0])).numpy().tolist() == [1.0, 2.0]


def test_a_part_of_a_checkpoint_that_lies_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "c.index").write_bytes(THEIRS.with_name(f"{THEIRS.name}.index").read_bytes())
    (tmp_path / "secret").write_bytes(THEIRS.with_name(f"{THEIRS.name}.data-00000-of-00001").read_bytes())
    os.symlink("../secret", folder / "c.data-00000-of-00001")
    with pytest.raises(ValueError, match="got a symbolic link to a place outside it"):
        tf.train.load_checkpoint(folder / "c")
