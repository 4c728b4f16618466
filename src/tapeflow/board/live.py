"""The live stream: server-sent events that tell each page what has changed since it was last told.

There are no queues. Each client remembers what it has been told (a version, and a cursor for each series it follows);
when something has changed it is told everything since then at once. A slow client thus gets fewer and larger
messages, loses nothing and costs no memory.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson

from tapeflow.board import column_messages
from tapeflow.board.runs import Run
from tapeflow.board.sampling import POINTS_A_PIXEL, thin
from tapeflow.board.schema import LiveRequest, LiveRuns, LiveTags, SeriesHead
from tapeflow.board.series import SCALAR_COLUMNS, Series
from tapeflow.board.settings import SettingsFile
from tapeflow.board.store import Changes, Store

MOST_CLIENTS = 1000
MOST_POINTS = 20_000
MOST_LOOKED_AT = 500_000  # points for one message; a series that is begun is told whole, the next ones follow
_MOST_TAGS = 5000
_PAUSE_S = 0.1
# While runs are read by the thousand, each message makes the page and the server go through all of them.
_LOADING_PAUSE_S = 0.5
_LOADING_PAUSE_A_RUN_S = 1e-4
_BEAT_S = 15.0
_MOST_MADE = 64
_MOST_MADE_BYTES = 32 << 20

Wanted = tuple[tuple[tuple[str, str], str], ...]
"""Run and tag of series, each with a cursor."""
_Made = TypeVar("_Made")


class Client:
    """One page's stream.

    Attributes:
        version, settings_version: what it has been told of.
        cursors: the series it follows, and how far it has been told of each.
        is_behind: whether it may lack points of series that have not changed since.
    """

    def __init__(self, version: int, settings_version: int) -> None:
        self.id = secrets.token_hex(8)
        self.version = version
        self.settings_version = settings_version
        self.cursors: dict[tuple[str, str], str] = {}
        self.is_behind = False


class News(NamedTuple):
    """A message of new points, where the cursors of its series are then, and whether there is no more to tell."""

    message: bytes
    moved: dict[tuple[str, str], str]
    is_all: bool


class Hub:
    """All clients, and the waking of them."""

    def __init__(self, store: Store, settings: SettingsFile) -> None:
        self.store = store
        self.settings = settings
        self.clients: dict[str, Client] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()
        self._is_told = False
        self._is_closed = False
        self._is_settled = True
        self._made: dict[Any, Any] = {}
        self._made_bytes = 0

    def open(self) -> None:
        """Listen to the store; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        self.store.listeners.append(self.wake)

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self.wake()

    def wake(self) -> None:
        """Say that something has changed; from any thread."""
        if self._loop is not None and not self._is_told:
            self._is_told = True
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._is_told = False
        news, self._news = self._news, asyncio.Event()
        news.set()

    def follow(self, client_id: str, request: LiveRequest) -> bool:
        """Set the series a client follows; False if there is no such client."""
        client = self.clients.get(client_id)
        if client is None:
            return False
        client.cursors = {(s["run"], s["tag"]): s["cursor"] for s in request["series"]}
        client.is_behind = True
        self.wake()
        return True

    async def stream(self) -> AsyncIterator[bytes]:
        """The messages of a new client, as long as it listens."""
        client = Client(self.store.version, self.settings.version)
        self.clients[client.id] = client
        try:
            yield _event("hello", orjson.dumps({"client": client.id}))
            beat = time.monotonic()
            while not self._is_closed:
                news = self._news
                found = self._messages(client)
                if found:
                    yield found
                    beat = time.monotonic()
                    await asyncio.sleep(self._pause_s())
                    continue
                try:
                    await asyncio.wait_for(news.wait(), max(beat + _BEAT_S - time.monotonic(), 0.01))
                except TimeoutError:
                    yield b": still here\n\n"
                    beat = time.monotonic()
        finally:
            del self.clients[client.id]

    def _pause_s(self) -> float:
        """How long a client is told nothing after a message."""
        if self._is_settled:
            return _PAUSE_S
        return _LOADING_PAUSE_S + _LOADING_PAUSE_A_RUN_S * len(self.store.runs)

    def _messages(self, client: Client) -> bytes:
        """What a client has not been told."""
        parts = []
        changes = self._changes(client.version)
        if changes.version != client.version:
            key = (client.version, changes.version)
            parts.append(self._once(key, lambda: self._common(changes), len))
            client.version = changes.version
        client.is_behind |= changes.is_partial
        if changes.series or changes.begun_anew or client.is_behind:
            parts.append(self._points(client, changes))
        if client.settings_version != self.settings.version:
            settings = self.settings.get()
            client.settings_version = self.settings.version
            parts.append(_event("settings", orjson.dumps(settings)))
        return b"".join(parts)

    def _changes(self, since: int) -> Changes:
        return self._once(("changes", since, self.store.version), lambda: self.store.changes(since))

    def _once(
        self, key: Any, make: Callable[[], _Made], size: Callable[[_Made], int] = lambda made: 0
    ) -> _Made:
        """What `make` gives, made once for all clients that want the same; `size` says how many bytes it takes."""
        if key not in self._made:
            made = make()
            self._made_bytes += size(made)
            if len(self._made) >= _MOST_MADE or self._made_bytes > _MOST_MADE_BYTES:
                self._made.clear()
                self._made_bytes = size(made)
            self._made[key] = made
        return self._made[key]

    def _common(self, changes: Changes) -> bytes:
        """Changes of runs and tags, for everybody."""
        store = self.store
        with store.lock:
            ids = changes.runs
            runs: LiveRuns = {
                "runs": [store.answer(store.runs[i]) for i in ids if i in store.runs],
                "removed": [i for i in ids if i not in store.runs],
                "progress": store.progress(),
            }
            self._is_settled = runs["progress"]["is_done"]
            tags: LiveTags = {"is_all": False, "removed": list(changes.begun_anew), "panels": {}}
            if changes.is_partial or len(changes.series) > _MOST_TAGS:
                tags["is_all"] = True
            else:
                found = store.tags([panel.name for panel in store.panels], changes)
                tags["panels"] = {panel: entries for panel, entries in found.items() if entries}
        parts = [_event("runs", orjson.dumps(runs))]
        if tags["is_all"] or tags["removed"] or tags["panels"]:
            parts.append(_event("tags", orjson.dumps(tags)))
        return b"".join(parts)

    def _points(self, client: Client, changes: Changes) -> bytes:
        """New points of the series a client follows."""
        cursors = client.cursors
        if client.is_behind or changes.begun_anew:
            keys = list(cursors)
        else:
            keys = sorted(changes.series & cursors.keys())
        wanted = tuple((key, cursors[key]) for key in keys)
        news = self._once(
            (changes.version, wanted), lambda: self._news_of(wanted), lambda made: len(made.message)
        )
        cursors.update(news.moved)
        client.is_behind = not news.is_all
        return news.message

    def _news_of(self, wanted: Wanted) -> News:
        heads: list[SeriesHead] = []
        points: list[column_messages.Points] = []
        moved: dict[tuple[str, str], str] = {}
        left = MOST_LOOKED_AT
        with self.store.lock:
            for (run_id, tag), cursor in wanted:
                if left <= 0:
                    break
                run = self.store.runs.get(run_id)
                series = run.scalars.get(tag) if run is not None else None
                if run is None or series is None:
                    if cursor:  # it was there
                        heads.append(
                            column_messages.head(run_id, tag, cursor="", is_reset=True, missing=True)
                        )
                        points.append(column_messages.NO_POINTS)
                        moved[run_id, tag] = ""
                    continue
                begin, is_reset = _where(run, series, cursor)
                if begin == len(series):
                    continue
                left -= len(series) - begin
                steps, wall_times, values = (series.columns[name][begin:] for name in SCALAR_COLUMNS)
                kept = thin(np.arange(len(steps)), values, MOST_POINTS // POINTS_A_PIXEL)
                if kept is not None:
                    steps, wall_times, values = steps[kept], wall_times[kept], values[kept]
                moved[run_id, tag] = run.cursor(series)
                heads.append(
                    column_messages.head(
                        run_id,
                        tag,
                        length=len(steps),
                        window_total=len(series) - begin,
                        total=len(series),
                        is_raw=kept is None,
                        cursor=run.cursor(series),
                        start_time=run.start_time,
                        is_reset=is_reset,
                    )
                )
                points.append((steps, wall_times, values))
            message = column_messages.encode(heads, points) if heads else b""
        if heads:
            message = _event("points", b'{"columns":"' + base64.b64encode(message) + b'"}')
        return News(message, moved, left > 0)


def _where(run: Run, series: Series, cursor: str) -> tuple[int, bool]:
    """From which row on a client lacks points, and whether what it has no longer holds."""
    generation, _, count = cursor.partition(".")
    if not cursor:
        return 0, False
    if generation == str(run.generation) and count.isdecimal() and int(count) <= len(series):
        return int(count), False
    return 0, True


def _event(name: str, data: bytes) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"
