"""What TapeFlow is built on: which versions are here, and what could be added."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import tapeflow
from tapeflow.doctor.finding import Finding, State

_SECTION = "Packages"
_LEAST_PYTHON = (3, 11)
_DEVELOPMENT = ("dev", "docs", "all")  # what TapeFlow's own developers need, and the sum of the others
_REQUIREMENT = re.compile(
    r"""([\w.-]+) (?:\[[^]]*\])? \s* (?:>=\s*([\w.]+))? [^;]* (?:;.*\bextra\s*==\s*["']([\w-]+)["'])?""",
    re.VERBOSE,
)


class Requirement(NamedTuple):
    """A package, the least version of it that will do, and the extra it belongs to, "" for none."""

    name: str
    least: str
    extra: str


def requirements() -> list[Requirement]:
    """What TapeFlow asks for: by its project file in a checkout, otherwise as it was installed."""
    project = Path(tapeflow.__file__).parents[2] / "pyproject.toml"
    if project.is_file():
        found = tomllib.loads(project.read_text("utf-8"))["project"]
        texts = list(found["dependencies"])
        for extra, names in found["optional-dependencies"].items():
            texts += [f"{name}; extra == '{extra}'" for name in names]
    else:
        texts = metadata.requires("tapeflow") or []
    matches = (_REQUIREMENT.match(text) for text in texts)
    parsed = [Requirement(m[1], m[2] or "", m[3] or "") for m in matches if m is not None]
    return [one for one in parsed if one.extra not in _DEVELOPMENT]


def examine() -> Iterator[Finding]:
    """Python, TapeFlow, what it cannot do without, and its extras."""
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _LEAST_PYTHON:
        yield Finding(_SECTION, "Python", python)
    else:
        yield Finding(_SECTION, "Python", python, State.BROKEN, "TapeFlow needs Python 3.11 or newer.")
    yield Finding(_SECTION, "tapeflow", f"{tapeflow.__version__} in {Path(tapeflow.__file__).parent}")
    known = requirements()
    for one in known:
        if not one.extra:
            yield _needed(one)
            if one.name == "jax":
                yield _needed(Requirement("jaxlib", "", ""))
    for extra in sorted({one.extra for one in known if one.extra}):
        yield _extra(extra, [one for one in known if one.extra == extra])


def version_of(name: str) -> str:
    """The version that is installed; "" if none is."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _needed(one: Requirement) -> Finding:
    version = version_of(one.name)
    wanted = f"'{one.name}>={one.least}'" if one.least else one.name
    if not version:
        return Finding(_SECTION, one.name, "missing", State.BROKEN, f"pip install {wanted}")
    if _numbers(version) < _numbers(one.least):
        value = f"{version}, older than {one.least}"
        return Finding(_SECTION, one.name, value, State.BROKEN, f"pip install --upgrade {wanted}")
    return Finding(_SECTION, one.name, version)


def _extra(extra: str, wanted: list[Requirement]) -> Finding:
    versions = {one.name: version_of(one.name) for one in wanted}
    name, missing = f"extra {extra}", [package for package, version in versions.items() if not version]
    if missing:
        value = f"not installed ({', '.join(missing)})"
        return Finding(_SECTION, name, value, State.NOTE, f"If you want it: pip install 'tapeflow[{extra}]'")
    return Finding(_SECTION, name, ", ".join(f"{package} {v}" for package, v in versions.items()))


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers a version begins with: `0.10.2.dev1` gives (0, 10, 2)."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
