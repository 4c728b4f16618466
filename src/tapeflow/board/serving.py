"""Starting a board: a port, a word to the user, and the server."""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import os
import secrets
import socket
import sys
import threading
import webbrowser
from dataclasses import replace
from urllib.parse import quote

import uvicorn

from tapeflow.board.app import make_app
from tapeflow.board.auth import is_loopback
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.connections import Connection, Listener, set_options
from tapeflow.board.logdirs import Logdir
from tapeflow.board.throttle import THROTTLE
from tapeflow.summary.remote import is_remote

_TRIES = 100
_COLLECT = (50_000, 20, 50)  # new objects and rounds between searches for garbage: thousands of runs are none
_SWITCH_S = 0.001  # so that an answer does not wait long for a thread that reads
_BACKLOG = 512  # connections that wait to be accepted; as many are at once
_log = logging.getLogger("tapeflow.board")


class PortTaken(OSError):
    """No port to listen on."""


def listen(host: str, port: int) -> socket.socket:
    """A socket on a port, or on the next free one after it; 0 means any.

    Raises:
        PortTaken: there is none.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = min(port + _TRIES, 65535) if port else 0
    for number in range(port, last + 1):
        found = Listener(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host.strip("[]"), number))
            found.listen(_BACKLOG)
            set_options(found)
        except OSError as error:
            found.close()
            if error.errno != errno.EADDRINUSE:
                raise PortTaken(
                    f"--host {host} cannot be listened on at port {number}: {error.strerror}"
                ) from None
            continue
        return found
    raise PortTaken(f"--port {port} and the {last - port} after it are taken")


class _Server(uvicorn.Server):
    """Ends the live streams first: it would wait for them otherwise."""

    def __init__(self, config: uvicorn.Config, board: Board) -> None:
        super().__init__(config)
        self.board = board

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.board.hub.close()
        await super().shutdown(sockets)


class Running:
    """A board being served.

    Args:
        logdirs: what to show.
        options: how. On a host other than loopback, a token is made unless one is given.
    """

    def __init__(self, logdirs: list[Logdir], options: BoardOptions) -> None:
        self.socket = listen(options.host, options.port)
        port = self.socket.getsockname()[1]
        self.is_other_port = bool(options.port) and port != options.port
        token = options.token or ("" if is_loopback(options.host) else secrets.token_urlsafe(24))
        self.options = replace(options, port=port, token=token)
        self.board = Board(logdirs, self.options)
        config = uvicorn.Config(
            make_app(self.board),
            log_level="warning",
            access_log=False,
            server_header=False,
            loop="asyncio",  # accepts through `Listener`
            http=Connection,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=3,
            ws="none",
        )
        for logger in (_log, logging.getLogger("uvicorn.error")):
            logger.addFilter(THROTTLE)
        self.server = _Server(config, self.board)

    @property
    def url(self) -> str:
        """Where it is, with the token if there is one."""
        token = f"?token={quote(self.options.token, safe='')}" if self.options.token else ""
        return self._root + token

    @property
    def frame_url(self) -> str:
        """Where a page of another site, as a notebook's, finds it for a frame; see `auth`."""
        token = f"~{quote(self.options.token, safe='')}/" if self.options.token else ""
        return self._root + token

    @property
    def _root(self) -> str:
        host = self.options.host.strip("[]")
        if host in ("0.0.0.0", "::"):
            host = socket.gethostname()
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.options.port}{self.options.path_prefix}/"

    def run(self) -> None:
        """Serve until interrupted."""
        with contextlib.suppress(KeyboardInterrupt):
            self.server.run(sockets=[self.socket])

    def run_in_thread(self) -> threading.Thread:
        """Serve beside what the process does otherwise; `stop` ends it."""
        thread = threading.Thread(target=self.run, name="board-server", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End serving."""
        self.server.should_exit = True


def serve(logdirs: list[Logdir], options: BoardOptions, is_opened: bool = False) -> int:
    """Serve a board in the foreground; gives the exit code of the command."""
    sys.setswitchinterval(_SWITCH_S)
    gc.set_threshold(*_COLLECT)
    running = Running(logdirs, options)
    say = sys.stderr.write
    if running.is_other_port:
        say(f"Port {options.port} is taken; using {running.options.port}.\n")
    for logdir in logdirs:
        is_there = is_remote(logdir.path) or os.path.exists(logdir.path)
        missing = "" if is_there else ", which does not exist yet: runs appear once it does"
        say(f"Reading {f'{logdir.name}: ' if logdir.name else ''}{logdir.place}{missing}\n")
    sys.stdout.write(f"TapeFlow board at {running.url}\n")
    sys.stdout.flush()
    say("Press Ctrl+C to stop.\n")
    if is_opened:
        threading.Timer(0.3, webbrowser.open, [running.url]).start()
    running.run()
    return 0
