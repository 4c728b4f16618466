"""Alerts of a board that is running: of what is written meanwhile, of processes that end, and who is told of them."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tapeflow import summary
from tapeflow.board.health import vitals, watch
from tapeflow.board.health.vitals import Vitals, status_of
from tapeflow.board.health.webhook import Webhook, checked
from tapeflow.cli import main
from tapeflow.summary.captured import messages


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "PAUSE_S", 0.02)
    monkeypatch.setattr(watch, "_STATUS_S", 0.05)


@pytest.fixture
def posts() -> Iterator[Any]:
    """A server on loopback that keeps what is posted to it."""
    kept: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.append({"path": self.path, **json.loads(body)})
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/elsewhere")
            else:
                self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Be quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.kept = kept  # type: ignore[attr-defined]
    yield server
    server.shutdown()
    server.server_close()


def codes(client: Any, run: str) -> list[str]:
    found = client.runs().get(run, {"alerts": []})
    return [alert["code"] for alert in found["alerts"]]


def has_codes(client: Any, run: str, expected: list[str]) -> bool:
    return codes(client, run) == expected


def test_what_is_written_meanwhile(
    tmp_path: Path, events: Any, serve: Callable[..., Any], posts: Any
) -> None:
    old = events.write(tmp_path / "logs" / "old", events.scalars("loss", [1.0, float("nan"), float("nan")]))
    os.utime(old, (1.7e9, 1.7e9))
    address = f"http://127.0.0.1:{posts.server_port}/hook?key=x"
    client = serve(tmp_path / "logs", webhook=address)
    client.wait_for(lambda: codes(client, "old") == ["nan"])
    file = events.write(tmp_path / "logs" / "new", events.scalars("loss", [3.0, 2.0, 1.0]))
    client.wait_for(lambda: client.runs().get("new", {}).get("points") == 3)
    assert codes(client, "new") == []
    events.append(file, events.scalars("loss", [float("inf")] * 3, first=3))
    client.wait_for(lambda: codes(client, "new") == ["nan"])
    (alert,) = client.runs()["new"]["alerts"]
    assert (alert["level"], alert["tag"], alert["step"]) == ("error", "loss", 3)
    assert alert["note"]["text"] == "loss is not a finite number from step 3 on"
    client.wait_for(lambda: posts.kept)
    (posted,) = posts.kept  # nothing of the run that was over before
    assert posted["path"] == "/hook?key=x"
    assert posted["text"] == "new: loss is not a finite number from step 3 on"
    assert (posted["run"], posted["code"], posted["level"]) == ("new", "nan", "error")
    listed = client.get("api/v1/alerts/items")["runs"]
    assert [(one["name"], len(one["alerts"])) for one in listed] == [("new", 1), ("old", 1)]


def test_an_alert_of_ones_own(tmp_path: Path, serve: Callable[..., Any]) -> None:
    client = serve(tmp_path)
    with summary.run("x", tmp_path, capture=["facts"]) as run:
        summary.alert("odd", "first")
        summary.alert("odd", "<b>second</b>", level="error", step=7)
        run.flush()
        name = Path(run.logdir).name
        client.wait_for(lambda: codes(client, name) == ["user"])
        assert client.runs()[name]["status"] == "running"
    client.wait_for(lambda: client.runs()[name]["status"] == "finished")
    (alert,) = client.runs()[name]["alerts"]
    assert (alert["note"]["text"], alert["detail"]) == ("odd", "<b>second</b>")
    assert (alert["level"], alert["step"], alert["count"]) == ("error", 7, 2)


def test_a_process_that_is_killed(
    tmp_path: Path, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vitals, "_DOUBT", 0.05)
    text = f"""
import time
from tapeflow import summary
from tapeflow.summary.captured import capture
capture._TICK_S = capture.BEAT_S = 0.1
with summary.run("x", {str(tmp_path)!r}, capture=["facts"]) as run:
    summary.scalar("loss", 1.0, step=0)
    run.flush()
    time.sleep(60)
