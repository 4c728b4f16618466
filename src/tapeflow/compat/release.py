"""Which release of TensorFlow a program is told that it runs on, wherever it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

DEFAULT = "2.15.0"
"""The last release whose Keras is Keras 2. Packages compare it to choose between old and new names."""

_PROJECTS = ("tensorflow", "keras")
_chosen = DEFAULT


def release() -> str:
    """What `tf.__version__`, `keras.__version__` and `importlib.metadata.version("tensorflow")` say."""
    return _chosen


def choose(version: str) -> None:
    """Say another release from now on, in modules that have not been imported yet.

    Raises:
        ValueError: it is no release of TensorFlow 2.
    """
    global _chosen
    if re.fullmatch(r"2\.\d{1,3}(\.\d{1,3})?", version) is None:
        raise ValueError(
            f"tapeflow run expected a release of TensorFlow 2; got --tensorflow-version={version!r}. "
            f"Write it as {DEFAULT} or 2.11."
        )
    _chosen = version if version.count(".") == 2 else f"{version}.0"


class Project(Distribution):
    """What `importlib.metadata` finds for TensorFlow and Keras: a name and a version, and no files."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        """The metadata; there is nothing else to read."""
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: {self._name}\nVersion: {release()}\nSummary: TapeFlow, under this name.\n"

    def locate_file(self, path: object) -> Path:
        """Where a file of it would be: it has none."""
        return Path(str(path))


def projects(context: DistributionFinder.Context) -> Iterator[Project]:
    """The projects that a question of `importlib.metadata` is about."""
    yield from (Project(name) for name in _PROJECTS if context.name in (None, name))
