"""Clocks: each moment counts once, for the phase it belongs to."""

from __future__ import annotations

import pytest

from tapeflow.engine.programs import clocks
from tapeflow.engine.programs.clocks import PHASES, Clock


class Time:
    """A time that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0

    def perf_counter_ns(self) -> int:
        return self.now

    def passes(self, nanoseconds: int) -> None:
        self.now += nanoseconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    found = Time()
    monkeypatch.setattr(clocks, "time", found)
    return found


def spent(**of: int) -> dict[str, int]:
    return dict.fromkeys(PHASES, 0) | of


def test_a_moment_counts_for_the_innermost_phase(time: Time) -> None:
    clock = Clock()
    clock.begin("a step")
    time.passes(1)
    clock.enter("compile")
    time.passes(10)
    clock.enter("dispatch")
    time.passes(100)
    clock.leave()
    time.passes(10)
    clock.leave()
    time.passes(1)
    assert clock.end() == spent(host=2, compile=20, dispatch=100)


@pytest.mark.parametrize("owner", ["input", "callbacks"])
def test_what_input_and_callbacks_compute_is_theirs(time: Time, owner: str) -> None:
    clock = Clock()
    clock.begin("a step")
    clock.enter(owner)
    clock.enter("dispatch")
    time.passes(5)
    clock.move(3, "compile")
    clock.leave()
    clock.enter("device")
    time.passes(5)
    clock.leave()
    clock.leave()
    assert clock.end() == spent(**{owner: 10})


def test_compiling_is_taken_from_the_dispatch_around_it(time: Time) -> None:
    clock = Clock()
    clock.begin("a step")
    clock.enter("dispatch")
    time.passes(100)
    clock.move(80, "compile")
    clock.leave()
    assert clock.end() == spent(dispatch=20, compile=80)


def test_input_waited_for_between_steps_is_the_next_ones_but_not_other_time(time: Time) -> None:
    clock = Clock()
    time.passes(1000)
    clock.enter("input")
    time.passes(7)
    clock.leave()
    time.passes(1000)
    clock.begin("a step")
    time.passes(3)
    assert clock.end() == spent(input=7, host=3)
    clock.begin("another")
    assert clock.end() == spent()


def test_input_waited_for_before_something_else_was_done_is_not(time: Time) -> None:
    clock = Clock()
    clock.enter("input")
    time.passes(7)
    clock.leave()
    clock.enter("dispatch")
    clock.leave()
    clock.begin("a step")
    assert clock.end() == spent()
    assert clock.spent["input"] == 7  # of the thread's time in all