"""
    client = serve(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", text])
    try:
        client.wait_for(lambda: [run for run in client.runs().values() if run["status"] == "running"])
        time.sleep(1.5)  # until the facts have been written, too
    finally:
        process.kill()
        process.wait()
    client.wait_for(lambda: [run for run in client.runs().values() if run["status"] == "crashed"])
    (run,) = client.runs().values()
    assert run["alerts"][0]["note"]["code"] == "killed"


def test_findings_outlive_the_board(tmp_path: Path, events: Any, serve: Callable[..., Any]) -> None:
    trace = messages.dumped({"id": "a", "state": "crashed", "error": "ValueError: x", "traceback": "Trace"})
    data = events.scalars("loss", [1.0, float("nan"), float("nan")])
    data += events.entry(messages.STATE, trace, messages.PLUGIN)
    file = events.write(tmp_path / "logs" / "a", data)
    os.utime(file, (1.7e9, 1.7e9))
    for _ in range(2):
        client = serve(tmp_path / "logs")
        client.wait_for(partial(has_codes, client, "a", ["nan", "crashed"]))
        (run,) = client.board.store.runs.values()
        assert run.judged == run.points
        serve.stop(client)  # type: ignore[attr-defined]
    (alert,) = [alert for alert in client.board.store.answer(run)["alerts"] if alert["code"] == "crashed"]
    assert alert["detail"] == "Trace"


def test_signs_of_life() -> None:
    state: Vitals = {
        "state": "running",
        "beat": 1000.0,
        "interval_s": 10.0,
        "host": "elsewhere",
        "process": 1,
    }
    assert status_of({}) == ""
    assert status_of(state, 1030.0) == "running"
    assert status_of(state, 1061.0) == "stalled"
    assert status_of(state, 900.0) == "running"  # its clock is ahead
    assert status_of({**state, "state": "finished"}, 9e9) == "finished"
    ours: Vitals = {
        **state,
        "host": vitals.socket.gethostname(),
        "process": os.getpid(),
        "process_began": 5.0,
    }
    assert status_of(ours, 1025.0) == "crashed"  # another process has its number
    assert status_of({**ours, "process": 10**30}, 1025.0) in ("crashed", "running")


def test_another_process_goes_on_with_the_run() -> None:
    found: Vitals = {}

    def take(tag: str, at: float, **message: Any) -> None:
        vitals.take(found, tag, vitals.np.array(messages.dumped(message), object), 0, at)

    take(messages.STATE, 1.0, id="a", state="running", interval_s=10)
    take(messages.FACTS, 1.0, id="a", time=1.0, host="h", process=7)
    take(messages.STATE, 2.0, id="a", state="crashed", error="E", traceback="T")
    assert (found["state"], found["error"], found["process"]) == ("crashed", "E", 7)
    take(messages.STATE, 3.0, id="b", state="running", interval_s=1e9)
    assert (found["state"], found["error"], found["process"], found["interval_s"]) == ("running", "", 0, 3600)
    take(messages.STATE, 2.5, id="a", state="finished")  # read late
    assert found["state"] == "running"
    for i in range(200):
        take(messages.ALERTS, float(i), title=f"t{i}", level="info")
    assert len(found["alerts"]) == vitals.MOST_ALERTS


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://host/x",
        "https://",
        "host/path",
        "http://host:99999999/",
        "http://a b/",
        "file:///etc/passwd",
    ],
)
def test_addresses_nothing_is_posted_to(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="--webhook expected an address like https://host/path; got"):
        checked(url)
    if url:
        assert main(["board", "--logdir", "x", "--webhook", url]) == 2
        assert "--webhook expected" in capsys.readouterr().err


def test_a_webhook_that_fails_is_said_once_and_redirections_are_not_followed(
    posts: Any, caplog: pytest.LogCaptureFixture, load: Callable[..., Any], tmp_path: Path, events: Any
) -> None:
    events.write(tmp_path / "a")
    (run,) = load(tmp_path).store.ordered_runs()
    alert: Any = {"code": "nan", "level": "error", "tag": "x", "step": 1, "note": {"text": "bad"}}
    hook = Webhook(f"http://127.0.0.1:{posts.server_port}/moved")
    with caplog.at_level("WARNING", "tapeflow.board"):
        hook(run, alert)
        hook(run, alert)
        hook(run, {**alert, "level": "info"})
        hook.close()
    assert [post["path"] for post in posts.kept] == ["/moved", "/moved"]
    assert [record.message for record in caplog.records] == [
        "alerts could not be posted to 127.0.0.1: it answered 302"
    ]
