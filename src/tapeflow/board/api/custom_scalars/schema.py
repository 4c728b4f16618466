"""What the API gives of layouts of custom scalars."""

from __future__ import annotations

from typing import TypedDict

from tapeflow.board.schema import Note


class CustomLines(TypedDict):
    """The scalar tags that a regular expression of a layout matches.

    `problem`, and `notes` one by one, say why it could not be tried.
    """

    expression: str
    tags: list[str]
    problem: str
    notes: list[Note]


class CustomMargin(TypedDict):
    """The tags of a line and of the edges of the band around it."""

    value: str
    lower: str
    upper: str


class CustomChart(TypedDict):
    """A chart of a layout: lines, or lines with bands."""

    title: str
    lines: list[CustomLines]
    margins: list[CustomMargin]


class CustomCategory(TypedDict):
    """A section of charts."""

    title: str
    is_closed: bool
    charts: list[CustomChart]


class CustomLayout(TypedDict):
    """The layouts of all runs in one; `problem` and `notes` say what is left out of it."""

    categories: list[CustomCategory]
    problem: str
    notes: list[Note]
