"""What a saved page is given of the projector: the newest step of each set, in so many points as a file can carry.

Principal components are worked out now, as many as the page lets choose from. What takes the vectors themselves
(t-SNE, UMAP, axes, neighbours) is not carried; the page says so.
"""

from __future__ import annotations

import io
import math

import numpy as np

from tapeflow.board.api.projector.assets import Points, Unreadable, read_sprite
from tapeflow.board.api.projector.facts import facts_of, packed_column, sets_of
from tapeflow.board.api.projector.layouts import packed_columns
from tapeflow.board.api.projector.metadata import taken
from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.places import Place, Places
from tapeflow.board.api.projector.projections import principal
from tapeflow.board.board import Board
from tapeflow.board.media import encoded
from tapeflow.summary.kinds.embeddings import Embedding

MOST_SETS = 20
MOST_POINTS = 5000
MOST_SPRITE_BYTES = 4 << 20
_MOST_PIXELS = 1 << 26
_BASE = "api/v1/projector"


def exports(board: Board) -> dict[str, object]:
    """Answers by URL: sets, facts, columns, components and pictures."""
    places = Places(board).all()
    answer = sets_of(places)
    chosen, left = answer["sets"][:MOST_SETS], len(answer["sets"]) - MOST_SETS
    answer["sets"] = []
    answers: dict[str, object] = {f"{_BASE}/sets": answer}
    if left > 0:
        answer["problems"].append(NOTES("saved_sets", n=left))
    by_run = {place.run: place for place in places}
    for found in chosen:
        place, step = by_run[found["run"]], found["steps"][-1]
        info = [one for one in place.embeddings if one.name == found["name"]][-1]
        try:
            points = Points(place, info)
        except Unreadable as error:
            answer["problems"].append(NOTES("unreadable", error=f"{place.name}: {error}"))
            continue
        number = "" if info.step is None else f"&step={info.step}"
        query = f"?run={place.run}&name={encoded(info.name)}{number}&v={step['version']}"
        rows = _drawn(len(points.vectors))
        facts = facts_of(points)
        if rows is not None:
            facts["notes"].insert(0, NOTES("saved_points", n=len(rows), total=facts["points"]))
            facts["points"] = len(rows)
        if step["sprite"]:
            sprite = _sprite(place, info, rows)
            if sprite:
                answers[f"{_BASE}/sprite{query}"] = sprite
            else:
                step["sprite"] = None
                facts["notes"].append(NOTES("saved_sprite"))
        answers[f"{_BASE}/facts{query}"] = facts
        answers[f"{_BASE}/pca{query}"] = _components(points, rows)
        for number, column in enumerate(points.metadata.columns):
            part = column if rows is None else taken(column, rows)
            answers[f"{_BASE}/column{query}&column={number}"] = packed_column(part)
        answer["sets"].append({**found, "steps": [step]})
    return answers


def _drawn(count: int) -> np.ndarray | None:
    """Which points are carried, always the same; None for all of them."""
    if count <= MOST_POINTS:
        return None
    return np.sort(np.random.default_rng(0).choice(count, MOST_POINTS, replace=False))


def _components(points: Points, rows: np.ndarray | None) -> bytes:
    found = principal(points.vectors)
    columns = found.columns if rows is None else found.columns[:, rows]
    return packed_columns(list(columns), found.variance.tolist())


def _sprite(place: Place, info: Embedding, rows: np.ndarray | None) -> bytes:
    """The picture of all pictures, of those points only that are carried; b"" if it cannot be carried."""
    try:
        _, data = read_sprite(place, info)
    except Unreadable:
        return b""
    if rows is not None:
        data = _cut_sprite(data, info.picture_size[0], info.picture_size[1], rows.tolist())
    return data if len(data) <= MOST_SPRITE_BYTES else b""


def _cut_sprite(data: bytes, width: int, height: int, rows: list[int]) -> bytes:
    from PIL import Image  # start-up

    side = math.ceil(math.sqrt(len(rows)))
    if side * side * width * height > _MOST_PIXELS:
        return b""
    try:
        with Image.open(io.BytesIO(data)) as whole:
            across = whole.width // width
            if whole.width * whole.height > _MOST_PIXELS or not across:
                return b""
            part = Image.new(whole.mode, (side * width, side * height))
            for place, row in enumerate(rows):
                x, y = row % across * width, row // across * height
                cell = whole.crop((x, y, x + width, y + height))
                part.paste(cell, (place % side * width, place // side * height))
    except (OSError, ValueError, Image.DecompressionBombError):
        return b""
    file = io.BytesIO()
    part.save(file, "PNG")
    return file.getvalue()
