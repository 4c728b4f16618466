"""Saving deletes nothing it did not write: every writer is let loose on folders that hold files of the user's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.board.index import Index
from tapeflow.saved_model.constants import GRAPH_FILES

X, Y = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)
Writer = Callable[[Any], Any]


def _model() -> tf.keras.Model:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


MODEL = _model()
WRITERS: dict[str, Writer] = {
    "Dataset.save": lambda path: tf.data.Dataset.range(5).save(path),
    "Dataset.snapshot": lambda path: list(tf.data.Dataset.range(5).snapshot(path)),
    "Dataset.cache": lambda path: list(tf.data.Dataset.range(5).cache(path)),
    "Model.export": MODEL.export,
    "saved_model.save": lambda path: tf.saved_model.save(MODEL, path),
}
REPLACING = {name: WRITERS[name] for name in ("Dataset.save", "Model.export", "saved_model.save")}
READING = [WRITERS["Dataset.snapshot"], WRITERS["Dataset.cache"]]  # a folder that has a manifest
MANIFESTS = {"dataset.json", "saved_model.json"}
each_writer = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
each_replacing = pytest.mark.parametrize("write", REPLACING.values(), ids=REPLACING)


def tree(folder: Path) -> dict[str, Any]:
    """All that is below a folder: where links lead, what is in files."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        kind = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = kind
    return found


def is_whole(path: Path | str) -> bool:
    return len(MANIFESTS & set(os.listdir(path))) == 1


FOREIGN: dict[str, Callable[[Path], Any]] = {
    "a file": lambda folder: (folder / "thesis.tex").write_text("x"),
    "hidden files": lambda folder: (folder / ".git").mkdir(),
    "a folder of folders": lambda folder: (folder / "src" / "deep").mkdir(parents=True),
    "a link": lambda folder: (folder / "link").symlink_to("nowhere"),
    "a link with the name of one of our files": lambda folder: (folder / "elements.tfrecord").symlink_to("a"),
    "our names, without a manifest": lambda folder: (folder / "variables.safetensors").write_text("x"),
    "a manifest of somebody else": lambda folder: (folder / "dataset.json").write_text('{"name": "mnist"}'),
    "a manifest that is no JSON": lambda folder: (folder / "saved_model.json").write_text("{"),
    "a manifest that is no object": lambda folder: (folder / "dataset.json").write_text("[" * 10**5),
    "a folder with the name of a manifest": lambda folder: (folder / "dataset.json").mkdir(),
}


@each_writer
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_in_a_folder_stays_and_is_named(write: Writer, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    FOREIGN[kind](folder)
    before = tree(tmp_path)
    is_read = write in READING and (folder / "dataset.json").is_file()
    with pytest.raises(Exception if is_read else FileExistsError) as caught:
        write(str(folder))
    if not is_read:
        assert "Nothing was changed" in str(caught.value)
        assert repr(os.listdir(folder)[0]) in str(caught.value)
    assert tree(tmp_path) == before


@each_writer
@pytest.mark.parametrize("path", [".", "..", "./", "../work", "link", "link/", "inner/..", "/"])
def test_however_the_folder_is_called(
    write: Writer, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "inner").mkdir(parents=True)
    (work / "notes.txt").write_text("x")
    (work / "link").symlink_to(work)
    monkeypatch.chdir(work)
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match="which holds"):
        write(path)
    assert tree(tmp_path) == before


