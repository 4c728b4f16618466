"""Tests for tapeflow.engine.settings."""

from __future__ import annotations

import pytest

from tapeflow.engine.settings import Settings


@pytest.mark.parametrize(("chosen", "shares"), [("", True), ("exact", False)])
def test_whether_sizes_share_programs(chosen: str, shares: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPEFLOW_SHAPES", chosen)
    assert Settings().shares_programs is shares


def test_another_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPEFLOW_SHAPES", "padded")
    with pytest.raises(
        ValueError, match="expected TAPEFLOW_SHAPES=exact, or none; got TAPEFLOW_SHAPES='padded'"
    ):
        Settings()
