from __future__ import annotations

import csv
import errno
import importlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board import column_messages, media, throttle
from tapeflow.board.logdirs import Logdir, run_id

HTML = "<script>alert(1)</script>"


@pytest.fixture
def folder(tmp_path: Path, events: Any) -> Path:
    root = tmp_path / "runs"
    loss = [float(i) for i in range(1000)]
    loss[500:503] = [float("nan"), float("inf"), float("-inf")]
    events.write(root / "a", events.scalars("loss", loss) + events.scalars("lr", [0.1, 0.2]))
    events.write(root / "a" / "validation", events.scalars("loss", [3.0, 2.0]) + events.image("grid", 7, 2))
    texts = events.entry("note", HTML, "text", 1) + events.entry("list", np.array([["a", "b"]]), "text", 2)
    tables = events.entry("scores", np.array([["class", "f1"], ["cat", "0.9"]], dtype=object), "tables", 3)
    sound = events.entry("hum", np.array([[b"RIFF\0\0\0\0WAVEfmt ", b""]], dtype=object), "audio", 4)
    gif = events.image("clip", 5, 1, b"GIF89a...")
    bad = events.image("page", 6, 1, b"<svg onload='alert(1)'></svg>")
    events.write(root / HTML.replace("/", "-"), texts + tables + sound + gif + bad)
    return root


@pytest.fixture
def board(folder: Path, serve: Callable[..., Any]) -> Any:
    client = serve(folder)
    client.wait_until_read()
    return client


def test_info_runs_and_tags(board: Any, folder: Path) -> None:
    info = board.get("api/v1/info")
    assert info["logdirs"] == [{"name": "", "path": str(folder), "exists": True}]
    counts = {p["name"]: (p["tags"], p["runs"]) for p in info["panels"]}
    shown = {
        "scalars": (2, 2),
        "images": (2, 2),
        "audio": (1, 1),
        "text": (2, 1),
        "tables": (1, 1),
        "video": (1, 1),
    }
    assert {name: count for name, count in counts.items() if count != (0, 0)} == shown
    runs = board.runs()
    assert list(runs) == ["<script>alert(1)<-script>", "a", "a/validation"]
    assert runs["a/validation"]["path"] == ["a", "validation"]
    assert (runs["a"]["state"], runs["a"]["points"], runs["a"]["message"]) == ("ready", 1002, "")
    assert (runs["a"]["start_time"], runs["a"]["last_time"]) == (1.7e9, 1.7e9 + 999)
    (loss, lr) = board.get("api/v1/tags", panel="scalars")["panels"]["scalars"]
    assert loss["counts"] == {run_id("a"): 1000, run_id("a/validation"): 2}
    assert lr["last_steps"] == {run_id("a"): 1}
    assert set(board.get("api/v1/tags")["panels"]) == set(counts)


def test_what_a_browser_has_is_not_sent_again(board: Any) -> None:
    tag = board.ask("GET", "/api/v1/runs").headers["etag"]
    assert board.ask("GET", "/api/v1/runs", headers={"If-None-Match": tag}).status == 304
    for path in ("/api/v1/info", "/api/v1/tags"):
        tag = board.ask("GET", path).headers["etag"]
        assert board.ask("GET", path, headers={"If-None-Match": tag}).status == 304


def test_what_a_browser_has_of_one_board_is_none_of_another_s(
    tmp_path: Path, events: Any, serve: Callable[..., Any]
) -> None:
    clients = []
    for name in ("one", "two"):
        events.write(
            tmp_path / name / "train", events.scalars(name, [1.0]) + events.image("grid", len(clients))
        )
        clients.append(serve(tmp_path / name, cache=None))
        clients[-1].wait_until_read()
    one, two = clients
    for path in ("/api/v1/runs", "/api/v1/tags", "/api/v1/info"):
        tag = one.ask("GET", path).headers["etag"]
        assert two.ask("GET", path, headers={"If-None-Match": tag}).status == 200, path
    items = [c.get("api/v1/images/items", run=run_id("train"), tag="grid")["items"] for c in clients]
    urls = [found[0]["samples"][0]["url"] for found in items]
    assert urls[0] != urls[1]
    assert two.ask("GET", "/" + urls[0]).status == 404
    keys = [c.get("data/plugin/images/images", run="train", tag="grid")[0]["query"] for c in clients]
    assert one.ask("GET", f"/data/plugin/images/individualImage?{keys[0]}").status == 200
    assert two.ask("GET", f"/data/plugin/images/individualImage?{keys[0]}").status == 404


