"""Tests for tapeflow.engine.programs.compiling: long compilations are announced, on the thread that asked for it."""

from __future__ import annotations

import threading
import time

import pytest

from tapeflow.engine.programs import compiling
from tapeflow.engine.programs.compiling import Announced, Compiling


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_FIRST_S", 0.02)
    monkeypatch.setattr(compiling, "_EVERY_S", 0.01)


def test_a_long_one_is_announced_again_and_again() -> None:
    told: list[float] = []
    is_told_twice = threading.Event()

    def tell(seconds: float) -> None:
        told.append(seconds)
        if len(told) == 2:
            is_told_twice.set()

    with Announced(tell), Compiling():
        assert is_told_twice.wait(30)
    assert 0.02 <= told[0] < told[1]
    count = len(told)
    time.sleep(0.05)
    assert len(told) == count, "nothing comes after the end"


def test_a_short_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    monkeypatch.setattr(compiling, "_FIRST_S", 30.0)
    with Announced(told.append), Compiling():
        pass
    assert not told


def test_nobody_is_told_outside_or_on_another_thread() -> None:
    told: list[float] = []

    def elsewhere() -> None:
        with Compiling():
            time.sleep(0.1)

    with Announced(told.append):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    elsewhere()
    assert not told


def test_the_outer_listener_is_back_afterwards() -> None:
    outer: list[float] = []
    inner: list[float] = []
    is_told = threading.Event()

    def tell(seconds: float) -> None:
        outer.append(seconds)
        is_told.set()

    with Announced(tell):
        with Announced(inner.append):
            pass
        with Compiling():
            assert is_told.wait(30)
    assert outer
    assert not inner
