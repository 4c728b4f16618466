"""A writer that is closed after the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tapeflow import summary
from tapeflow.summary.files import FileWriter


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[FileWriter]:
    """A writer to a new folder."""
    made = summary.create_file_writer(tmp_path / "run")
    assert isinstance(made, FileWriter)
    yield made
    made.close()
