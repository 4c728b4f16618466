"""Whether TapeFlow has the names a script uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tapeflow.compat.differences import DIFFERENCES
from tapeflow.compat.finder import install, is_installed, uninstall
from tapeflow.compat.names import nearest
from tapeflow.compat.packages import PACKAGES, Import
from tapeflow.compat.public import is_public
from tapeflow.compat.usage import Usage


@dataclass
class Finding:
    """A name, where a script uses it, and what TapeFlow says to it.

    Attributes:
        name: the whole name, `tensorflow.keras.layers.Dense`.
        missing: the first part of it that TapeFlow does not have, `tensorflow.keras.layers.Desne`; or None.
        advice: the nearest names there are.
        how: what it does less than TensorFlow's, or otherwise.
        lines: the script's lines.
        is_guarded: whether the script goes on without it, wherever it uses it.
    """

    name: str
    missing: str | None = None
    advice: str = ""
    how: str = ""
    lines: list[int] = field(default_factory=list)
    is_guarded: bool = True

    def add(self, line: int, is_guarded: bool) -> None:
        """Take note of a use."""
        self.is_guarded &= is_guarded
        if line not in self.lines:
            self.lines.append(line)

    @property
    def verdict(self) -> str:
        """`no`, `part` or `yes`."""
        return "no" if self.missing is not None else "part" if self.how else "yes"

    def text(self, width: int) -> str:
        """Its line, with names in a column of `width`."""
        place = f"line{'s' if len(self.lines) > 1 else ''} {', '.join(map(str, self.lines))}"
        missing = "" if self.missing in (None, self.name) else f"  {self.missing} is missing"
        guarded = ", where the script goes on without it" if self.missing and self.is_guarded else ""
        how = f"\n        {self.how}" if self.how else ""
        return f"  {self.verdict:<4}  {self.name:<{width}}  {place}{guarded}{missing}{self.advice}{how}"


@dataclass(frozen=True)
class Report:
    """What `tapeflow run --report` says.

    Attributes:
        script: the script's path.
        findings: one for each name: what is missing first, then what differs.
        hidden: what each `import *` has brought that is no name of its module.
        packages: the imports of packages that were tried with TapeFlow.
    """

    script: str
    findings: tuple[Finding, ...]
    hidden: tuple[str, ...] = ()
    packages: tuple[Import, ...] = ()

    @property
    def missing(self) -> list[Finding]:
        """The names TapeFlow does not have."""
        return [f for f in self.findings if f.missing is not None]

    @property
    def is_runnable(self) -> bool:
        """Whether every name is there that the script needs."""
        return all(f.is_guarded for f in self.missing)

    def __str__(self) -> str:
        count, there = len(self.findings), len(self.findings) - len(self.missing)
        width = max([len(f.name) for f in self.findings], default=0)
        lines = [f"{self.script}: TapeFlow has {there} of the {count} TensorFlow names it uses."]
        lines += [found.text(width) for found in self.findings]
        for imported in self.packages:
            known = PACKAGES[imported.name]
            lines.append(
                f"  {imported.name}, line {imported.line}: {known.project} {known.version} {known.verdict}"
            )
        if self.hidden:
            lines.append(f"  ?     {', '.join(self.hidden)}: nothing in the script says what these are")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "script": self.script,
            "names": [
                {
                    "name": f.name,
                    "lines": f.lines,
                    "has": f.missing is None,
                    "missing": f.missing,
                    "differs": f.how or None,
                    "is_guarded": f.is_guarded,
                }
                for f in self.findings
            ],
            "unknown": list(self.hidden),
            "packages": [
                {
                    "name": imported.name,
                    "line": imported.line,
                    "version": PACKAGES[imported.name].version,
                    "works": PACKAGES[imported.name].is_working,
                    "note": PACKAGES[imported.name].note or None,
                }
                for imported in self.packages
            ],
        }


def report_on(script: str, usage: Usage) -> Report:
    """Look every used name up."""
    with _installed():
        catalogue = _Catalogue()
        for use in usage.uses:
            found = [catalogue.find(name) for name in use.names]
            there = [finding for finding in found if finding.missing is None]
            for finding in there or (found if use.is_certain else ()):
                finding.add(use.line, use.is_guarded)
        hidden = _take_stars(usage, catalogue)
    order = {"no": 0, "part": 1, "yes": 2}
    used = [finding for finding in catalogue.findings.values() if finding.lines]
    known = tuple(imported for imported in usage.imports if imported.name in PACKAGES)
    return Report(script, tuple(sorted(used, key=lambda f: (order[f.verdict], f.name))), tuple(hidden), known)


def look_up(names: list[str]) -> dict[str, Finding]:
    """What TapeFlow says to each of these whole names."""
    with _installed():
        catalogue = _Catalogue()
        return {name: catalogue.find(name) for name in names}


def _take_stars(usage: Usage, catalogue: _Catalogue) -> list[str]:
    """Add what each `import *` brings; give the names that none of them does."""
    unknown: dict[str, None] = {}
    for name, line in usage.unbound if usage.stars else ():
        found = {star.module: catalogue.find(f"{star.module}.{name}") for star in reversed(usage.stars)}
        there = [finding for finding in found.values() if finding.missing is None]
        first = name.partition(".")[0]
        public = [finding for module, finding in found.items() if is_public(module, first)]
        for finding in (there or public)[:1]:
            finding.add(line, is_guarded=False)
        if not there and not public:
            unknown.setdefault(name)
    return list(unknown)


@contextmanager
def _installed() -> Iterator[None]:
    was_installed = is_installed()
    install()
    try:
        yield
    finally:
        if not was_installed:
            uninstall()


class _Catalogue:
    """Findings by name. What differs is known by identity, since a thing has several names."""

    def __init__(self) -> None:
        self.findings: dict[str, Finding] = {}
        self._hows = {id(_value(f"tensorflow{name[2:]}")): how for name, how in DIFFERENCES.items()}

    def find(self, name: str) -> Finding:
        """What there is to say of a name."""
        if name not in self.findings:
            try:
                self.findings[name] = Finding(name, how=self._hows.get(id(_value(name)), ""))
            except _Missing as error:
                self.findings[name] = Finding(name, *error.args)
        return self.findings[name]


class _Missing(Exception):
    """The part of a name that is not there, and the nearest ones."""


def _value(name: str) -> Any:
    parts = name.split(".")
    found: Any = importlib.import_module(parts[0])
    for end in range(2, len(parts) + 1):
        try:
            found = _member(found, parts[:end])
        except (AttributeError, ImportError):
            raise _Missing(".".join(parts[:end]), nearest(parts[end - 1], dir(found))) from None
    return found


def _member(holder: Any, parts: list[str]) -> Any:
    """What `a.b.c` means, `a.b` being known: an attribute, or a module that somebody has to import."""
    try:
        return getattr(holder, parts[-1])
    except AttributeError:
        if not isinstance(holder, ModuleType):
            raise
        return importlib.import_module(".".join(parts))
