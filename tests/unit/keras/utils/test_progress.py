"""The progress bar off a terminal, its averages, and values that are arrays."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from tapeflow.keras import utils
from tapeflow.keras.utils import Progbar


class Clock:
    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.time", clock)
    return clock


@pytest.fixture(autouse=True)
def _not_in_pycharm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYCHARM_HOSTED", raising=False)


def test_plain_lines_off_a_terminal(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(400)
    for step in range(1, 401):
        clock.now_s += 0.1
        bar.update(step, [("loss", 1 / step)])
    text = capsys.readouterr().out
    assert "\b" not in text
    assert "\r" not in text
    lines = text.splitlines()
    assert len(lines) == 4, "one every ten seconds, and the last"
    assert lines[0].startswith("100/400 [======>.......................] - ETA: 30s - loss: ")
    assert lines[-1].startswith("400/400 [==============================] - 40s 100ms/step - loss: ")
    assert text.endswith("\n")


def test_the_group_that_compiles_does_not_count(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(96)
    for step, seconds in ((32, 9.0), (64, 0.32), (96, 0.32)):
        clock.now_s += seconds
        bar.update(step)
    assert capsys.readouterr().out.endswith(" - 10s 10ms/step\n")


def test_add_and_averages(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(4, stateful_metrics=["accuracy"])
    bar.add(1, [("loss", 1.0), ("accuracy", 0.1)])
    bar.add(3, [("loss", 5.0), ("accuracy", 0.9)])
    assert "loss: 4.0000 - accuracy: 0.9000\n" in capsys.readouterr().out


def test_values_may_be_arrays(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    Progbar(1).update(1, [("loss", np.float32(0.5)), ("both", np.array([1.0, 2.0]))])
    assert "loss: 0.5000 - both: 1.5000" in capsys.readouterr().out


def test_finalize_before_the_target(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(10)
    bar.update(3, finalize=True)
    assert capsys.readouterr().out.startswith(" 3/10 [========>.....................] - 0s 0s/step")


def test_one_line_with_an_unknown_target(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(None, verbose=2)
    clock.now_s += 2.0
    bar.update(4, [("loss", 0.25)], finalize=True)
    assert capsys.readouterr().out == "4/4 - 2s - loss: 0.2500 - 2s/epoch - 500ms/step\n"


def test_messages_can_go_to_the_log(
    clock: Clock, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    utils.disable_interactive_logging()
    try:
        assert not utils.is_interactive_logging_enabled()
        with caplog.at_level(logging.INFO, "tapeflow.keras"):
            Progbar(1).update(1, [("loss", 0.5)])
    finally:
        utils.enable_interactive_logging()
    assert capsys.readouterr().out == ""
    assert caplog.messages[0].endswith("loss: 0.5000")


def test_a_note_stays_until_the_bar_is_drawn(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progbar(4)
    clock.now_s += 5
    bar.note("compiling train_step, 5s")
    assert not capsys.readouterr().out, "off a terminal a line comes every ten seconds"
    clock.now_s += 5
    bar.note("compiling train_step, 10s")
    assert capsys.readouterr().out == "0/4 [..............................] - compiling train_step, 10s\n"
    bar.update(4)
    assert capsys.readouterr().out.startswith("4/4 [====")


def test_a_silent_bar_has_no_notes(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    clock.now_s += 60
    Progbar(4, verbose=2).note("compiling train_step, 60s")
    assert not capsys.readouterr().out
