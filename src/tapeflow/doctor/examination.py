"""The whole examination, and how it is written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tapeflow.doctor import engine, environment, folders, machine, packages
from tapeflow.doctor.finding import Finding, State

_WORDS = {State.SLOW: "costs speed", State.BROKEN: "broken", State.NOTE: "for information", State.OK: ""}


def examine() -> Iterator[Finding]:
    """Look at everything; each finding comes as soon as it is made."""
    yield from packages.examine()
    yield from engine.examine(machine.cores())
    yield from machine.examine()
    yield from folders.examine()
    yield from environment.examine()


def line(finding: Finding) -> str:
    """A finding as a line of text."""
    mark = {State.OK: " ", State.NOTE: "i", State.SLOW: "!", State.BROKEN: "X"}[finding.state]
    return f"{mark} {finding.name:<24} {finding.value}"


def conclusion(findings: Sequence[Finding]) -> str:
    """What is to be done, the worst first."""
    lines: list[str] = []
    for state in (State.BROKEN, State.SLOW, State.NOTE):
        for found in findings:
            if found.state == state:
                lines += [f"{_WORDS[state]}: {found.name}: {found.value}", f"    {found.remedy}"]
    broken = sum(found.state == State.BROKEN for found in findings)
    slow = sum(found.state == State.SLOW for found in findings)
    if not broken and not slow:
        return "\n".join([*lines, "All is well."])
    return "\n".join([*lines, f"{broken} broken, {slow} costing speed."])
