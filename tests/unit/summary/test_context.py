from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.summary.files import FileWriter


def steps(writer: FileWriter, tag: str = "x") -> list[int]:
    run = summary.read(writer.logdir)
    return run[tag].steps.tolist() if tag in run else []


def test_without_a_writer_nothing_is_recorded() -> None:
    assert summary.scalar("x", 1.0, step=1) is False
    assert summary.should_record_summaries() is False


def test_as_default_nests_and_goes_back(tmp_path: Path) -> None:
    one, two = (summary.create_file_writer(tmp_path / n) for n in "12")
    with one.as_default() as given:
        assert given is one
        with two.as_default():
            summary.scalar("x", 1.0, step=2)
        summary.scalar("x", 1.0, step=1)
    assert not summary.scalar("x", 1.0, step=3)
    assert (steps(one), steps(two)) == ([1], [2])
    one.close()
    two.close()


def test_as_default_goes_back_after_an_error(writer: FileWriter) -> None:
    with pytest.raises(ZeroDivisionError), writer.as_default(step=3):
        raise ZeroDivisionError
    assert not summary.should_record_summaries()
    assert summary.experimental.get_step() is None


def test_default_steps(writer: FileWriter) -> None:
    summary.experimental.set_step(5)
    with writer.as_default():
        summary.scalar("x", 1.0)
    with writer.as_default(step=8):
        summary.scalar("x", 1.0)
        summary.experimental.set_step(9)
        summary.scalar("x", 1.0)
    assert summary.experimental.get_step() == 5
    writer.set_as_default(step=11)
    summary.scalar("x", 1.0)
    assert steps(writer) == [5, 8, 9, 11]


def test_a_step_is_needed(writer: FileWriter) -> None:
    with writer.as_default(), pytest.raises(ValueError, match="expected a step; got step=None.*set_step"):
        summary.scalar("x", 1.0)


@pytest.mark.parametrize("step", [np.int64(4), np.array(4), np.uint8(4), True + 3])
def test_integer_steps(writer: FileWriter, step: object) -> None:
    with writer.as_default():
        summary.scalar("x", 1.0, step=step)
    assert steps(writer) == [4]


@pytest.mark.parametrize("step", [1.5, "a", np.float32(2), np.zeros(2, int)])
def test_other_steps_raise(writer: FileWriter, step: object) -> None:
    with writer.as_default(), pytest.raises(TypeError, match="expected an integer step; got step="):
        summary.scalar("x", 1.0, step=step)


def test_record_if(writer: FileWriter) -> None:
    now = [0]
    with writer.as_default(), summary.record_if(lambda: now[0] % 2 == 0):
        for now[0] in range(5):
            assert summary.scalar("x", 1.0, step=now[0]) is (now[0] % 2 == 0)
        with summary.record_if(False):
            assert not summary.should_record_summaries()
            assert not summary.scalar("x", 1.0, step=10)
            with summary.record_if(np.True_):
                assert summary.scalar("x", 1.0, step=12)
    assert steps(writer) == [0, 2, 4, 12]


def test_the_default_writer_is_the_threads_own(writer: FileWriter) -> None:
    seen = []
    with writer.as_default():
        thread = threading.Thread(target=lambda: seen.append(summary.should_record_summaries()))
        thread.start()
        thread.join()
    assert seen == [False]
