"""Writes RESULTS.md: for every benchmark that has been run here, its table and whether its bars are met."""

import json
import os
import platform
import re
from pathlib import Path
from typing import Any

from benchmarks.contenders import ROOT

RESULTS = ROOT / "benchmarks" / "results"
REPORT = ROOT / "benchmarks" / "RESULTS.md"
WORDS = {True: "met", False: "**missed**", None: "unsure"}
HEAD = """\
# Results

Written by `make bench` from the last run of each benchmark; [README.md](README.md) says what they do and how to read
them. A ratio is the median over rounds that ran side by side, less than 1 is less than the reference's time. A bar
is met or missed when the median and the fastest rounds say so, and unsure when they disagree.
"""


def machine() -> dict[str, Any]:
    """What the figures were measured on, without anything that names the machine."""
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def write(names: list[str]) -> Path:
    """Write the report.

    Args:
        names: the benchmarks in the order of the report. Those that have no result on this machine keep the section
            they have in the report, and are left out if they have none.
    """
    sections = _sections(REPORT.read_text()) if REPORT.exists() else {}
    for name in names:
        stored = RESULTS / f"{name}.json"
        if stored.exists():
            sections[name] = _section(name, json.loads(stored.read_text()))
    shown = [sections[name] for name in names if name in sections]
    counts = {met: sum(section.count(f" | {word} |\n") for section in shown) for met, word in WORDS.items()}
    total = f"{sum(counts.values())} bars: {counts[True]} met, {counts[False]} missed, {counts[None]} unsure."
    REPORT.write_text("\n".join([HEAD, total, "", *shown]))
    return REPORT


def _sections(report: str) -> dict[str, str]:
    """The sections of a report, by name."""
    _, *parts = re.split(r"^## ", report, flags=re.MULTILINE)
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def _section(name: str, result: dict[str, Any]) -> str:
    host, scale = result["machine"], {"us": 1e6, "s": 1.0}[result["unit"]]
    day = result["time"].partition("T")[0]
    lines = [
        f"## {name}",
        "",
        f"{result['benchmark']}. {result['rounds']} rounds on {day}; {host['cores']} cores, {host['memory_gib']} GiB, "
        f"{host['system']}, Python {host['python']}; load before it {result['load_before']:.1f}.",
        "",
        f"| | median, {result['unit']} | fastest | ratio | at best | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for contender, row in result["contenders"].items():
        times = [_short(row["median"] * scale), _short(row["fastest"] * scale)]
        ratios = ["" if row[key] is None else f"{row[key]:.3g}" for key in ("ratio", "at_best")]
        facts = ", ".join(f"{key} {value}" for key, value in row["facts"].items())
        lines.append(f"| {' | '.join([contender, *times, *ratios, facts])} |")
    for contender, (kind, reason) in result["not_measured"].items():
        lines.append(f"| {contender} | {kind} | | | | {reason.strip().splitlines()[-1]} |")
    if result["bars"]:
        lines += ["", "| bar | figure | |", "|---|---|---|"]
        lines += [f"| {bar['bar']} | {bar['figure']} | {WORDS[bar['is_met']]} |" for bar in result["bars"]]
    return "\n".join([*lines, ""])


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
