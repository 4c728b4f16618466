"""A writer that is closed after the test, and the leftovers of none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tapeflow import summary
from tapeflow.summary.context import current
from tapeflow.summary.files import FileWriter


@pytest.fixture(autouse=True)
def fresh_context() -> Iterator[None]:
    """No default writer, step or condition before and after each test."""
    current.writer, current.step, current.condition = None, None, True
    yield
    current.writer, current.step, current.condition = None, None, True


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[FileWriter]:
    """A writer to a new folder."""
    made = summary.create_file_writer(tmp_path / "run")
    assert isinstance(made, FileWriter)
    yield made
    made.close()
