"""Large answers, made once for all who ask as long as nothing has changed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from tapeflow.board import column_messages
from tapeflow.board.store import Store


class Once:
    """An answer in columns that depends on the runs alone; the snapshot may have it from the last start."""

    def __init__(self, store: Store, name: str, make: Callable[[Store], bytes]) -> None:
        self._store = store
        self._name = name
        self._make = make
        self._lock = threading.Lock()
        self._version = -1
        self._data = b""
        self._tag = ""

    def current(self) -> tuple[bytes, str]:
        """The message as it is now, and a tag made of it."""
        with self._lock:
            version = self._store.runs_version
            if self._version != version:
                self._data = self._store.prepared(self._name) or self._make(self._store)
                self._tag = f'"{hashlib.blake2s(self._data, digest_size=16).hexdigest()}"'
                self._version = version
            return self._data, self._tag

    def answer(self, request: Request) -> Response:
        """The message, or nothing if the browser that asks has the same already."""
        data, tag = self.current()
        headers = {"Cache-Control": "no-cache", "ETag": tag}
        if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
            return Response(None, 304, headers)
        return Response(data, 200, headers, column_messages.MIME)
