"""What is there is documented."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from starlette.routing import BaseRoute, Mount, Route

from tapeflow.board.app import routes_of
from tapeflow.board.board import Board, BoardOptions
from tapeflow.cli import board as board_command
from tapeflow.cli import export as export_command

DOCS = Path(__file__).parents[3] / "docs"


def paths(routes: list[BaseRoute], above: str = "") -> list[str]:
    found = []
    for route in routes:
        if isinstance(route, Mount):
            found += paths(route.routes, above + route.path)
        elif isinstance(route, Route) and "{rest:path}" not in route.path:
            found.append((above + route.path).lstrip("/"))
    return found


def test_every_route_is_documented(tmp_path: Path) -> None:
    board = Board([], BoardOptions(cache=None, settings=str(tmp_path / "s.json")))
    text = (DOCS / "board-api.md").read_text()
    listed = text
    for head, names, tail in re.findall(r"([\w/]*)\{([\w,]+)\}([\w/]*)", text):
        listed += "".join(f"\n{head}{name}{tail}" for name in names.split(","))
    missing = [path for path in paths(routes_of(board)) if path not in listed]
    assert missing == []


def test_every_documented_route_is_there(tmp_path: Path) -> None:
    board = Board([], BoardOptions(cache=None, settings=str(tmp_path / "s.json")))
    there = {re.sub(r"\{\w+\}", "{}", path) for path in paths(routes_of(board))}
    text = re.sub(r"```.*?```", "", (DOCS / "board-api.md").read_text(), flags=re.DOTALL)
    named = set(re.findall(r"`(?:[A-Z]+ )?((?:api/v1|data)/[\w/{},]+\w\}?)(?:\?[^`]*)?`", text))
    assert len(named) > 40
    for route in named:
        several = re.search(r"\{(\w+(?:,\w+)+)\}", route)
        names = several[1].split(",") if several else [""]
        for name in names:
            path = route.replace(several[0], name) if several else route
            assert re.sub(r"\{\w+\}", "{}", path) in there, path


def test_every_flag_is_documented() -> None:
    text = (DOCS / "board.md").read_text()
    for command in (board_command, export_command):
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        for action in parser._actions:
            if (
                action.help != argparse.SUPPRESS
                and action.option_strings
                and "--help" not in action.option_strings
            ):
                assert any(flag in text for flag in action.option_strings), action.option_strings
