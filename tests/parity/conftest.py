"""A real TensorBoard, asked over its HTTP routes as its own pages ask it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest


class Board:
    """TensorBoard, asked over HTTP."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def raw(self, route: str, **query: Any) -> bytes:
        url = f"{self.address}/{route}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read()

    def ask(self, route: str, **query: Any) -> Any:
        return json.loads(self.raw(route, **query))

    def post(self, route: str, body: Any) -> Any:
        request = urllib.request.Request(
            f"{self.address}/{route}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until TensorBoard has read what there is."""
        end = time.monotonic() + 120
        while True:
            try:
                if condition():
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            if time.monotonic() > end:
                raise TimeoutError("TensorBoard did not show what was logged")
            time.sleep(0.3)


@contextmanager
def _serve(folder: Path, *options: str) -> Iterator[Board]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--load_fast", "false", "--host", "127.0.0.1", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    try:
        yield Board(port)
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[Board]]:
    """`serve(folder, *options)`: a TensorBoard on a folder, inside a `with` block."""
    return _serve
