"""What runs have captured of themselves, as sections of their pages: command, environment, code, console, machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from tapeflow.board.api.runs.families import Family
from tapeflow.board.api.runs.schema import RunChart, RunSection
from tapeflow.board.column_messages import numbers
from tapeflow.board.health.vitals import Vitals
from tapeflow.board.runs import Run
from tapeflow.board.sampling import thin
from tapeflow.board.series import Series
from tapeflow.summary.captured import messages
from tapeflow.summary.captured.messages import Facts, Git

MOST_LINES = 2000
MOST_SYSTEM = 40
_PIXELS = 60
_MOST_MESSAGES = 200
_MOST_CHARACTERS = 400_000


def sections_of(family: Family) -> list[RunSection]:
    """What a run says of itself; nothing of what was not captured."""
    facts = _facts(family)
    found = [
        _crash(family.vitals),
        _section("command", _texts(facts, "script", "folder", "seed"), " ".join(facts.get("command", []))),
        _section("environment", {**_machine(facts), **facts.get("environment", {})}),
        *_code(facts.get("git", {})),
        _section("packages", facts.get("packages", {})),
        _console(family),
    ]
    return [section for section in found if section["facts"] or section["text"]]


def system_of(family: Family) -> list[RunChart]:
    """The metrics of the machine while the run went on."""
    charts: list[RunChart] = []
    for run in family.runs:
        for tag, series in sorted(run.scalars.items()):
            if series.plugin == messages.SYSTEM_PLUGIN and len(series) and len(charts) < MOST_SYSTEM:
                charts.append(_chart(tag, series))
    return charts


def _captured(run: Run, tag: str) -> Series | None:
    series = run.entries.get(tag)
    return series if series is not None and series.plugin == messages.PLUGIN else None


def _messages(run: Run, series: Series, rows: range) -> Iterator[str | bytes]:
    for value in run.values(series, rows):
        if value is not None and value.array.size == 1 and value.array.dtype == object:
            text = value.array.reshape(-1)[0]
            if isinstance(text, (str, bytes)):
                yield text


def _facts(family: Family) -> Facts:
    texts: list[str | bytes] = []
    for run in family.runs:
        series = _captured(run, messages.FACTS)
        if series is not None:
            count = len(series)
            texts += _messages(run, series, range(max(count - _MOST_MESSAGES, 0), count))
    return messages.facts_of(texts)


def _section(
    name: str,
    facts: dict[str, str],
    text: str = "",
    kind: Literal["facts", "text", "diff", "console"] = "facts",
    is_cut: bool = False,
) -> RunSection:
    return {
        "name": name,
        "kind": kind,
        "facts": facts,
        "text": text[:_MOST_CHARACTERS],
        "is_cut": is_cut or len(text) > _MOST_CHARACTERS,
    }


def _texts(facts: Facts, *names: str) -> dict[str, str]:
    return {name: str(facts[name]) for name in names if facts.get(name) not in (None, "")}


def _machine(facts: Facts) -> dict[str, str]:
    found = _texts(facts, "python", "executable", "platform", "host", "cpus")
    if "memory_bytes" in facts:
        found["memory"] = f"{facts['memory_bytes'] / 2**30:.1f} GiB"
    devices = facts.get("devices")
    if devices:
        found["devices"] = ", ".join(devices)
    return found


def _code(git: Git) -> list[RunSection]:
    facts = {name: str(value) for name in ("commit", "branch", "remote") if (value := git.get(name))}
    untracked = git.get("untracked")
    if untracked:
        facts["untracked"] = ", ".join(untracked)
    return [
        _section("git", facts),
        _section("diff", {}, git.get("diff", ""), "diff", git.get("is_cut", False)),
    ]


def _crash(vitals: Vitals) -> RunSection:
    return _section("crash", {}, vitals.get("traceback", "") or vitals.get("error", ""), "console")


def _console(family: Family) -> RunSection:
    """The last lines that were printed."""
    lines: list[messages.ConsoleLine] = []
    is_cut = False
    for run in family.runs:
        series = _captured(run, messages.CONSOLE)
        if series is None:
            continue
        count = len(series)
        is_cut |= count > _MOST_MESSAGES
        for text in _messages(run, series, range(max(count - _MOST_MESSAGES, 0), count)):
            lines += messages.console_of(text)
    is_cut |= len(lines) > MOST_LINES
    text = "\n".join(line.text for line in lines[-MOST_LINES:])
    return _section(
        "console", {}, text[-_MOST_CHARACTERS:], "console", is_cut or len(text) > _MOST_CHARACTERS
    )


def _chart(tag: str, series: Series) -> RunChart:
    count = len(series)
    steps, values = series.columns["steps"][:count], series.columns["values"][:count]
    kept = thin(steps, values, _PIXELS)
    if kept is not None:
        steps, values = steps[kept], values[kept]
    metric = messages.SYSTEM_METRICS.get(tag)
    unit = metric.unit if metric else ("B" if tag.endswith("_memory") else "%")
    return {
        "tag": tag,
        "title": metric.title if metric else tag,
        "unit": unit,
        "seconds": steps.astype(np.float64).tolist(),
        "values": numbers(values),
    }
