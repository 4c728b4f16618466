from __future__ import annotations

import logging

import pytest

from tapeflow.board import throttle
from tapeflow.board.throttle import Throttle


@pytest.fixture
def logger(monkeypatch: pytest.MonkeyPatch) -> logging.Logger:
    made = logging.Logger("test")
    made.addFilter(Throttle())
    made.propagate = False
    return made


@pytest.fixture
def said(logger: logging.Logger) -> list[str]:
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger.addHandler(Lines())
    return lines


def test_what_is_said_again_is_said_once_in_a_while(
    logger: logging.Logger, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(throttle.time, "monotonic", lambda: now)
    for _ in range(100):
        logger.warning("no files: %s", "50% used")
        logger.warning("no files: %s", "other")
    assert said == ["no files: 50% used", "no files: other"]
    now += throttle.EVERY_S
    logger.warning("no files: %s", "50% used")
    assert said[2:] == ["no files: 50% used (99 more of these since the last)"]


def test_errors_of_different_lines_are_different(logger: logging.Logger, said: list[str]) -> None:
    def fail(number: int) -> None:
        if number:
            raise ValueError("one")
        raise ValueError("two")

    for number in (0, 1, 0, 1):
        try:
            fail(number)
        except ValueError as error:
            logger.error("failed", exc_info=error)
    assert said == ["failed", "failed"]


def test_what_is_remembered_has_an_end(
    logger: logging.Logger, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "_MOST_KEPT", 10)
    for number in range(100):
        logger.warning("%d", number)
    assert len(said) == 100
    (found,) = logger.filters
    assert isinstance(found, Throttle)
    assert len(found._reported) <= 10
