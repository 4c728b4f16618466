"""Event files made by hand, and boards served from this process on a port of their own."""

from __future__ import annotations

import base64
import http.client
import json
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tapeflow.board import column_messages
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.logdirs import Logdir, run_id
from tapeflow.board.serving import Running
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.tensors import tensor_bytes

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Events:
    """Event files made by hand."""

    @staticmethod
    def scalars(tag: str, values: list[float], first: int = 0, time: float = 1.7e9) -> bytes:
        """Records of one tag."""
        meta = encoding.metadata("scalars")
        return b"".join(
            record(encoding.scalar_event(time + first + i, first + i, tag, value, meta))
            for i, value in enumerate(values)
        )

    @staticmethod
    def entry(tag: str, value: Any, plugin: str, step: int = 0, content: bytes = b"") -> bytes:
        """A record of something else."""
        meta = encoding.metadata(plugin, content)
        return record(encoding.tensor_event(1.7e9 + step, step, tag, tensor_bytes(value), meta))

    @staticmethod
    def image(tag: str, step: int = 0, samples: int = 1, data: bytes = PNG) -> bytes:
        """A record of pictures."""
        strings = np.array([b"1", b"1", *[data] * samples], dtype=object)
        return Events.entry(tag, strings, "images", step)

    @staticmethod
    def write(folder: Path, data: bytes = b"", name: str = "events.out.tfevents.1.host") -> Path:
        """A new event file in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_bytes(record(encoding.version_event(1.7e9)) + data)
        return path

    @staticmethod
    def append(path: Path, data: bytes) -> None:
        """More records at the end of a file."""
        with path.open("ab") as file:
            file.write(data)


@pytest.fixture
def events() -> type[Events]:
    """What makes event files."""
    return Events


class Client:
    """What a page or a script does."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.board = running.board
        self.port = running.options.port

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> SimpleNamespace:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, headers or {})
        answer = connection.getresponse()
        found = SimpleNamespace(status=answer.status, headers=answer.headers, body=answer.read())
        connection.close()
        return found

    def get(self, path: str, **query: Any) -> Any:
        answer = self.ask("GET", f"/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else ""))
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def series(self, run: str, tag: str, **window: Any) -> tuple[Any, column_messages.Points]:
        body = {"series": [{"run": run_id(run), "tag": tag}], **window}
        answer = self.ask("POST", "/api/v1/scalars/series", body)
        assert answer.status == 200, answer.body
        (found,) = column_messages.decode(answer.body)
        return found

    def cursor(self, run: str, count: int) -> str:
        return f"{self.board.store.runs[run_id(run)].generation}.{count}"

    def runs(self) -> dict[str, Any]:
        return {run["name"]: run for run in self.get("api/v1/runs")["runs"]}

    def wait_for(self, condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + 20
        while not (found := condition()):
            assert time.monotonic() < end, self.get("api/v1/runs")
            time.sleep(0.02)
        return found

    def wait_until_read(self) -> None:
        self.wait_for(lambda: self.get("api/v1/info")["progress"]["is_done"])


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """`serve(folder, ..., read_only=True)`: a board on folders, ready to be asked."""
    started = []

    def start(*folders: Path | Logdir, **options: Any) -> Client:
        logdirs = [f if isinstance(f, Logdir) else Logdir(str(f)) for f in folders]
        defaults = {
            "port": 0,
            "cache": str(tmp_path / "cache"),
            "settings": str(tmp_path / "data" / "settings.json"),
            "reload_interval_s": 0.02,
        }
        running = Running(logdirs, BoardOptions(**{**defaults, **options}))
        started.append((running, running.run_in_thread()))
        client = Client(running)
        if not running.options.token:
            client.wait_for(lambda: running.server.started)
        return client

    def stop(client: Client) -> None:
        for running, thread in started:
            if running is client.running:
                running.stop()
                thread.join(20)

    start.stop = stop  # type: ignore[attr-defined]
    yield start
    for running, thread in started:
        running.stop()
        thread.join(20)
        assert not thread.is_alive()


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Board]:
    """`load(folder)`: a board that has read a folder once, not served."""

    def read(folder: Path) -> Board:
        board = Board(
            [Logdir(str(folder))], BoardOptions(cache=None, settings=str(tmp_path / "settings.json"))
        )
        board.ingest.read_once()
        return board

    return read
