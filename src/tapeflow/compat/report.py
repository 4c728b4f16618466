"""Whether TapeFlow has the names a script uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tapeflow.compat.finder import install, is_installed, uninstall
from tapeflow.compat.names import nearest
from tapeflow.compat.usage import Usage


@dataclass(frozen=True)
class Finding:
    """A name, where a script uses it, and what TapeFlow says to it.

    Attributes:
        name: the whole name, `tensorflow.keras.layers.Dense`.
        lines: the script's lines.
        missing: the first part of it that TapeFlow does not have, `tensorflow.keras.layers.Desne`; or None.
        advice: the nearest names there are.
    """

    name: str
    lines: tuple[int, ...]
    missing: str | None
    advice: str


@dataclass(frozen=True)
class Report:
    """What `tapeflow run --report` says.

    Attributes:
        script: the script's path.
        findings: one for each name, what is missing first.
        hidden: lines with a star import, after which names cannot be told.
    """

    script: str
    findings: tuple[Finding, ...]
    hidden: tuple[int, ...]

    @property
    def missing(self) -> list[Finding]:
        """The names TapeFlow does not have."""
        return [f for f in self.findings if f.missing is not None]

    def __str__(self) -> str:
        count, there = len(self.findings), len(self.findings) - len(self.missing)
        lines = [f"{self.script}: TapeFlow has {there} of the {count} TensorFlow names it uses."]
        width = max([len(f.name) for f in self.findings], default=0)
        for found in self.findings:
            mark = "yes" if found.missing is None else "no "
            place = f"line{'s' if len(found.lines) > 1 else ''} {', '.join(map(str, found.lines))}"
            missing = "" if found.missing in (None, found.name) else f"  {found.missing} is missing"
            lines.append(f"  {mark}  {found.name:<{width}}  {place}{missing}{found.advice}".rstrip())
        for line in self.hidden:
            lines.append(f"  ?    line {line}: `import *` hides which names are used after it")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "script": self.script,
            "names": [
                {"name": f.name, "lines": list(f.lines), "has": f.missing is None, "missing": f.missing}
                for f in self.findings
            ],
            "star_imports": list(self.hidden),
        }


def report_on(script: str, usage: Usage) -> Report:
    """Look every used name up."""
    with _installed():
        findings = [_finding(name, lines) for name, lines in usage.by_name().items()]
    findings.sort(key=lambda f: (f.missing is None, f.name))
    return Report(script, tuple(findings), tuple(usage.hidden))


@contextmanager
def _installed() -> Iterator[None]:
    was_installed = is_installed()
    install()
    try:
        yield
    finally:
        if not was_installed:
            uninstall()


def _finding(name: str, lines: list[int]) -> Finding:
    parts = name.split(".")
    found: Any = importlib.import_module(parts[0])
    for end in range(2, len(parts) + 1):
        try:
            found = _member(found, parts[:end])
        except (AttributeError, ImportError):
            advice = nearest(parts[end - 1], dir(found))
            return Finding(name, tuple(lines), ".".join(parts[:end]), advice)
    return Finding(name, tuple(lines), None, "")


def _member(holder: Any, parts: list[str]) -> Any:
    """What `a.b.c` means, `a.b` being known: an attribute, or a module that somebody has to import."""
    try:
        return getattr(holder, parts[-1])
    except AttributeError:
        if not isinstance(holder, ModuleType):
            raise
        return importlib.import_module(".".join(parts))
