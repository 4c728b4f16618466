"""Answers made smaller with gzip, for browsers that take it: JSON, and the page's own files."""

from __future__ import annotations

import gzip

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST_BYTES = 1000
MOST_BYTES = 32 << 20
_LEVEL = 4
_QUICK_BYTES = 32 << 10  # that the event loop may compress itself
_KINDS = (
    "application/json",
    "text/html",
    "text/css",
    "text/javascript",
    "application/javascript",
    "image/svg+xml",
)


class Compressed:
    """An application whose answers are compressed where that pays; streams, pictures and columns go as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_wanted = scope["type"] == "http" and scope["method"] != "HEAD"
        if is_wanted and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            send = _Sender(send)
        await self._app(scope, receive, send)


class _Sender:
    """Holds an answer back until it is whole, if it is to be compressed."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_for_it(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start)

    async def _finish(self, start: Message) -> None:
        body = bytes(self._body)
        headers = MutableHeaders(raw=start["headers"])
        headers.add_vary_header("Accept-Encoding")
        if len(body) >= LEAST_BYTES:
            is_quick = len(body) <= _QUICK_BYTES
            body = _packed(body) if is_quick else await run_in_threadpool(_packed, body)
            headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(body))
            if "etag" in headers and not headers["etag"].startswith("W/"):
                headers["ETag"] = f"W/{headers['etag']}"  # the same content in other bytes
        await self._send({**start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})


def _is_for_it(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind = headers.get("content-type", "").partition(";")[0]
    length = headers.get("content-length", "")
    is_small_enough = length.isdigit() and int(length) <= MOST_BYTES
    return start["status"] == 200 and kind in _KINDS and is_small_enough and "content-encoding" not in headers


def _packed(body: bytes) -> bytes:
    return gzip.compress(body, _LEVEL, mtime=0)