@each_writer
def test_a_file_in_the_place_of_the_folder_stays(write: Writer, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    (tmp_path / "link").symlink_to("plain")
    before = tree(tmp_path)
    for name in ("plain", "link"):
        with pytest.raises(FileExistsError, match="which is a file"):
            write(str(tmp_path / name))
    with pytest.raises((OSError, tf.errors.OpError)):
        write(str(tmp_path / "plain" / "below"))
    assert tree(tmp_path) == before


@each_replacing
def test_no_path_at_all(write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="expected the path of a folder; got path=''"):
        write("")
    assert not tree(tmp_path)


@each_writer
@pytest.mark.parametrize("path", ["new", "new/", "deep/new", "empty", "empty/", "link", "dangling"])
def test_new_and_empty_folders_are_written_to(
    write: Writer, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("link").symlink_to("empty")
    Path("dangling").symlink_to("elsewhere")
    write(path)
    assert is_whole(path)
    assert Path("link").is_symlink()
    assert Path("dangling").is_symlink()
    assert not list(tmp_path.rglob(".*"))


@each_writer
def test_an_empty_current_folder_is_written_to(
    write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(".")
    assert is_whole(".")
    assert Path.cwd() == tmp_path


@each_replacing
def test_the_current_folder_is_not_replaced_under_our_feet(
    write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(".")
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match="other than the current one"):
        write(".")
    assert tree(tmp_path) == before


@each_replacing
def test_our_own_folder_is_replaced(write: Writer, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(str(folder))
    first = folder.stat().st_ino
    names = set(tree(tmp_path))
    write(f"{folder}/")
    assert folder.stat().st_ino != first
    assert set(tree(tmp_path)) == names


@each_replacing
@pytest.mark.parametrize("name", ["README.md", ".gitignore", "extra.stablehlo", "assets.extra/tokens.txt"])
def test_a_file_put_beside_ours_stays_and_is_named(write: Writer, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(str(folder))
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match=f"which holds '{name.split('/')[0]}'"):
        write(str(folder))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["../victim", "/victim", "notes.txt", "sub/../../victim.stablehlo"])
def test_a_manifest_cannot_claim_files_that_are_not_ours(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    MODEL.export(folder)
    manifest = json.loads((folder / "saved_model.json").read_text())
    manifest["sha256"][name] = "0"
    (folder / "saved_model.json").write_text(json.dumps(manifest))
    (folder / "notes.txt").write_text("mine")
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "victim.stablehlo").write_text("mine")
    with pytest.raises(FileExistsError, match=r"notes\.txt"):
        MODEL.export(folder)
    (folder / "notes.txt").unlink()
    MODEL.export(folder)
    assert (tmp_path / "victim").read_text() == (tmp_path / "victim.stablehlo").read_text() == "mine"


@each_replacing
def test_a_failure_in_the_middle_leaves_the_old_folder(
    write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    write(str(folder))
    before = tree(tmp_path)

    def fails(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dumps", fails)
    with pytest.raises(KeyboardInterrupt):
        write(str(folder))
    assert tree(tmp_path) == before


def test_a_killed_process_leaves_the_old_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    tf.data.Dataset.range(5).save(str(folder))
    program = (
        "import os, sys, tapeflow as tf\n"
        "def die(x):\n    os._exit(9) if int(x) == 3 else None\n    return x\n"
        "tf.data.Dataset.range(9).map(die).save(sys.argv[1])\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(folder)], check=False).returncode == 9
    assert [int(x) for x in tf.data.Dataset.load(str(folder))] == [0, 1, 2, 3, 4]
    assert len(list(tmp_path.iterdir())) == 2  # what it had begun lies beside, and goes with the next save
    tf.data.Dataset.range(2).save(str(folder))
    assert list(tmp_path.iterdir()) == [folder]


def test_a_saved_model_leaves_all_others_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / "variables").mkdir()
    (tmp_path / "variables" / "mine.txt").write_text("x")
    before = tree(tmp_path)
    for _ in range(2):
        MODEL.save(tmp_path)
    ours = {"model.keras", *GRAPH_FILES}
    assert {name: kept for name, kept in tree(tmp_path).items() if name not in ours} == before
    (tmp_path / "model.keras").write_text("mine")
    with pytest.raises(FileExistsError, match="no saved model"):
        MODEL.save(tmp_path)
    assert (tmp_path / "model.keras").read_text() == "mine"


@pytest.mark.parametrize("name", GRAPH_FILES)
def test_a_saved_model_replaces_no_other(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match="expected a new folder, or one that it wrote"):
        MODEL.save(tmp_path)
    assert tree(tmp_path) == before


CHECKPOINTS: dict[str, Callable[[Path], Any]] = {
    "save_weights": lambda folder: MODEL.save_weights(folder / "w"),
    "Checkpoint.save": lambda folder: tf.train.Checkpoint(model=MODEL).save(folder / "ckpt"),
    "CheckpointManager": lambda folder: tf.train.CheckpointManager(
        tf.train.Checkpoint(model=MODEL), folder, 1
    ).save(),
}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_file_named_checkpoint_is_replaced_only_if_it_lists_checkpoints(name: str, tmp_path: Path) -> None:
    save = CHECKPOINTS[name]
    (tmp_path / "checkpoint").write_bytes(b"weights of another library")
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match="no such list"):
        save(tmp_path)
    assert tree(tmp_path) == before
    (tmp_path / "checkpoint").write_bytes(b"")
    for _ in range(2):
        save(tmp_path)
    assert tf.train.latest_checkpoint(tmp_path) is not None


def test_training_leaves_the_users_files_alone(tmp_path: Path) -> None:
    names = [
        "thesis.tex",
        ".git/HEAD",
        "train/data.csv",
        "plugins/profile/mine.pb",
        "best.keras.bak",
        ".best.keras.1-backup.tmp",
        "ckpt-1.h5",
        "training_state.txt",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    os.utime(tmp_path / ".best.keras.1-backup.tmp", (1e9, 1e9))
    callbacks = tf.keras.callbacks
    for _ in range(2):
        _model().fit(
            X,
            Y,
            epochs=2,
            verbose=0,
            callbacks=[
                callbacks.BackupAndRestore(tmp_path, save_freq=1),
                callbacks.ModelCheckpoint(tmp_path / "best.keras"),
                callbacks.ModelCheckpoint(tmp_path / "w{epoch}", save_weights_only=True),
                callbacks.CSVLogger(tmp_path / "log.csv"),
                callbacks.TensorBoard(tmp_path, profile_batch=(1, 1)),
            ],
        )
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=MODEL), tmp_path, 1)
    for _ in range(3):
        manager.save()
    tf.profiler.experimental.start(str(tmp_path))
    tf.profiler.experimental.stop(save=False)
    for name in names:
        assert (tmp_path / name).read_text() == name


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
@pytest.mark.parametrize("name", ["model.keras", "model.h5", "model.safetensors"])
def test_links_devices_and_folders_are_not_replaced_by_a_file(name: str, tmp_path: Path) -> None:
    save = MODEL.save_weights if name.endswith("safetensors") else MODEL.save
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "elsewhere" / name)
    save(tmp_path / name)
    assert (tmp_path / name).is_symlink()
    assert (tmp_path / "elsewhere" / name).stat().st_size > 0
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        save(tmp_path / name)
    (tmp_path / name).rmdir()
    os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match="a device or pipe is not replaced"):
        save(tmp_path / name)
    assert (tmp_path / name).is_fifo()
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(tmp_path / name)
    with pytest.raises(OSError, match="symbolic links"):
        save(tmp_path / name)


def test_a_profile_that_is_not_kept_takes_no_file_with_it(tmp_path: Path) -> None:
    tf.profiler.experimental.start(str(tmp_path))
    (folder,) = (tmp_path / "plugins" / "profile").iterdir()
    (folder / "notes.txt").write_text("mine")
    tf.profiler.experimental.stop(save=False)
    assert os.listdir(folder) == ["notes.txt"]


def test_the_boards_index_removes_its_own_files_alone(tmp_path: Path) -> None:
    old = {f"{'0' * 32}.tfi", "tmpabcd1234.part"}
    kept = {"film.mp4.part", "notes.tfi", f"{'0' * 32}.tfi.bak"}
    for name in old | kept:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9, 1e9))
    Index(str(tmp_path)).prune()
    assert set(os.listdir(tmp_path)) == kept
