"""`tf.io.gfile` on storage elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.io import gfile


@pytest.fixture(params=["s3", "sftp"])
def place(request: pytest.FixtureRequest) -> str:
    found = request.getfixturevalue(request.param)
    return f"{found[0] if isinstance(found, tuple) else found}/folder"


def test_what_is_written_is_read(place: str) -> None:
    gfile.makedirs(f"{place}/a")
    with gfile.GFile(f"{place}/a/notes.txt", "w") as file:
        file.write("one\ntwo\n")
    with gfile.GFile(f"{place}/a/notes.txt") as file:
        assert (file.readline(), file.read(), file.size()) == ("one\n", "two\n", 8)
    with gfile.GFile(f"{place}/a/notes.txt", "rb") as file:
        file.seek(4)
        assert file.read() == b"two\n"
    found = gfile.stat(f"{place}/a/notes.txt")
    assert (found.length, found.is_directory) == (8, False)
    assert found.mtime_nsec > 1.7e18
    assert gfile.exists(f"{place}/a/notes.txt")
    assert gfile.isdir(f"{place}/a")
    assert not gfile.isdir(f"{place}/a/notes.txt")


def test_folders(place: str) -> None:
    for name in ("a/1.txt", "a/b/2.txt", "3.txt"):
        gfile.makedirs(f"{place}/{name}".rpartition("/")[0])
        with gfile.GFile(f"{place}/{name}", "w") as file:
            file.write(name)
    assert sorted(gfile.listdir(place)) == ["3.txt", "a"]
    assert gfile.glob(f"{place}/a/*.txt") == [f"{place}/a/1.txt"]
    with gfile.GFile(gfile.glob(f"{place}/*/b/2*")[0]) as file:
        assert file.read() == "a/b/2.txt"
    walked = {folder: (folders, files) for folder, folders, files in gfile.walk(place)}
    assert walked == {
        place: (["a"], ["3.txt"]),
        f"{place}/a": (["b"], ["1.txt"]),
        f"{place}/a/b": ([], ["2.txt"]),
    }
    gfile.rmtree(f"{place}/a")
    assert gfile.listdir(place) == ["3.txt"]


def test_moving_and_copying(place: str, tmp_path: Path) -> None:
    gfile.makedirs(place)
    (tmp_path / "here.txt").write_text("here")
    gfile.copy(str(tmp_path / "here.txt"), f"{place}/a.txt")
    gfile.copy(f"{place}/a.txt", f"{place}/b.txt")
    gfile.rename(f"{place}/b.txt", f"{place}/c.txt")
    assert sorted(gfile.listdir(place)) == ["a.txt", "c.txt"]
    gfile.rename(f"{place}/c.txt", str(tmp_path / "back.txt"))
    assert (tmp_path / "back.txt").read_text() == "here"
    assert gfile.listdir(place) == ["a.txt"]
    with pytest.raises(tf.errors.AlreadyExistsError, match="expected no file at dst="):
        gfile.copy(str(tmp_path / "here.txt"), f"{place}/a.txt")
    (tmp_path / "here.txt").write_text("new")
    gfile.copy(str(tmp_path / "here.txt"), f"{place}/a.txt", overwrite=True)
    with gfile.GFile(f"{place}/a.txt") as file:
        assert file.read() == "new"
    gfile.remove(f"{place}/a.txt")
    assert not gfile.exists(f"{place}/a.txt")


def test_what_is_not_there(place: str) -> None:
    assert not gfile.exists(f"{place}/x")
    for call in (gfile.stat, gfile.remove, lambda p: gfile.GFile(p).read(), gfile.listdir, gfile.rmtree):
        with pytest.raises(tf.errors.NotFoundError):
            call(f"{place}/x")
    assert gfile.glob(f"{place}/x*") == []


def test_credentials(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tapeflow.io import remote_files

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    remote_files._storage.cache_clear()
    with pytest.raises(tf.errors.PermissionDeniedError, match="credentials"):
        gfile.GFile(f"{s3}/a", "r").read()
    remote_files._storage.cache_clear()


def test_storage_that_nothing_reads_is_not_implemented() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="begins with one of s3://"):
        gfile.exists("nosuch://bucket/a")


def test_memory_of_tensorflow_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.save("ram://model")
    assert gfile.exists("ram://model/saved_model.pb")
    files = [name for _, _, names in gfile.walk("ram://model") for name in names]
    assert "saved_model.pb" in files
    x = tf.ones([1, 2])
    assert tf.keras.models.load_model("ram://model")(x) == model(x)
