"""Panels: one folder in `api/` for each kind of content, found by themselves.

A panel is a package `tapeflow.board.api.<name>` with a `PANEL`. To add one, add a folder: nothing else changes, on
this side of the API as on the page's.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.routing import BaseRoute

from tapeflow.board import api
from tapeflow.board.series import Series

if TYPE_CHECKING:
    from tapeflow.board.board import Board
    from tapeflow.board.store import Store


def _no_routes(board: Board) -> Sequence[BaseRoute]:
    del board
    return ()


def _no_answers(board: Board) -> dict[str, object]:
    del board
    return {}


@dataclass(frozen=True)
class Panel:
    """A kind of content.

    Attributes:
        name: the folder's name; what it adds is found below `/api/v1/<name>/`.
        title: its name on the page.
        position: where it stands among the others.
        shows: whether a series is its. Asked when the first value of a series has been read; of several panels
            that say yes the first has it. Series of numbers are asked of panels with `is_scalar`, others of the rest.
        is_scalar: whether it shows numbers.
        routes: what it adds to the API, with paths relative to `/api/v1/<name>`; called when the first is asked for.
        tensorboard: TensorBoard's routes for it, with paths relative to `/data/plugin`.
        prepares: large answers that are kept in the snapshot, by name.
        exports: what a saved page is given of it beside `items` and blobs, by URL: bytes, or what JSON is made of.
    """

    name: str
    title: str
    position: int
    shows: Callable[[Series], bool]
    routes: Callable[[Board], Sequence[BaseRoute]] = _no_routes
    tensorboard: Callable[[Board], Sequence[BaseRoute]] = _no_routes
    is_scalar: bool = False
    exports: Callable[[Board], dict[str, object]] = _no_answers
    prepares: Mapping[str, Callable[[Store], bytes]] = field(default_factory=dict)


def later(module: str, name: str) -> Callable[[Any], Any]:
    """A function of a panel's module that is imported when it is first called: the first page need not wait for it."""

    def call(given: Any) -> Any:
        return getattr(importlib.import_module(module), name)(given)

    return call


def find_panels() -> list[Panel]:
    """The panels there are, in their order."""
    packages = [m.name for m in pkgutil.iter_modules(api.__path__) if m.ispkg]
    found = [importlib.import_module(f"{api.__name__}.{name}").PANEL for name in packages]
    return sorted(found, key=lambda panel: panel.position)


def panel_of(panels: Sequence[Panel], series: Series) -> str:
    """The name of the panel that shows a series; "" if none does."""
    return next((p.name for p in panels if p.is_scalar == series.is_scalar and p.shows(series)), "")
