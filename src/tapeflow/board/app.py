"""The web application: the API, TensorBoard's routes and the page's files."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from tapeflow.board import tensorboard
from tapeflow.board.answers import Refusal, body_of, json_answer, problem
from tapeflow.board.auth import Guard
from tapeflow.board.board import Board
from tapeflow.board.compression import Compressed
from tapeflow.board.live import MOST_CLIENTS
from tapeflow.board.logdirs import NO_DESCRIPTORS
from tapeflow.board.media import blob_route
from tapeflow.board.once import Once
from tapeflow.board.overview import overview_of
from tapeflow.board.schema import LiveRequest
from tapeflow.board.settings import Refused
from tapeflow.board.store import Store

STATIC = Path(__file__).parent / "static"
_log = logging.getLogger("tapeflow.board")
_NOT_BUILT = (
    "<!doctype html><title>TapeFlow board</title><p>The board's page has not been built in this checkout: run "
    "<code>npm install && npm run build</code> in <code>web/</code>. The API below <code>api/v1/</code> works."
)


def make_app(board: Board) -> ASGIApp:
    """The application of a board; starting and ending it starts and ends the board's reading."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        board.hub.open()
        board.start()
        yield
        board.stop()

    handlers = {
        HTTPException: _refuse,
        ClientDisconnect: _forget,
        OSError: _refuse_for_now,
        Exception: _refuse,
    }
    app = Starlette(routes=routes_of(board), exception_handlers=handlers, lifespan=lifespan)
    return Guard(
        Compressed(app), board.options
    )  # outermost, so that it has a hand in what a failing route answers, too


def routes_of(board: Board) -> list[BaseRoute]:
    """All routes of a board."""
    routes: list[BaseRoute] = [
        Mount("/api/v1", AfterOpening(Router(_api(board)), board.store)),
        Mount("/data", AfterOpening(Later(partial(tensorboard.routes, board)), board.store)),
        Mount("/", _Page(directory=STATIC, html=True, check_dir=False)),
    ]
    prefix = board.options.path_prefix
    return [Mount(prefix, routes=routes)] if prefix else routes


def _refuse(request: Request, error: Exception) -> Response:
    del request
    if not isinstance(error, HTTPException):
        error = Refusal(500, "failed")
    note = error.note if isinstance(error, Refusal) else None
    return problem(error.status_code, error.detail, note)


def _forget(request: Request, error: Exception) -> Response:
    """Answer a client that went away while it sent a request: nobody hears it, and nothing has failed."""
    del request, error
    return Response(status_code=400)


def _refuse_for_now(request: Request, error: Exception) -> Response:
    """Say in words that no file can be opened: nothing is wrong with the request, nor with the board."""
    del request
    if not isinstance(error, OSError) or error.errno not in NO_DESCRIPTORS:
        raise error
    _log.warning("files cannot be read until connections are closed: %s", error.strerror)
    return problem(503, f"the board cannot open files for now: {error.strerror}; try again later")


def _api(board: Board) -> list[BaseRoute]:
    store = board.store

    def info(request: Request) -> Response:
        return json_answer(board.info(), request)

    def runs(request: Request) -> Response:
        return json_answer(store.answers(), request)

    def tags(request: Request) -> Response:
        names = [panel.name for panel in board.panels]
        wanted = request.query_params.getlist("panel") or names
        for name in wanted:
            if name not in names:
                raise HTTPException(400, f"tags expected a panel of {', '.join(names)}; got panel={name!r}")
        return json_answer({"panels": store.tags(wanted)}, request)

    overview = Once(store, "overview", overview_of)

    def settings(request: Request) -> Response:
        del request
        return json_answer(board.settings.get())

    async def change_settings(request: Request) -> Response:
        try:
            found = await run_in_threadpool(board.settings.merge, await body_of(request))
        except Refused as refusal:
            return problem(refusal.status, str(refusal), refusal.note)
        board.hub.wake()
        return json_answer(found)

    def live(request: Request) -> Response:
        del request
        if len(board.hub.clients) >= MOST_CLIENTS:
            raise Refusal(503, "clients", n=MOST_CLIENTS)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(board.hub.stream(), headers=headers, media_type="text/event-stream")

    async def follow(request: Request) -> Response:
        wanted = checked_follow(await body_of(request))
        if not board.hub.follow(request.path_params["client"], wanted):
            raise HTTPException(409, "the live stream has no such client any more: connect again")
        return json_answer({})

    routes: list[BaseRoute] = [
        Route("/info", info),
        Route("/overview", overview.answer),
        Route("/runs", runs),
        Route("/tags", tags),
        Route("/settings", settings),
        Route("/settings", change_settings, methods=["PATCH"]),
        Route("/live", live),
        Route("/live/{client}", follow, methods=["POST"]),
        blob_route(board),
    ]
    for panel in board.panels:
        routes.append(Mount(f"/{panel.name}", Later(partial(panel.routes, board))))
    return [*routes, Route("/{rest:path}", _no_such_route, methods=_METHODS)]


class AfterOpening:
    """Routes that wait, for a second or so, until the runs of the snapshot are there; but not what is known already."""

    AT_ONCE = ("/info", "/settings", "/live")

    def __init__(self, app: Router | Later, store: Store) -> None:
        self._app = app
        self._store = store

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes, as a `Mount` lists them."""
        return self._app.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = self._store.opened
        if not opened.is_set() and not self._is_known(scope["path"]):
            await run_in_threadpool(opened.wait)
        await self._app(scope, receive, send)

    def _is_known(self, path: str) -> bool:
        if path.endswith(("/overview", "/runs/table")):
            return all(map(self._store.prepared, ("overview", "runs/table")))
        return path.endswith(self.AT_ONCE)


class Later:
    """Routes that are made when the first of them is asked for: a board answers sooner without them."""

    def __init__(self, make: Callable[[], Sequence[BaseRoute]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._router: Router | None = None

    def _made(self) -> Router:
        with self._lock:
            if self._router is None:
                self._router = Router(list(self._make()))
            return self._router

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes, as a `Mount` lists them."""
        return self._made().routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._router or await run_in_threadpool(self._made))(scope, receive, send)


_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def _no_such_route(request: Request) -> Response:
    raise HTTPException(
        404, f"there is no {request.method} {request.url.path}; docs/board-api.md has all routes"
    )


def checked_follow(found: object) -> LiveRequest:
    """A live request, or a refusal."""
    series = found.get("series") if isinstance(found, dict) else None
    if not isinstance(series, list) or len(series) > 100_000:
        raise HTTPException(400, "a live request expected {'series': [...]} with at most 100000 series")
    for one in series:
        if not isinstance(one, dict) or not all(
            isinstance(one.get(k), str) for k in ("run", "tag", "cursor")
        ):
            raise HTTPException(
                400, f"a live request expected run, tag and cursor as strings; got {one!r:.200}"
            )
    return {"series": series}


class _Page(StaticFiles):
    """The built page. What has a hash in its name may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path in (".", "index.html") and not os.path.isfile(STATIC / "index.html"):
            return Response(_NOT_BUILT, 503, media_type="text/html")
        answer = await super().get_response(path, scope)
        is_kept = path.startswith("assets/")
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_kept else "no-cache"
        return answer
