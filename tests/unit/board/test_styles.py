"""Styles of panels: they stay when another panel is shown, and a saved page has all of them at once."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "web" / "src"


def test_each_panel_has_classes_of_its_own() -> None:
    shared: set[str] = set()
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for sheet in SOURCE.rglob("*.css"):
        names = re.findall(r"^\s*\.([\w-]+)", sheet.read_text("utf-8"), re.MULTILINE)
        if sheet.parent.parent.name == "panels":
            for name in names:
                owners[name].add(sheet.parent.name)
        else:
            shared.update(names)
    assert len(owners) > 100
    assert {name: found for name, found in owners.items() if len(found) > 1 and name not in shared} == {}
