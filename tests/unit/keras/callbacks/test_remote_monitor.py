"""`RemoteMonitor`, against a server of the test's own."""

from __future__ import annotations

import json
import threading
import urllib.parse
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np
import pytest

from tapeflow.keras.callbacks import RemoteMonitor


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("no_proxy", "*")
    got: list[tuple[str, dict[str, str], str]] = []

    class Handler(BaseHTTPRequestHandler):
        status = 200

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            got.append((self.path, dict(self.headers), body))
            self.send_response(Handler.status)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...

    http = HTTPServer(("127.0.0.1", 0), Handler)
    http.got, http.handler = got, Handler  # type: ignore[attr-defined]
    http.root = f"http://127.0.0.1:{http.server_port}"  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield http
    http.shutdown()
    thread.join()
    http.server_close()


def test_posts_a_form(fit: Any, server: Any) -> None:
    fit(RemoteMonitor(server.root, headers={"X-Run": "7"}), [{"loss": 0.5}])
    path, headers, body = server.got[0]
    assert path == "/publish/epoch/end/"
    assert headers["X-Run"] == "7"
    assert json.loads(urllib.parse.parse_qs(body)["data"][0]) == {"epoch": 0, "loss": 0.5}


def test_posts_json_with_numpy_values(server: Any) -> None:
    monitor = RemoteMonitor(server.root, path="/x", send_as_json=True)
    monitor.on_epoch_end(3, {"lr": np.float32(0.5), "f1": np.array([1.0, 2.0])})
    path, headers, body = server.got[0]
    assert (path, headers["Content-Type"]) == ("/x", "application/json")
    assert json.loads(body) == {"epoch": 3, "lr": 0.5, "f1": [1.0, 2.0]}


@pytest.mark.parametrize("root", ["http://127.0.0.1:9", "no address"])
def test_training_goes_on_with_one_warning(fit: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(fit(RemoteMonitor(root), [{"loss": 0.5}] * 3).epoch) == 3
    assert len(caught) == 1
    assert f"Could not reach RemoteMonitor root server at {root}: " in str(caught[0].message)


def test_a_refusing_server_is_told_once(fit: Any, server: Any) -> None:
    server.handler.status = 500
    with pytest.warns(UserWarning, match="Could not reach RemoteMonitor .* 500") as caught:
        fit(RemoteMonitor(server.root), [{"loss": 0.5}] * 2)
    assert len(caught) == 1
    assert len(server.got) == 2
