"""`Preemption`: a `SIGTERM` is answered, now or later, whoever listens."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tapeflow.keras.callbacks.preemption import Preemption


@pytest.fixture
def received() -> Iterator[list[int]]:
    """The signals that reach the handler of the program itself."""
    found: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: found.append(number))
    yield found
    signal.signal(signal.SIGTERM, before)


class Gone:
    """A terminal that is no more."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    def flush(self) -> None:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_signal_that_nobody_answered_goes_to_the_program(received: list[int]) -> None:
    preemption = Preemption()
    preemption.begin()
    signal.raise_signal(signal.SIGTERM)
    assert preemption.is_asked
    assert received == []
    preemption.end()
    assert received == [signal.SIGTERM]
    preemption.begin()
    assert not preemption.is_asked
    preemption.end()
    assert received == [signal.SIGTERM]


def test_nobody_listens(received: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    terminal: Any = Gone(writing)
    monkeypatch.setattr(sys, "__stderr__", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    preemption = Preemption()
    preemption.begin()
    signal.raise_signal(signal.SIGTERM)
    os.close(writing)
    with pytest.raises(SystemExit) as ended:
        preemption.leave("saved")
    assert ended.value.code == 143
    assert received == []
