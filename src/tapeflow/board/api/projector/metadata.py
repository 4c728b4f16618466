"""Labels of points: a TSV file as columns, each a list of different values and codes into it, or numbers."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

import numpy as np

from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.schema import ProjectorColumnKind
from tapeflow.board.schema import Note

MOST_COLUMNS = 100
MOST_CELLS = 8_000_000
MOST_BYTES = 256 << 20
_MOST_LINE = 1 << 20
_MOST_CHARACTERS = 500
_MOST_CATEGORIES = 1000
_FEWEST_NUMBERS = 20  # different whole numbers from which on they are a scale rather than classes


class Column(NamedTuple):
    """A column: `values[codes[i]]` is the text of point i; `numbers` are the same as float32, if all are numbers."""

    name: str
    kind: ProjectorColumnKind
    values: list[str]
    codes: np.ndarray
    numbers: np.ndarray | None


class Metadata(NamedTuple):
    """The columns of a file, and what was cut or is odd, in words."""

    columns: list[Column]
    notes: list[Note]


def read_metadata(file: BinaryIO, points: int) -> Metadata:
    """The columns of a TSV file, a line for each point.

    TensorBoard takes the first line for names if there is a tab in it. Here lines are counted, too: as many lines as
    points have no names among them, and one more has, whatever is in it.
    """
    notes: list[Note] = []
    first = file.readline(_MOST_LINE)
    width = first.count(b"\t") + 1
    kept = max(min(width, MOST_COLUMNS, MOST_CELLS // max(points, 1)), 1)
    if kept < width:
        notes.append(NOTES("columns_cut", n=kept, total=width))
    seen: list[dict[str, int]] = [{} for _ in range(kept)]
    codes = np.zeros((points + 1, kept), np.uint32)
    rows, left = 0, MOST_BYTES
    line = first
    while line:
        if line.strip(b"\r\n") and rows <= points:
            cells = _cells(line, kept)
            for number, known in enumerate(seen):
                cell = cells[number] if number < len(cells) else ""
                codes[rows, number] = known.setdefault(cell, len(known))
            rows += 1
        left -= len(line)
        if rows > points or left < 0:
            break
        line = file.readline(_MOST_LINE)
    more = bool(file.read(1).strip())
    has_names = rows > points if not more else width > 1
    if rows == points and width > 1:
        notes.append(NOTES("no_names"))
    begin = 1 if has_names else 0
    body = codes[begin : begin + points]
    if rows - begin != points or more:
        notes.append(
            NOTES("more_lines" if more else "lines", points=points, n=rows if more else rows - begin)
        )
    columns = []
    for number, known in enumerate(seen):
        values = list(known)
        name = values[0] if has_names else ("label" if width == 1 else f"column {number + 1}")
        columns.append(_column(name, values, body[:, number], max(rows - begin, 0)))
    return Metadata(columns, notes)


def taken(column: Column, rows: np.ndarray) -> Column:
    """Some of the points of a column, with the values that they have."""
    used, codes = np.unique(column.codes[rows], return_inverse=True)
    values = [column.values[i] for i in used.tolist()]
    numbers = None if column.numbers is None else column.numbers[rows]
    return column._replace(values=values, codes=codes.astype(np.uint32), numbers=numbers)


def _cells(line: bytes, most: int) -> list[str]:
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    return [cell[:_MOST_CHARACTERS] for cell in text.split("\t", most)[:most]]


def _column(name: str, values: list[str], codes: np.ndarray, rows: int) -> Column:
    """A column of its codes; those of lines that are missing become an empty text."""
    if rows < len(codes):
        codes = codes.copy()
        if "" not in values:
            values = [*values, ""]
        codes[rows:] = values.index("")
    used, codes = np.unique(codes, return_inverse=True)
    values = [values[i] for i in used.tolist()]
    codes = codes.astype(np.uint32)
    scale = _numbers(values)
    if scale is not None and (len(values) >= _FEWEST_NUMBERS or not np.all(np.nan_to_num(scale) % 1 == 0)):
        return Column(name, "numbers", values, codes, scale.astype(np.float32)[codes])
    return Column(name, "categories" if len(values) <= _MOST_CATEGORIES else "texts", values, codes, None)


def _numbers(values: list[str]) -> np.ndarray | None:
    """The values as numbers, an empty one as NaN; None if one is something else."""
    try:
        found = np.array([float(value) if value.strip() else np.nan for value in values])
    except ValueError:
        return None
    return found if np.isfinite(found).any() else None
