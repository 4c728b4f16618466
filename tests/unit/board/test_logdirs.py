from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board.logdirs import Leaves, Logdir, find_runs, run_id, shown


def found(*logdirs: Logdir) -> dict[str, list[str]]:
    return {run.name: [os.path.basename(f) for f in run.files] for run in find_runs(list(logdirs)).values()}


def test_runs_have_the_names_tensorboard_gives_them(tmp_path: Path, events: Any) -> None:
    events.write(tmp_path)
    events.write(tmp_path / "größe 1" / "train", name="b.tfevents")
    events.write(tmp_path / "größe 1" / "train", name="a.tfevents")
    (tmp_path / "empty").mkdir()
    (tmp_path / "größe 1" / "notes.txt").write_text("no events")
    assert found(Logdir(str(tmp_path))) == {
        ".": ["events.out.tfevents.1.host"],
        "größe 1/train": ["a.tfevents", "b.tfevents"],
    }
    assert set(found(Logdir(str(tmp_path), "ours"))) == {"ours", "ours/größe 1/train"}


def test_a_single_file_is_a_run(tmp_path: Path, events: Any) -> None:
    path = events.write(tmp_path / "run", name="anything.bin")
    assert found(Logdir(str(path))) == {".": ["anything.bin"]}
    assert found(Logdir(str(path), "mine")) == {"mine": ["anything.bin"]}


def test_what_does_not_exist_has_no_runs(tmp_path: Path) -> None:
    assert found(Logdir(str(tmp_path / "later"))) == {}


def test_links_that_lead_out_are_not_followed_and_said(tmp_path: Path, events: Any) -> None:
    events.write(tmp_path / "secret")
    root = tmp_path / "runs"
    path = events.write(root / "good")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "good" / "out.tfevents").symlink_to(tmp_path / "secret" / "events.out.tfevents.1.host")
    (root / "inside").symlink_to(root / "good")
    (root / "gone").symlink_to(tmp_path / "nothing")
    (root / "good" / "circle").symlink_to(root)
    (root / "passwd").symlink_to("/etc/passwd")
    runs = {run.name: run for run in find_runs([Logdir(str(root))]).values()}
    assert set(runs) == {"good", "good/out.tfevents", "out"}
    assert list(runs["good"].files) == [str(path)]
    for name in ("out", "good/out.tfevents"):
        assert not runs[name].files
        assert "a link that leads out of the log folder is not followed" in str(runs[name].refusal)


def test_a_log_folder_may_itself_be_a_link(tmp_path: Path, events: Any) -> None:
    events.write(tmp_path / "real" / "run")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert set(found(Logdir(str(tmp_path / "link")))) == {"run"}


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
def test_names_that_are_no_text_are_shown(tmp_path: Path, events: Any) -> None:
    folder = os.fsdecode(os.fsencode(str(tmp_path)) + b"/b\xff")
    events.write(Path(folder))
    assert set(found(Logdir(str(tmp_path)))) == {"b\\xff"}
    assert shown(folder).endswith("b\\xff")


def test_ids_are_the_same_at_every_start() -> None:
    assert run_id("lr=0.1/train") == "dc78fd7e103d"


def test_runs_stay_while_no_folder_can_be_opened(
    tmp_path: Path, events: Any, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    events.write(tmp_path / "runs" / "a", events.scalars("loss", [1.0]))
    board = load(tmp_path / "runs")

    def scandir(path: str) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(OSError, match="Too many open files"):
        find_runs(board.logdirs)
    assert [run.name for run in board.store.ordered_runs()] == ["a"]


def test_a_folder_that_has_not_changed_is_not_looked_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "b/inner"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.tfevents").write_bytes(b"1")
    for folder in (tmp_path / "a", tmp_path / "b/inner", tmp_path / "b"):
        os.utime(folder, (1.7e9, 1.7e9))
    leaves: Leaves = {}
    logdirs = [Logdir(str(tmp_path))]
    first = find_runs(logdirs, leaves)
    assert set(leaves) == {str(tmp_path / "a"), str(tmp_path / "b/inner")}  # what holds a folder is none
    scanned: list[str] = []
    real = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (scanned.append(path), real(path))[1])
    assert find_runs(logdirs, leaves) == first
    assert scanned == [str(tmp_path), str(tmp_path / "b")]
    with open(tmp_path / "a/x.tfevents", "ab") as file:
        file.write(b"2")
    grown = find_runs(logdirs, leaves)[run_id("a")]
    assert [status.st_size for status in grown.files.values()] == [2]
    (tmp_path / "a/y.tfevents").write_bytes(b"")
    assert len(find_runs(logdirs, leaves)[run_id("a")].files) == 2
    assert (
        str(tmp_path / "a") not in leaves
    )  # it has just changed, and may again within the same tick of its clock
    os.unlink(tmp_path / "b/inner/x.tfevents")
    os.utime(tmp_path / "b/inner", (1.7e9, 1.7e9))  # as if nothing had happened
    assert run_id("b/inner") not in find_runs(logdirs, leaves)


def test_a_link_in_the_place_of_an_event_file_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    folder = tmp_path / "runs/a"
    folder.mkdir(parents=True)
    (folder / "x.tfevents").write_bytes(b"1")
    os.utime(folder, (1.7e9, 1.7e9))
    leaves: Leaves = {}
    logdirs = [Logdir(str(tmp_path / "runs"))]
    find_runs(logdirs, leaves)
    assert leaves
    (folder / "x.tfevents").unlink()
    (folder / "x.tfevents").symlink_to(secret)
    os.utime(folder, (1.7e9, 1.7e9))
    found = find_runs(logdirs, leaves).values()
    assert not [path for run in found for path in run.files]
