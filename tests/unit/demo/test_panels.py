from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from tapeflow import summary
from tapeflow.board import app
from tapeflow.board.board import BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.serving import Running
from tapeflow.demo.panels import findings


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that needs no building."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<script src="./assets/index.js"></script>')
    (folder / "assets" / "index.js").write_text("")
    monkeypatch.setattr(app, "STATIC", folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return folder


@pytest.fixture
def serve(page: Path) -> Iterator[Callable[[Path], Running]]:
    started = []

    def start(logdir: Path) -> Running:
        running = Running([Logdir(str(logdir))], BoardOptions(port=0, cache=None))
        started.append((running, running.run_in_thread()))
        return running

    yield start
    for running, thread in started:
        running.stop()
        thread.join()


def found_in(running: Running) -> dict[str, str]:
    return {one.title: str(one) for one in findings(running.url)}


def test_a_panel_that_shows_nothing_is_named(serve: Callable[[Path], Running], tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path / "run").as_default():
        summary.scalar("loss", 1.0, step=0)
        summary.flush()
    found = found_in(serve(tmp_path / "run"))
    assert found["The page"] == "The page: 1 files"
    assert found["Scalars"] == "Scalars: 1 tags in 1 runs, 1 answers"
    assert found["Images"] == "Images: shows nothing of what the demo has logged"


def test_a_page_that_lacks_a_file(serve: Callable[[Path], Running], page: Path, tmp_path: Path) -> None:
    (page / "assets" / "index.js").unlink()
    running = serve(tmp_path / "none")
    assert found_in(running)["The page"].startswith("The page: ./assets/index.js answers 404")
    (page / "index.html").write_text("<p>")
    assert found_in(running)["The page"] == "The page: names no script; is it built?"


def test_a_board_that_is_gone() -> None:
    gone = Running([], BoardOptions(port=0, cache=None))
    gone.socket.close()
    (found,) = findings(gone.url)
    assert found.trouble.startswith("api/v1/info does not answer: ")


class Board(http.server.BaseHTTPRequestHandler):
    """A board with every panel that answers whatever it is asked for, and notes it."""

    asked: ClassVar[list[str]] = []
    names = ("hparams", "graphs", "histograms", "projector", "custom_scalars", "profile", "mesh")

    def do_GET(self) -> None:
        tag = {"tag": "t", "counts": {"r": 1}}
        answers: dict[str, object] = {
            "/": '<script src="./x.js"></script>',
            "/api/v1/info": {
                "progress": {"is_done": True},
                "panels": [{"name": name, "title": name.title()} for name in self.names],
            },
            "/api/v1/tags": {"panels": {name: [] if name[:2] == "pr" else [tag] for name in self.names}},
            "/api/v1/projector/sets": {"sets": [{"run": "r", "name": "t"}]},
            "/api/v1/runs": {"runs": [{"id": "r"}, {"id": "s", "profiles": {"now": ""}}]},
            "/api/v1/custom_scalars/layout": {},
            "/api/v1/hparams/sessions": {"metrics": [{"tag": "epoch_accuracy", "group": ""}]},
        }
        self.asked.append(self.path)
        if self.path.startswith("/api/v1/hparams/importance"):
            self.send_error(404)
            return
        answer = answers.get(self.path.rstrip("?"), {"any": "thing"})
        body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_every_panel_is_asked_as_the_page_asks_it() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Board) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        found = {one.title: str(one) for one in findings(f"http://127.0.0.1:{server.server_port}/")}
        server.shutdown()
        thread.join()
    assert found["Hparams"].startswith("Hparams: api/v1/hparams/importance?tag=epoch_accuracy")
    assert found["Custom_Scalars"] == "Custom_Scalars: api/v1/custom_scalars/layout answers nothing"
    assert found["Graphs"] == "Graphs: 1 tags in 1 runs, 2 answers"
    assert found["Projector"] == "Projector: 3 answers"
    assert found["Profile"] == "Profile: 2 answers"
    for path in (
        "profile/overview?run=s&session=now",
        "mesh/items?run=r&tag=t",
        "projector/pca?run=r&name=t",
    ):
        assert f"/api/v1/{path}" in Board.asked
