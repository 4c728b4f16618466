"""Tests for tapeflow.engine.recording.trace: one thread records into a trace, others may run it at any moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.programs.running import run_trace
from tapeflow.engine.recording.trace import Claim, Trace


@pytest.fixture
def hectic() -> Iterator[None]:
    """Threads take turns every few bytecodes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_another_thread_runs_the_trace_between_any_two_steps_of_recording(hectic: None) -> None:
    x = tf.constant(np.arange(6, dtype=np.float32))
    v, w = tf.Variable(np.zeros(6, np.float32)), tf.constant(np.ones(6, np.float32))
    shared, stop, failures = [tf.identity(x)], threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            try:
                shared[0].numpy()
            except Exception as error:  # noqa: BLE001
                failures.append(error)
                return

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for step in range(1, 60):
            shared[0] = x + 1.0
            first, second = tf.split(x * 2.0, 2)  # an op with two results
            v.assign_add(x)
            with tf.GradientTape() as tape:
                tape.watch(w)
                mean, _ = tf.nn.moments(x, 0)
                loss = tf.reduce_sum(w * w * x) + tf.reduce_mean(tf.stack([x, x])) - mean
            shared[0] = loss  # pending when the tape goes back through it
            gradient = tape.gradient(loss, w)
            found = (first + second) * gradient[:3]
            np.testing.assert_allclose(found, [0.0, 20.0, 56.0])
            np.testing.assert_allclose(v, step * np.arange(6))
    finally:
        stop.set()
        thread.join(20)
    assert failures == []


def test_who_runs_a_trace_waits_for_the_op_being_recorded() -> None:
    trace = Trace()
    order: list[str] = []

    def run() -> None:
        with RUN_LOCK, Claim(trace):
            order.append("run")

    trace.is_busy = True
    thread = threading.Thread(target=run)
    thread.start()
    while not trace.is_claimed:
        time.sleep(0.001)
    order.append("recorded")
    trace.is_busy = False
    thread.join(10)
    assert order == ["recorded", "run"]
    assert not trace.is_claimed


def test_recording_waits_for_who_runs_the_trace() -> None:
    trace = Trace()
    order: list[str] = []
    has_begun, may_end = threading.Event(), threading.Event()

    def run() -> None:
        with RUN_LOCK, Claim(trace):
            has_begun.set()
            may_end.wait(10)
            order.append("run")

    thread = threading.Thread(target=run)
    thread.start()
    has_begun.wait(10)
    threading.Timer(0.05, may_end.set).start()
    with trace:
        order.append("recorded")
    thread.join(10)
    assert order == ["run", "recorded"]
    assert not trace.is_busy


def test_an_interrupt_while_waiting_gives_up_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = Trace()
    trace.thread, trace.is_busy = -1, True

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_trace(trace)
    assert not trace.is_claimed


def test_a_number_is_a_leaf_wherever_it_is_used(counting) -> None:
    """Programs must not depend on which numbers happen to be equal."""
    x = tf.constant([1.0, 2.0])

    def scaled(rate: float, offset: float) -> list[float]:
        y = x
        for _ in range(4):
            y = y * rate + offset
        return y.numpy().tolist()

    assert scaled(0.5, 0.5) == [1.0, 1.0625]
    with counting() as spent:
        assert scaled(0.5, 0.25) == [0.53125, 0.59375]
    assert spent.compiled == 0


def test_the_sign_of_a_zero_is_kept() -> None:
    x = tf.constant([1.0])
    assert not np.signbit((x * 0.0).numpy()[0])
    assert np.signbit((x * -0.0).numpy()[0])