def test_a_failing_route_answers_as_the_others_do(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board.board, "info", lambda: 1 // 0)
    answer = board.ask("GET", "/api/v1/info")
    assert answer.status == 500
    words = "the board failed; its log says more"
    assert json.loads(answer.body) == {
        "error": words,
        "note": {"code": "failed", "text": words, "values": {}},
    }
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_without_descriptors_a_route_says_so_in_one_line(
    board: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def open_file() -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(throttle.THROTTLE, "_reported", {})
    monkeypatch.setattr(board.board, "info", open_file)
    for _ in range(20):
        answer = board.ask("GET", "/api/v1/info")
        assert (answer.status, json.loads(answer.body)["error"]) == (
            503,
            "the board cannot open files for now: Too many open files; try again later",
        )
    assert caplog.messages == ["files cannot be read until connections are closed: Too many open files"]
    assert capfd.readouterr().err == ""  # uvicorn says nothing


def test_many_series_in_one_request(board: Any) -> None:
    head, (steps, times, values) = board.series("a", "loss")
    assert head["is_raw"]
    assert (head["length"], head["window_total"]) == (1000, 1000)
    assert head["cursor"] == board.cursor("a", 1000)
    assert np.isnan(values[500])
    assert values[501:503].tolist() == [np.inf, -np.inf]
    assert times[-1] == 1.7e9 + 999
    head, (steps, _, values) = board.series("a", "loss", min=490, max=510, pixels=1)
    assert head["window_total"] == 21
    assert {500, 501, 502} <= set(steps.tolist())
    head, (_, _, values, smoothed) = board.series("a", "lr", smoothing=0.5)
    assert head["has_smoothed"]
    assert smoothed.tolist() == pytest.approx([0.1, (0.1 + 2 * 0.2) / 3])
    assert board.series("a", "nothing", smoothing=0.5)[0]["missing"]
    body = {"series": [{"run": run_id("a"), "tag": "lr"}], "axis": "relative", "min": 1, "format": "json"}
    found = json.loads(board.ask("POST", "/api/v1/scalars/series", body).body)["series"][0]
    assert (found["steps"], found["start_time"]) == ([0, 1], 1.7e9)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"{", "/api/v1/scalars/series expected JSON in its body"),
        (b"[]", "scalars/series expected an object; got list"),
        (b'{"series": 3}', "scalars/series expected 'series', a list of at most 20000"),
        (b'{"series": [{"run": 1}]}', "scalars/series expected run and tag as strings; got {'run': 1}"),
        (
            b'{"series": [], "axis": "z"}',
            "scalars/series expected axis to be step, relative or wall; got axis='z'",
        ),
        (b'{"series": [], "min": "a"}', "scalars/series expected a number as min; got min='a'"),
        (b'{"series": [], "pixels": -1}', "scalars/series expected pixels to be 0 or more; got pixels=-1"),
        (
            b'{"series": [], "smoothing": 1}',
            "scalars/series expected smoothing from 0 to below 1; got smoothing=1",
        ),
        (b'{"series": [], "format": "x"}', "scalars/series expected format columns or json; got 'x'"),
    ],
    ids=["json", "list", "series", "key", "axis", "min", "pixels", "smoothing", "format"],
)
def test_wrong_requests_are_refused_in_words(board: Any, body: bytes, text: str) -> None:
    answer = board.ask("POST", "/api/v1/scalars/series", body)
    assert answer.status == 400
    assert json.loads(answer.body)["error"].startswith(text)


