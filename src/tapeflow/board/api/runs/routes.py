"""The routes of the runs panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import Refusal, argument, body_of, json_answer
from tapeflow.board.api.runs.families import Family, families_of
from tapeflow.board.api.runs.notes import NOTES
from tapeflow.board.api.runs.page import page_of
from tapeflow.board.api.runs.schema import TrashAnswer
from tapeflow.board.api.runs.table import table_of
from tapeflow.board.api.runs.trash import NotMoved, Trash
from tapeflow.board.board import Board
from tapeflow.board.notes import about
from tapeflow.board.once import Once
from tapeflow.board.schema import Note

MOST_MOVED = 10_000  # runs of one request
MOST_EXPORTED = 200  # pages of runs in a saved page


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/runs."""
    store, trash = board.store, Trash(board.logdirs)
    table = Once(store, "runs/table", table_of)

    def page(request: Request) -> Response:
        run = argument(request, "run")
        family = _families(board).get(run)
        if family is None:
            raise Refusal(404, "no_run", run=run)
        return json_answer(page_of(store, family), request)

    def listed(request: Request) -> Response:
        del request
        return json_answer(_answer(trash, []))

    def changes(name: str, act: Callable[[list[str]], list[Note]]) -> Callable[[Request], Any]:
        async def route(request: Request) -> Response:
            if board.options.read_only:
                raise Refusal(403, "read_only_runs")
            wanted = _checked(await body_of(request), request.url.path, name)
            refused = await run_in_threadpool(act, wanted)
            return json_answer(await run_in_threadpool(_answer, trash, refused))

        return route

    def discard(ids: list[str]) -> list[Note]:
        known, refused = _families(board), []
        families = {known[one].name: known[one] for one in ids if one in known}
        refused += [about(one, NOTES("no_run")) for one in ids if one not in known]
        for name, family in families.items():
            try:
                trash.discard(family)
            except NotMoved as error:
                refused.append(about(name, error.note))
        return refused

    def each(act: Callable[[str], None]) -> Callable[[list[str]], list[Note]]:
        def all_of(names: list[str]) -> list[Note]:
            known = {one["trash"]: one["name"] for one in trash.listed()}
            refused = []
            for name in names:
                try:
                    act(name)
                except NotMoved as error:
                    refused.append(about(known.get(name, name), error.note))
            return refused

        return all_of

    return [
        Route("/table", table.answer),
        Route("/page", page),
        Route("/trash", listed),
        Route("/trash", changes("runs", discard), methods=["POST"]),
        Route("/trash/restore", changes("trashed", each(trash.restore)), methods=["POST"]),
        Route("/trash/erase", changes("trashed", each(trash.erase)), methods=["POST"]),
    ]


def exports(board: Board) -> dict[str, object]:
    """What a saved page asks for: the table, and the pages of the first runs."""
    found: dict[str, object] = {"api/v1/runs/table": table_of(board.store)}
    families = families_of(board.store.ordered_runs())
    for family in families[:MOST_EXPORTED]:
        found[f"api/v1/runs/page?run={family.main.id}"] = page_of(board.store, family)
    return found


def _families(board: Board) -> dict[str, Family]:
    """The runs as their users see them, by the id of each of their parts."""
    families = families_of(board.store.ordered_runs())
    return {run.id: family for family in families for run in family.runs}


def _answer(trash: Trash, refused: list[Note]) -> TrashAnswer:
    return {"trashed": trash.listed(), "refused": refused}


def _checked(found: Any, path: str, name: str) -> list[str]:
    """The list of names in the body of a request, each once."""
    names = found.get(name) if isinstance(found, dict) else None
    if (
        not isinstance(names, list)
        or len(names) > MOST_MOVED
        or not all(isinstance(one, str) for one in names)
    ):
        raise HTTPException(400, f"{path} expected {{{name!r}: [...]}} with at most {MOST_MOVED} texts")
    return list(dict.fromkeys(names))
