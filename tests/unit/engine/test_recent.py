"""Tests for tapeflow.engine.recent."""

from __future__ import annotations

from tapeflow.engine.recent import MOST, Recent


def test_what_came_first_is_forgotten() -> None:
    found: Recent[int, str] = Recent()
    for number in range(MOST):
        found[number] = "x"
    found[3] = "y"
    assert len(found) == MOST
    found[MOST] = "z"
    assert len(found) == MOST - MOST // 4 + 1
    assert found[MOST] == "z"
    assert min(found) == MOST // 4
