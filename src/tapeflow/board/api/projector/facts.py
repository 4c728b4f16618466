"""What there is to choose from, and what is known of one choice: the same for the page and for a saved one."""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow.board.api.projector.assets import Points
from tapeflow.board.api.projector.layouts import PACKAGES, missing
from tapeflow.board.api.projector.metadata import Column
from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.packing import pack
from tapeflow.board.api.projector.places import Place
from tapeflow.board.api.projector.schema import (
    ProjectorColumn,
    ProjectorFacts,
    ProjectorSet,
    ProjectorSets,
    ProjectorStep,
)
from tapeflow.summary.kinds.embeddings import Embedding


def sets_of(places: Iterable[Place]) -> ProjectorSets:
    """All sets of some configurations."""
    found: list[ProjectorSet] = []
    problems = []
    for place in places:
        by_name: dict[str, list[ProjectorStep]] = {}
        for info in place.embeddings:
            by_name.setdefault(info.name, []).append(_step(place, info))
        for name, steps in by_name.items():
            found.append({"run": place.run, "run_name": place.name, "name": name, "steps": steps})
        if place.problem:
            problems.append(NOTES("unreadable", error=place.problem))
    return {"sets": found, "problems": problems, "missing": {method: missing(method) for method in PACKAGES}}


def _step(place: Place, info: Embedding) -> ProjectorStep:
    points, dimensions = info.shape if len(info.shape) == 2 else (None, None)
    size = info.picture_size
    return {
        "step": info.step,
        "version": place.version(info),
        "points": points,
        "dimensions": dimensions,
        "has_metadata": bool(info.metadata),
        "sprite": {"width": size[0], "height": size[1]}
        if info.sprite and len(size) == 2 and all(size)
        else None,
        "has_bookmarks": bool(info.bookmarks),
    }


def facts_of(points: Points) -> ProjectorFacts:
    """One step in detail."""
    metadata = points.metadata
    columns: list[ProjectorColumn] = [
        {"name": c.name, "kind": c.kind, "distinct": len(c.values)} for c in metadata.columns
    ]
    bookmarks = points.bookmarks  # which may add a note
    count, width = points.vectors.shape
    return {
        "points": count,
        "dimensions": width,
        "columns": columns,
        "notes": [*points.notes, *metadata.notes],
        "bookmarks": bookmarks,
    }


def packed_column(column: Column) -> bytes:
    """A column of labels: numbers, or values and codes into them."""
    if column.kind == "numbers" and column.numbers is not None:
        return pack({"kind": column.kind, "values": []}, {"numbers": column.numbers})
    return pack({"kind": column.kind, "values": column.values}, {"codes": column.codes})
