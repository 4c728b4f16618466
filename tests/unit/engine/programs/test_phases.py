"""Steps and what a profile notes of them."""

from __future__ import annotations

import threading
from time import sleep
from typing import Any

import tapeflow as tf
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.clocks import PHASES
from tapeflow.engine.programs.phases import Log, Step
from tapeflow.engine.programs.program import counters
from tapeflow.engine.programs.running import run_pending


def test_steps_become_rows_and_threads_have_clocks_of_their_own() -> None:
    rows: list[Any] = []
    log = Log(rows.append)

    def elsewhere() -> None:
        with log.during("input"):
            sleep(0.01)

    step = Step("train", 4, count=3)
    log.begin(step)
    with log.during("device"):
        sleep(0.01)
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    log.end(step)
    (row,) = rows
    assert (row["name"], row["step"], row["count"]) == ("train", 4, 3)
    assert row["input_ns"] == 0
    assert row["device_ns"] >= 10_000_000
    assert row["wall_ns"] == sum(row[f"{phase}_ns"] for phase in PHASES)


def test_steps_without_a_number_are_counted() -> None:
    rows: list[Any] = []
    phases.start(rows.append)
    try:
        for name in ("train", "test", "train"):
            with Step(name):
                pass
    finally:
        phases.stop()
    found = [(row["name"], row["step"]) for row in rows if row["kind"] == "step"]
    assert found == [("train", 0), ("test", 0), ("train", 1)]


def test_nothing_is_noted_without_a_profile() -> None:
    assert phases.log is None
    with phases.during("input"), phases.hook("on_epoch_end"), Step("train", 0):
        phases.wait()
    assert phases.log is None


def test_a_log_does_not_hold_what_a_program_gave() -> None:
    """Who holds a Variable's buffer would have it copied at every step."""
    weights = tf.Variable(tf.ones((64, 64)))
    float(tf.reduce_sum(weights))
    rows: list[Any] = []
    before = counters.copied_for_donation
    phases.start(rows.append)
    try:
        for number in range(4):
            with Step("train", number):
                weights.assign(tf.tanh(weights))
                run_pending()
                weights.assign(tf.tanh(weights))
                run_pending()
    finally:
        phases.stop()
    assert counters.copied_for_donation - before <= 1
    assert len([row for row in rows if row["kind"] == "step"]) == 4
