"""Connections of clients that are slow, silent or gone: each is closed in time, and there is an end to their number.

uvicorn closes a connection that is idle between two requests. This adds what it leaves open: a request whose head or
body does not come to an end, and an answer that is not taken. A live stream stays open as long as its client reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
import os
import socket
import time
from typing import Any

import h11
import orjson
from uvicorn.protocols.http.h11_impl import H11Protocol

from tapeflow.board.logdirs import NO_DESCRIPTORS
from tapeflow.board.schema import Problem

MOST_CONNECTIONS = 2000  # or half of the descriptors that the process may have open
HEADERS_S = 10.0  # from connecting, or the answer before, to the end of a request's head
BODY_S = 60.0  # from the end of the head to the end of the body
STALL_S = 60.0  # in which LEAST_TAKEN bytes of an answer must be taken
LEAST_TAKEN = 16 << 10
_TRY_AGAIN_S = 0.01
_SEND_BUFFER = 256 << 10
_PROBES = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 90_000}
_log = logging.getLogger("tapeflow.board")


class Listener(socket.socket):
    """A socket that turns clients away while the process has no descriptor left for them.

    asyncio would say so with a traceback for each, and they would wait. One descriptor is held in reserve: with it a
    client is accepted and let go, so that none is left for the event loop to look at again and again.
    """

    _reserve = -1

    def listen(self, *backlog: int) -> None:
        """Begin to listen."""
        self._reserve = self._reserve if self._reserve >= 0 else os.open(os.devnull, os.O_RDONLY)
        super().listen(*backlog)

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection."""
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in NO_DESCRIPTORS:
                raise
            _log.warning("connections are refused until others are closed: %s", error.strerror)
            self._turn_away()
            raise BlockingIOError from None  # as if there were none: the event loop goes on

    def close(self) -> None:
        """End listening."""
        self._give_reserve()
        super().close()

    def _turn_away(self) -> None:
        if self._reserve < 0:
            time.sleep(_TRY_AGAIN_S)  # others have taken it
        self._give_reserve()
        with contextlib.suppress(OSError):
            super().accept()[0].close()
        with contextlib.suppress(OSError):
            self._reserve = os.open(os.devnull, os.O_RDONLY)

    def _give_reserve(self) -> None:
        if self._reserve >= 0:
            os.close(self._reserve)
            self._reserve = -1


def set_options(listener: socket.socket) -> None:
    """Set what connections inherit from the listener.

    The system closes those whose other end is gone without a word, and holds so little of an answer that one can see
    whether the client takes it.
    """
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    for name, value in _PROBES.items():
        if hasattr(socket, name):  # each system has some of them
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def most_connections() -> int:
    """How many connections there may be: so many that files can still be opened beside them."""
    with contextlib.suppress(ImportError):  # not POSIX
        import resource  # not on Windows

        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if descriptors != resource.RLIM_INFINITY:
            return min(MOST_CONNECTIONS, descriptors // 2)
    return MOST_CONNECTIONS


class Connection(H11Protocol):
    """A connection that does not wait for ever."""

    _awaited: object = None  # the part of a request that is timed
    _read_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    # What uvicorn and asyncio call

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request, or refuse the client if there are too many."""
        super().connection_made(transport)
        most = most_connections()
        if len(self.connections) > most:
            self._refuse(503, f"the board expected at most {most} connections; try again later")
        else:
            self._watch_reading()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        self._watch_reading()

    def on_response_complete(self) -> None:
        """Wait for the next request, and for the last of the answer to be taken."""
        super().on_response_complete()
        self._watch_reading()
        self._watch_writing()

    def pause_writing(self) -> None:
        """Wait for the client to take what is written."""
        super().pause_writing()
        self._watch_writing()

    def resume_writing(self) -> None:
        """Go on: the client has taken most of what was written."""
        super().resume_writing()
        self._write_timer = _cancelled(self._write_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._read_timer = _cancelled(self._read_timer)
        self._write_timer = _cancelled(self._write_timer)
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the connection: at once where it is the client that is waited for."""
        if self.conn.their_state is h11.SEND_BODY or self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().shutdown()

    # Waiting

    def _watch_reading(self) -> None:
        awaited = self.conn.their_state
        if awaited is self._awaited:
            return
        self._awaited = awaited
        self._read_timer = _cancelled(self._read_timer)
        seconds = {h11.IDLE: HEADERS_S, h11.SEND_BODY: BODY_S}.get(awaited)
        if seconds is not None and not self.transport.is_closing():
            self._read_timer = self.loop.call_later(seconds, self._end_reading, seconds)

    def _end_reading(self, seconds: float) -> None:
        self._refuse(408, f"the board expected the rest of a request within {seconds:g} seconds")

    def _watch_writing(self) -> None:
        size = self.transport.get_write_buffer_size()
        if size and self._write_timer is None:
            self._write_timer = self.loop.call_later(STALL_S, self._check_writing, size)

    def _check_writing(self, size_before: int) -> None:
        self._write_timer = None
        size = self.transport.get_write_buffer_size()
        if size and size_before - size < LEAST_TAKEN:
            self.transport.abort()
        else:
            self._watch_writing()

    def _refuse(self, status: int, words: str) -> None:
        """Close the connection; with an answer, if none has begun."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # what the application still sends is dropped
        if self.transport.get_write_buffer_size():
            self.transport.abort()
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_answer(status, words))
        self.transport.close()


def _answer(status: int, words: str) -> bytes:
    body: Problem = {"error": words, "note": None}
    data = orjson.dumps(body)
    head = (
        f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
        f"X-Content-Type-Options: nosniff\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + data


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
