from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tapeflow.board.api.runs.trash import FOLDER
from tapeflow.board.logdirs import run_id


@pytest.fixture
def old(events: Any) -> Callable[..., Path]:
    """Writes a run that is no longer being written."""

    def write(folder: Path, name: str = "events.out.tfevents.1.host") -> Path:
        path = events.write(folder, events.scalars("loss", [1.0, 2.0]), name)
        os.utime(path, (1.7e9, 1.7e9))
        return path

    return write


def post(client: Any, route: str, **body: Any) -> Any:
    answer = client.ask("POST", f"/api/v1/runs/{route}", body)
    assert answer.status == 200, answer.body
    return orjson.loads(answer.body)


def test_a_run_is_deleted_and_taken_back(tmp_path: Path, old: Any, serve: Callable[..., Any]) -> None:
    runs = tmp_path / "runs"
    paths = [old(runs / "a/train"), old(runs / "a/validation"), old(runs / "b")]
    profile = runs / "a/train/plugins/profile/one/host.xplane.pb"
    profile.parent.mkdir(parents=True)
    profile.write_bytes(b"")
    (runs / "a" / "weights.bin").write_bytes(b"1234")
    before = {path: path.read_bytes() for path in [*paths, profile]}
    client = serve(runs)
    client.wait_until_read()
    found = post(client, "trash", runs=[run_id("a/validation")])
    (one,) = found["trashed"]
    assert (one["name"], one["files"], found["refused"]) == ("a", 3, [])
    client.wait_for(lambda: set(client.runs()) == {"b"})
    assert sorted(p.name for p in (runs / "a").rglob("*")) == ["weights.bin"]
    assert not any(
        "tfevents" in name or "xplane" in name for _, _, names in os.walk(runs / FOLDER) for name in names
    )
    assert client.get("api/v1/runs/trash") == found
    assert post(client, "trash/restore", trashed=[one["trash"]]) == {"trashed": [], "refused": []}
    client.wait_for(lambda: set(client.runs()) == {"a/train", "a/validation", "b"})
    assert {path: path.read_bytes() for path in before} == before
    client.wait_for(lambda: client.runs()["a/train"]["points"] == 2)


