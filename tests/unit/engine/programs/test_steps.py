"""When a step runs although nobody reads a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.engine.programs import steps
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.trace import live_trace

EVERY = [steps.begin_taped_step, steps.begin_call, steps.end_untaped_step, steps.run_between_steps]


def pending() -> int:
    return len(live_trace().nodes)


@pytest.fixture
def x() -> Any:
    """A tensor that has its value."""
    run_pending()
    return tf.constant([1.0, 2.0])


@pytest.mark.parametrize("end", EVERY)
def test_what_is_pending_runs_outside_tapes(end: Callable[[], None], x: Any) -> None:
    y = x * 2.0
    assert pending()
    end()
    assert not pending()
    assert y.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("end", [steps.begin_taped_step, steps.begin_call, steps.end_untaped_step])
def test_a_tape_keeps_its_step_together(end: Callable[[], None], x: Any) -> None:
    with tf.GradientTape():
        y = x * 2.0
        end()
        assert pending()
    del y


def test_a_step_with_a_gradient_is_left_for_the_next_tape(x: Any) -> None:
    v = tf.Variable([1.0, 1.0])
    with tf.GradientTape() as tape:
        y = v * x
    gradient = tape.gradient(y, v)
    steps.end_untaped_step()
    assert pending()
    steps.begin_taped_step()
    assert not pending()
    assert gradient.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("end", [steps.begin_taped_step, steps.end_untaped_step, steps.run_between_steps])
def test_nothing_runs_while_a_function_is_recorded(end: Callable[[], None], x: Any) -> None:
    counts = []

    @tf.function
    def double(x: Any) -> Any:
        y = x * 2.0
        end()
        counts.append(pending())
        return y

    assert double(x).numpy().tolist() == [2.0, 4.0]
    assert counts[0]


def test_a_short_trace_is_left_alone(x: Any) -> None:
    y = x * 2.0
    steps.keep_bounded(live_trace())
    assert pending()
    del y
