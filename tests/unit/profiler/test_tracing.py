"""`Trace`: steps and spans of a loop written by hand; `trace_on(profiler=True)`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.profile import read

profiler = tf.profiler.experimental

STEPS = 5
SLEEP_S = 0.02


def batches(sleep_s: float = SLEEP_S) -> Any:
    def generate() -> Any:
        for _ in range(STEPS):
            time.sleep(sleep_s)
            yield np.ones((4, 8), np.float32)

    return tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((4, 8), tf.float32))


def make_step() -> Callable[[Any], Any]:
    weights = tf.Variable(tf.ones((8, 2)))
    optimizer = tf.keras.optimizers.SGD(0.1)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    return step


@pytest.mark.parametrize("staging", ["undecorated", "function"])
@pytest.mark.parametrize("reads", ["reads", "runs on"])
def test_marked_steps_are_recorded(tmp_path: Path, staging: str, reads: str) -> None:
    step = make_step() if staging == "undecorated" else tf.function(make_step())
    with profiler.Profile(tmp_path):
        for number, x in enumerate(batches()):
            with profiler.Trace("train", step_num=number):
                loss = step(x)
                if reads == "reads":
                    float(loss)
    profile = read(tmp_path)
    assert [(s.name, s.number, s.count) for s in profile.steps] == [("train", n, 1) for n in range(STEPS)]
    for found in profile.steps:
        assert found.phases["input"] >= SLEEP_S  # waited for before the block
        assert sum(found.phases.values()) == pytest.approx(found.wall)
        assert found.phases["dispatch"] + found.phases["compile"] > 0
    assert profile.verdict.is_input_bound
    assert "from_generator" in str(profile.verdict)


def test_input_may_be_read_inside_the_block(tmp_path: Path) -> None:
    step, iterator = make_step(), iter(batches())
    with profiler.Profile(tmp_path):
        for number in range(STEPS):
            with profiler.Trace("train", step_num=number):
                step(next(iterator))
    assert all(found.phases["input"] >= SLEEP_S for found in read(tmp_path).steps)


def test_input_of_something_else_is_not_the_next_steps(tmp_path: Path) -> None:
    step = make_step()
    x = tf.ones((4, 8))
    step(x)
    with profiler.Profile(tmp_path):
        for other in batches():
            float(tf.reduce_sum(step(other)))
        with profiler.Trace("train", step_num=0):
            step(x)
    (found,) = read(tmp_path).steps
    assert found.phases["input"] < STEPS * SLEEP_S


def test_a_step_inside_a_step_is_part_of_it(tmp_path: Path) -> None:
    with profiler.Profile(tmp_path), profiler.Trace("outer", step_num=1), profiler.Trace("inner", step_num=2):
        float(tf.reduce_sum(tf.ones((4, 8))))
    assert [step.name for step in read(tmp_path).steps] == ["outer"]


def test_a_span_is_no_step_and_is_in_the_xplane(tmp_path: Path) -> None:
    with profiler.Profile(tmp_path), profiler.Trace("a span of mine", colour="red") as span:
        span.set_metadata(size=3)
    profile = read(tmp_path)
    assert not profile.steps
    (file,) = Path(profile.path).glob("*.xplane.pb")
    assert b"a span of mine" in file.read_bytes()


def test_traces_without_a_profile_do_nothing() -> None:
    with profiler.Trace("train", step_num=np.int64(1)), profiler.Trace("span"):
        x = tf.ones(3) * 2
    assert float(tf.reduce_sum(x)) == 6


def test_a_step_number_is_an_integer(tmp_path: Path) -> None:
    expected = "Trace expected step_num to be an integer; got step_num='one' of type str"
    with profiler.Profile(tmp_path), pytest.raises(TypeError, match=expected):
        profiler.Trace("train", step_num="one")


def test_a_step_number_may_be_a_variable_which_is_read_for_a_profile_alone(tmp_path: Path) -> None:
    iterations = tf.Variable(7, dtype=tf.int64)
    with profiler.Profile(tmp_path), profiler.Trace("train", step_num=iterations):
        pass
    assert [step.number for step in read(tmp_path).steps] == [7]

    class Unreadable:
        def __index__(self) -> int:
            raise AssertionError

    with profiler.Trace("train", step_num=Unreadable()):
        pass


def test_an_error_in_a_step_is_the_one_that_is_raised(tmp_path: Path) -> None:
    def fails() -> None:
        tf.ones((2, 2)) * 3  # stays pending
        raise KeyError("mine")

    with (
        pytest.raises(KeyError, match="mine"),
        profiler.Profile(tmp_path),
        profiler.Trace("train", step_num=0),
    ):
        fails()


def test_a_profile_may_begin_and_end_inside_a_step(tmp_path: Path) -> None:
    with profiler.Trace("train", step_num=0):
        profiler.start(tmp_path)
    with profiler.Trace("train", step_num=1):
        pass
    with profiler.Trace("train", step_num=2):
        profiler.stop()
    assert [step.number for step in read(tmp_path).steps] == [0, 1, 2]


def test_profiling_changes_no_value(tmp_path: Path) -> None:
    losses = []
    for profile in (False, True):
        step = make_step()
        if profile:
            profiler.start(tmp_path)
        found = []
        for number in range(4):
            with profiler.Trace("train", step_num=number):
                found.append(step(tf.ones((4, 8))))
        if profile:
            profiler.stop()
        losses.append([float(loss) for loss in found])
    assert losses[0] == losses[1]


def test_trace_on_takes_a_profile(tmp_path: Path) -> None:
    step = make_step()
    float(step(tf.ones((4, 8))))
    tf.summary.trace_on(graph=True, profiler=True)
    for x in batches(5 * SLEEP_S):
        float(step(x))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export(name="trace", step=0, profiler_outdir=str(tmp_path))
    profile = read(tmp_path)
    assert not profile.steps
    assert profile.breakdown["input"] >= STEPS * 5 * SLEEP_S  # of the thread, as no steps were marked
    assert profile.verdict.is_input_bound
    assert "of the time waits for input" in str(profile.verdict)


def test_trace_on_may_know_the_folder(tmp_path: Path) -> None:
    tf.summary.trace_on(graph=False, profiler=True, profiler_outdir=tmp_path)  # pyright: ignore[reportArgumentType]
    tf.summary.trace_export(name="trace", step=0)
    assert read(tmp_path)


def test_trace_off_forgets_the_profile(tmp_path: Path) -> None:
    tf.summary.trace_on(graph=False, profiler=True)
    tf.summary.trace_off()
    with profiler.Profile(tmp_path):
        pass


def test_a_trace_that_cannot_profile_is_not_on(tmp_path: Path) -> None:
    with profiler.Profile(tmp_path), pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler"):
        tf.summary.trace_on(profiler=True)
    with pytest.raises(ValueError, match="expected a trace that is on"):
        tf.summary.trace_export("trace", step=0)