def test_what_is_erased_is_gone(tmp_path: Path, old: Any, serve: Callable[..., Any]) -> None:
    old(tmp_path / "runs/a")
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    (one,) = post(client, "trash", runs=[run_id("a")])["trashed"]
    assert post(client, "trash/erase", trashed=[one["trash"]]) == {"trashed": [], "refused": []}
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_run_that_is_being_written_stays(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    path = events.write(tmp_path / "runs/a", events.scalars("loss", [1.0]))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    found = post(client, "trash", runs=[run_id("a"), "nonsense"])
    assert [note["text"] for note in found["refused"]] == [
        "nonsense: there is no such run any more",
        "a: it is still being written; stop it first",
    ]
    assert path.exists()


def test_a_run_behind_a_link_stays(tmp_path: Path, old: Any, serve: Callable[..., Any]) -> None:
    real = old(tmp_path / "runs/real")
    (tmp_path / "runs/other").mkdir()
    (tmp_path / "runs/other/events.out.tfevents.2.host").symlink_to(real)
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    (refused,) = post(client, "trash", runs=[run_id("other")])["refused"]
    assert refused["text"] == "other: it is reached through a link; delete what the link leads to"
    assert real.exists()


def test_a_single_file_is_deleted_beside_itself(tmp_path: Path, old: Any, serve: Callable[..., Any]) -> None:
    path = old(tmp_path / "runs")
    client = serve(path)
    client.wait_until_read()
    (one,) = post(client, "trash", runs=[run_id(".")])["trashed"]
    assert not path.exists()
    post(client, "trash/restore", trashed=[one["trash"]])
    assert path.exists()


def test_nothing_is_overwritten(tmp_path: Path, old: Any, serve: Callable[..., Any]) -> None:
    path = old(tmp_path / "runs/a")
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    (one,) = post(client, "trash", runs=[run_id("a")])["trashed"]
    path.parent.mkdir()
    path.write_bytes(b"new")
    (refused,) = post(client, "trash/restore", trashed=[one["trash"]])["refused"]
    assert refused["text"] == f"a: a/{path.name} is there again; move it away first"
    assert path.read_bytes() == b"new"
    assert len(client.get("api/v1/runs/trash")["trashed"]) == 1


@pytest.mark.parametrize("route", ["trash", "trash/restore", "trash/erase"])
def test_a_board_that_is_read_only_deletes_nothing(
    route: str, tmp_path: Path, old: Any, serve: Callable[..., Any]
) -> None:
    path = old(tmp_path / "runs/a")
    client = serve(tmp_path / "runs", read_only=True)
    client.wait_until_read()
    answer = client.ask("POST", f"/api/v1/runs/{route}", {"runs": [run_id("a")], "trashed": []})
    assert answer.status == 403
    assert b"--read-only: runs cannot be deleted or restored" in answer.body
    assert path.exists()


@pytest.mark.parametrize("route", ["trash", "trash/restore", "trash/erase"])
def test_a_page_of_another_site_deletes_nothing(
    route: str, tmp_path: Path, old: Any, serve: Callable[..., Any]
) -> None:
    path = old(tmp_path / "runs/a")
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    body = {"runs": [run_id("a")], "trashed": []}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.ask("POST", f"/api/v1/runs/{route}", body, headers).status == 403
    form = client.ask("POST", f"/api/v1/runs/{route}", b"runs=x", {"Content-Type": "text/plain"})
    assert form.status == 415
    assert path.exists()


@pytest.mark.parametrize("body", [[], {"runs": "a"}, {"runs": [3]}, {}])
def test_what_is_no_list_of_runs_is_refused(body: Any, tmp_path: Path, serve: Callable[..., Any]) -> None:
    answer = serve(tmp_path).ask("POST", "/api/v1/runs/trash", body)
    assert answer.status == 400
    assert b"api/v1/runs/trash expected {'runs': [...]} with at most 10000 texts" in answer.body


@pytest.mark.parametrize(
    "names",
    [["../../outside"], ["/etc/passwd"], ["a//b"], [""], [f"{FOLDER}/x"], ["link/inside"], ["a\0b"]],
    ids=["above", "absolute", "empty part", "empty", "trash", "link", "zero"],
)
def test_the_list_in_the_trash_is_not_trusted(
    names: list[str], tmp_path: Path, serve: Callable[..., Any]
) -> None:
    """Whoever can write to a log folder must not move files out of it with the board's hands."""
    runs, outside = tmp_path / "runs", tmp_path / "outside"
    name = f"0-{int(time.time()):010d}-00000000"
    (runs / FOLDER / name).mkdir(parents=True)
    outside.mkdir()
    (runs / "link").symlink_to(outside)
    (runs / FOLDER / name / "0").write_bytes(b"data")
    content = {"run": "x", "time": 1.0, "files": [one.encode().hex() for one in names]}
    (runs / FOLDER / name / "files.json").write_bytes(orjson.dumps(content))
    client = serve(runs)
    (refused,) = post(client, "trash/restore", trashed=[name])["refused"]
    assert refused["code"] in ("damaged", "failed")
    assert list(outside.iterdir()) == []
    assert (runs / FOLDER / name / "0").read_bytes() == b"data"


@pytest.mark.parametrize("name", ["..", "../..", "0-1-2", "7-1700000000-00000000", "0-1700000000-00000000"])
def test_names_that_are_not_in_the_trash_are_refused(
    name: str, tmp_path: Path, old: Any, serve: Callable[..., Any]
) -> None:
    path = old(tmp_path / "runs/a")
    client = serve(tmp_path / "runs")
    for route in ("trash/erase", "trash/restore"):
        (refused,) = post(client, route, trashed=[name])["refused"]
        assert refused["text"].startswith(f"{name}: ")
    assert path.exists()


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"files": [3]}', b'{"files": ["zz"]}'])
def test_a_damaged_list_is_said(text: bytes, tmp_path: Path, serve: Callable[..., Any]) -> None:
    name = f"0-{int(time.time()):010d}-00000000"
    place = tmp_path / "runs" / FOLDER / name
    place.mkdir(parents=True)
    (place / "files.json").write_bytes(text)
    (refused,) = post(serve(tmp_path / "runs"), "trash/restore", trashed=[name])["refused"]
    assert "its list of files in the trash cannot be used" in refused["text"]


def test_a_link_in_place_of_the_trash_is_not_followed(
    tmp_path: Path, old: Any, serve: Callable[..., Any]
) -> None:
    path = old(tmp_path / "runs/a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "runs" / FOLDER).symlink_to(tmp_path / "outside")
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    (refused,) = post(client, "trash", runs=[run_id("a")])["refused"]
    assert refused["code"] == "failed"
    assert path.exists()
    assert list((tmp_path / "outside").iterdir()) == []
