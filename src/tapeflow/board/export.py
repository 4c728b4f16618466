"""The board as one file: the built page with the data inside it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from tapeflow.board import column_messages
from tapeflow.board.app import STATIC
from tapeflow.board.board import Board, BoardOptions
from tapeflow.board.logdirs import Logdir
from tapeflow.board.media import blob_content, encoded, items_of
from tapeflow.board.overview import overview_of
from tapeflow.board.runs import Gone, Run
from tapeflow.board.sampling import POINTS_A_PIXEL, Window, cut
from tapeflow.board.schema import ExportData, MediaAnswer
from tapeflow.board.series import Series

PLACE = "<!--tapeflow-data-->"
MOST_BLOB_BYTES = 200 << 20


class NotBuilt(Exception):
    """The page has not been built."""


class Report(NamedTuple):
    """The file; how many runs are in it; what is not, in words."""

    page: bytes
    runs: int
    left_out: str


def export(logdirs: list[Logdir], points: int, steps: int, options: BoardOptions) -> Report:
    """Everything in some log folders as one HTML file.

    Args:
        logdirs: what to read.
        points: at most so many points of a series.
        steps: at most so many steps of a series of pictures and the like: the first, the last, and evenly between.
        options: where labels, notes and colours are; the rest does not matter.

    Raises:
        NotBuilt: there is no page to put it into.
    """
    template = STATIC / "export.html"
    if not template.is_file():
        raise NotBuilt(
            "the board's page has not been built in this checkout: run `npm install && npm run build` in web/."
        )
    head, place, rest = template.read_text("utf-8").partition(PLACE)
    if not place:
        raise NotBuilt(f"{template.name} has no place for data ({PLACE}): build the page again.")
    board = Board(logdirs, replace(options, cache=None, read_only=True))
    try:
        board.mirrors.sync_once()
        return _exported(board, head, rest, points, steps)
    finally:
        board.mirrors.stop()


def _exported(board: Board, head: str, rest: str, points: int, steps: int) -> Report:
    board.ingest.read_once()
    board.health.look_at_all()
    data, left_out = collect(board, points, steps)
    page = head + f'<script type="application/json" id="tapeflow-export">{inert(data)}</script>' + rest
    return Report(page.encode(), len(board.store.runs), left_out)


def inert(data: ExportData) -> str:
    """JSON that ends no script and begins no comment."""
    text = orjson.dumps(data).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def collect(board: Board, points: int, steps: int) -> tuple[ExportData, str]:
    """What the page would ask a server for."""
    store = board.store
    answers: dict[str, Any] = {
        "api/v1/info": board.info(),
        "api/v1/settings": board.settings.get(),
    }
    blobs = {"api/v1/overview": data_url("application/octet-stream", overview_of(store))}
    for panel in board.panels:
        for url, answer in panel.exports(board).items():
            if isinstance(answer, bytes):
                blobs[url] = data_url("application/octet-stream", answer)
            else:
                answers[url] = answer
    heads, columns = [], []
    budget, left_out = MOST_BLOB_BYTES, 0
    for run in store.ordered_runs():
        for series in run.scalars.values():
            if series.panel == "scalars":
                found = cut(series, Window(pixels=max(points // POINTS_A_PIXEL, 1)), run.start_time or 0.0)
                facts = {"length": len(found.points[0]), "window_total": found.total, "total": len(series)}
                cursor, start = run.cursor(series), run.start_time
                heads.append(
                    column_messages.head(
                        run.id, series.tag, **facts, is_raw=found.is_raw, cursor=cursor, start_time=start
                    )
                )
                columns.append(found.points)
        for series in run.entries.values():
            if not series.panel:
                continue
            chosen = spread(items_of(run, series), steps)
            url = f"api/v1/{series.panel}/items?run={run.id}&tag={encoded(series.tag)}"
            for blob_url, mime, data in _blobs(run, series, chosen):
                if len(data) > budget:
                    left_out += 1
                    continue
                budget -= len(data)
                if mime == "application/json":
                    answers[blob_url] = orjson.loads(data)
                else:
                    blobs[blob_url] = data_url(mime, data)
            answers[url] = chosen
    message = f"{left_out} pictures, sounds or texts beyond {MOST_BLOB_BYTES >> 20} MB" if left_out else ""
    packed = base64.b64encode(column_messages.encode(heads, columns)).decode()
    return {"answers": answers, "blobs": blobs, "series": packed}, message


def data_url(mime: str, data: bytes) -> str:
    """Bytes as an address that holds them."""
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def spread(found: MediaAnswer, steps: int) -> MediaAnswer:
    """At most so many items, evenly chosen, the last among them."""
    items, count = found["items"], len(found["items"])
    if count > steps:
        chosen = sorted({round(i * (count - 1) / max(steps - 1, 1)) for i in range(steps)} | {count - 1})
        items = [items[i] for i in chosen[-steps:]]
    return {**found, "items": items}


def _blobs(run: Run, series: Series, chosen: MediaAnswer) -> Iterator[tuple[str, str, bytes]]:
    for item in chosen["items"]:
        for sample in item["samples"]:
            row, number = _place(sample["url"])
            try:
                mime, data = blob_content(run, series, row, number)
            except Gone:
                continue
            yield sample["url"], mime, data


def _place(url: str) -> tuple[int, int]:
    parts = dict(part.split("=", 1) for part in url.partition("?")[2].split("&"))
    return int(parts["index"]), int(parts["sample"])