def test_a_series_asked_for_often_comes_once_and_points_have_a_limit(
    board: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = importlib.import_module("tapeflow.board.api.scalars.routes")
    body = {"series": [{"run": run_id("a"), "tag": "loss"}] * 20_000}
    answer = board.ask("POST", "/api/v1/scalars/series", body)
    assert [head["total"] for head, _ in column_messages.decode(answer.body)] == [1000]
    monkeypatch.setattr(routes, "MOST_POINTS", 1001)
    body = {"series": [{"run": run_id("a"), "tag": tag} for tag in ("loss", "lr")]}
    answer = board.ask("POST", "/api/v1/scalars/series", body)
    assert answer.status == 400
    assert json.loads(answer.body)["error"].startswith(
        "scalars/series expected series of at most 1001 points in all; got more."
    )


def test_answers_are_made_beside_the_event_loop(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tensorboard = importlib.import_module("tapeflow.board.api.scalars.tensorboard")
    threads = []
    for module, name in (
        (column_messages, "encode"),
        (column_messages, "as_json"),
        (tensorboard, "json_rows"),
    ):
        real = getattr(module, name)

        def watched(*arguments: Any, real: Any = real) -> Any:
            threads.append(threading.current_thread().name)
            return real(*arguments)

        monkeypatch.setattr(module, name, watched)
    for kind in ("columns", "json"):
        body = {"series": [{"run": run_id("a"), "tag": "lr"}], "format": kind}
        assert board.ask("POST", "/api/v1/scalars/series", body).status == 200
    form = b"tag=lr&runs=a"
    assert board.ask("POST", "/data/plugin/scalars/scalars_multirun", form).status == 200
    assert len(threads) == 3
    assert "board-server" not in threads


def test_refusals_of_other_routes(board: Any) -> None:
    for path, status, text in [
        ("/api/v1/nothing", 404, "there is no GET /api/v1/nothing"),
        ("/api/v1/tags?panel=x", 400, "tags expected a panel of runs, scalars, "),
        ("/api/v1/images/items?run=a", 400, "/api/v1/images/items expected tag=... in its query; got none"),
        ("/api/v1/images/items?run=a&tag=b", 404, "images has no run='a' with tag='b'"),
        ("/api/v1/blob?run=a&tag=b&index=0", 404, "there is no run='a' with tag='b'"),
        (
            "/api/v1/blob?run=a&tag=b&index=-1",
            400,
            "/api/v1/blob expected a whole number as index; got index='-1'",
        ),
        ("/api/v1/scalars/download?run=a&tag=b", 404, "scalars/download expected run=... and tag=..."),
        (
            "/api/v1/scalars/download?" + "&".join(f"run={i}&tag={i}" for i in range(150)),
            400,
            "scalars/download expected at most 20000 series; got 150 runs of 150 tags",
        ),
        (
            f"/api/v1/scalars/download?run={run_id('a')}&tag=lr&format=x",
            400,
            "scalars/download expected format=csv",
        ),
    ]:
        answer = board.ask("GET", path)
        assert (answer.status, json.loads(answer.body)["error"][: len(text)]) == (status, text), path
    answer = board.ask("POST", "/api/v1/live/nobody", {"series": []})
    assert answer.status == 409
    assert board.ask("POST", "/api/v1/live/nobody", {"series": [{}]}).status == 400
    assert board.ask("POST", "/api/v1/live/nobody", {}).status == 400


def test_bodies_without_end_are_refused(board: Any) -> None:
    for path in ("/api/v1/scalars/series", "/data/plugin/scalars/scalars_multirun"):
        answer = board.ask("POST", path, b"x" * ((8 << 20) + 1))
        assert (answer.status, json.loads(answer.body)["error"]) == (
            413,
            f"{path} expected a body of at most 8388608 bytes",
        )


def test_series_to_keep(board: Any) -> None:
    query = f"run={run_id('a')}&tag=lr&tag=loss"
    answer = board.ask("GET", f"/api/v1/scalars/download?{query}")
    assert answer.headers["content-disposition"] == 'attachment; filename="scalars.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert len(rows) == 1002
    assert rows[0] == {
        "run": "a",
        "tag": "lr",
        "step": "0",
        "wall_time": "1700000000.0",
        "value": "0.10000000149011612",
    }
    assert {r["value"] for r in rows if r["step"] in ("500", "501", "502") and r["tag"] == "loss"} == {
        "nan",
        "inf",
        "-inf",
    }
    found = json.loads(board.ask("GET", f"/api/v1/scalars/download?{query}&format=json").body)
    assert [len(one["steps"]) for one in found] == [2, 1000]


def test_names_that_a_spreadsheet_would_run_are_quoted(
    tmp_path: Path, events: Any, serve: Callable[..., Any]
) -> None:
    events.write(tmp_path / "runs" / "@run", events.scalars("=1+1", [1.0]))
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    answer = client.ask("GET", f"/api/v1/scalars/download?run={run_id('@run')}&tag=%3D1%2B1")
    assert answer.body.decode().splitlines()[1].startswith("'@run,'=1+1,0,")


def test_media_come_step_by_step_from_the_file(board: Any) -> None:
    found = board.get("api/v1/images/items", run=run_id("a/validation"), tag="grid")
    (item,) = found["items"]
    assert (item["step"], item["width"], item["height"], len(item["samples"])) == (7, 1, 1, 2)
    picture = board.ask("GET", "/" + item["samples"][1]["url"])
    assert picture.headers["content-type"] == "image/png"
    assert picture.body.startswith(b"\x89PNG")
    assert "immutable" in picture.headers["cache-control"]
    assert board.ask("GET", "/" + item["samples"][1]["url"].replace("sample=1", "sample=2")).status == 404
    assert board.ask("GET", "/" + item["samples"][1]["url"] + "0").status == 404  # another generation
    run = run_id("<script>alert(1)<-script>")
    assert (
        board.get("api/v1/video/items", run=run, tag="clip")["items"][0]["samples"][0]["mime"] == "image/gif"
    )
    sound = board.get("api/v1/audio/items", run=run, tag="hum")["items"][0]["samples"][0]
    assert board.ask("GET", "/" + sound["url"]).headers["content-type"] == "audio/wav"
    table = board.get("api/v1/tables/items", run=run, tag="scores")["items"][0]["samples"][0]
    assert board.get(table["url"]) == {"columns": ["class", "f1"], "rows": [["cat", "0.9"]], "row_total": 1}
    note = board.get("api/v1/text/items", run=run, tag="note")["items"][0]["samples"][0]
    assert board.get(note["url"]) == {"shape": [], "texts": [HTML], "is_cut": False}


@pytest.mark.parametrize(
    ("header", "status", "part"),
    [
        ("bytes=0-1", 206, slice(0, 2)),
        ("bytes=4-", 206, slice(4, None)),
        ("bytes=-3", 206, slice(-3, None)),
        ("bytes=4-99999", 206, slice(4, None)),
        ("bytes=99999-", 416, slice(0, 0)),
        ("bytes=0-1,4-5", 200, slice(None)),
        ("lines=0-1", 200, slice(None)),
    ],
)
def test_a_part_of_a_blob(board: Any, header: str, status: int, part: slice) -> None:
    run = run_id("<script>alert(1)<-script>")
    url = board.get("api/v1/audio/items", run=run, tag="hum")["items"][0]["samples"][0]["url"]
    whole = board.ask("GET", "/" + url).body
    answer = board.ask("GET", "/" + url, headers={"Range": header})
    assert answer.status == status
    if status != 416:
        assert answer.body == whole[part]
    if status == 206:
        begin, end, _ = part.indices(len(whole))
        assert answer.headers["content-range"] == f"bytes {begin}-{end - 1}/{len(whole)}"
    elif status == 416:
        assert answer.headers["content-range"] == f"bytes */{len(whole)}"
        assert json.loads(answer.body)["error"].startswith("a range expected bytes before ")


def test_absurd_numbers_of_samples_are_cut_and_said(
    tmp_path: Path, events: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"".join(events.image("grid", step, 1500, b"") for step in range(3))
    texts = events.entry("note", np.array([b""] * 30_000, dtype=object), "text")
    events.write(tmp_path / "runs" / "a", data + texts)
    client = serve(tmp_path / "runs")
    client.wait_until_read()
    assert client.runs()["a"]["message"] == "1500 samples beyond the first 1000 of a step are left out"
    monkeypatch.setattr(media, "MOST_LISTED", 2500)
    found = client.get("api/v1/images/items", run=run_id("a"), tag="grid")
    assert ([len(item["samples"]) for item in found["items"]], found["total"]) == ([1000, 1000], 3)
    found = client.get("api/v1/images/items", run=run_id("a"), tag="grid", start=2)
    assert [item["step"] for item in found["items"]] == [2]
    (text,) = client.get("data/plugin/text/text", run="a", tag="note")
    assert text["text"].count("<tr>") == 10_000


def test_nothing_logged_can_run(board: Any) -> None:
    run = run_id("<script>alert(1)<-script>")
    url = board.get("api/v1/images/items", run=run, tag="page")["items"][0]["samples"][0]["url"]
    answer = board.ask("GET", "/" + url)
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment"
    for path in ("/" + url, "/api/v1/runs", "/data/plugin/text/text?run=x&tag=note", "/nothing"):
        headers = board.ask("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert not headers["content-type"].startswith("text/html")


def test_no_file_but_the_page_s_own_is_served(board: Any, folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret")
    for path in (
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/app.py",
        "/..%2fapp.py",
        "//etc/passwd",
        "/app.py",
    ):
        assert board.ask("GET", path).status == 404, path


def test_settings_over_the_api(board: Any) -> None:
    patch = {"runs": {run_id("a"): {"note": "seed 3"}}}
    assert json.loads(board.ask("PATCH", "/api/v1/settings", patch).body)["runs"] == patch["runs"]
    assert board.get("api/v1/settings") == {**patch, "page": {}}
    assert board.ask("PATCH", "/api/v1/settings", {"x": 1}).status == 400


def test_read_only_and_a_prefix(folder: Path, serve: Callable[..., Any]) -> None:
    client = serve(folder, read_only=True, path_prefix="/my/board")
    client.wait_for(lambda: client.get("my/board/api/v1/info")["progress"]["is_done"])
    assert client.get("my/board/api/v1/info")["read_only"]
    assert client.ask("PATCH", "/my/board/api/v1/settings", {}).status == 403
    assert client.ask("GET", "/api/v1/info").status == 404
    assert client.running.url.endswith("/my/board/")


def test_several_log_folders_with_names(folder: Path, serve: Callable[..., Any], tmp_path: Path) -> None:
    client = serve(Logdir(str(folder), "ours"), Logdir(str(tmp_path / "later"), "theirs"))
    client.wait_until_read()
    assert "ours/a" in client.runs()
    assert [d["exists"] for d in client.get("api/v1/info")["logdirs"]] == [True, False]


def test_a_board_starts_without_what_single_panels_need(tmp_path: Path) -> None:
    code = (
        "import sys; from tapeflow.board import app, board, logdirs; "
        f"app.make_app(board.Board([logdirs.Logdir({str(tmp_path)!r})], board.BoardOptions(cache=None))); "
        "print([name for name in sys.modules if name.startswith('tapeflow.board.api.pro') "
        "and name.count('.') > 3 or name.startswith('tapeflow.summary.profile')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
