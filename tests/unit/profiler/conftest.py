"""Profiles taken in tests: no test leaves one running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tapeflow.engine.programs import phases
from tapeflow.profiler import session


@pytest.fixture(autouse=True)
def _no_profile_is_left() -> Iterator[None]:
    yield
    is_left = session.is_running()
    if is_left:
        session.stop(save=False)
    assert not is_left
    assert phases.log is None
