"""Where a stream of batches is, and going on there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.sources import make_source, stream

X = np.arange(40, dtype=np.float32)[:, None]


def source(restarts: bool) -> Any:
    tf.random.set_seed(2)
    data = tf.data.Dataset.from_tensor_slices((X, X)).shuffle(10)
    made = make_source(data.batch(4)) if restarts else make_source(data.repeat().batch(4), steps=7)
    made.is_tracked = True
    return made


def read(made: Any, number: int, start: int = 0) -> list[Any]:
    return [np.asarray(group.data[0]).tolist() for group in made.epoch(number, group=1, start=start)]


@pytest.mark.parametrize("restarts", [True, False], ids=["restarts", "goes-on"])
@pytest.mark.parametrize("interval_s", [0.0, 1e9], ids=["often", "at-the-beginning"])
def test_goes_on_in_an_epoch(restarts: bool, interval_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_MARK_INTERVAL_S", interval_s)
    whole = source(restarts)
    read(whole, 0)
    batches, states = [], {}
    for group in whole.epoch(1, group=1):
        whole.used = group.step + 1
        batches.append(np.asarray(group.data[0]).tolist())
        states[whole.used] = whole.state(whole.used)
    states[0] = whole.state(None)
    rest = read(whole, 2)
    for step, state in states.items():
        other = source(restarts)
        other.peek()
        other.restore(state, 1 if step else 2, step)
        if step:
            assert read(other, 1, step) == batches[step:], step
        assert read(other, 2) == rest


def test_marks_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_MARK_INTERVAL_S", 0.0)
    made = source(restarts=True)
    for group in made.epoch(0, group=1):
        made.used = group.step
        assert len(made._stream._marks) <= 4


def test_marks_may_be_made_while_one_is_looked_for() -> None:
    made = source(restarts=True)
    made.peek()
    marks = made._stream._marks

    class Count(int):
        """As it is compared, the thread that reads makes a mark."""

        def __le__(self, other: Any) -> bool:
            marks.append((99, None))
            return super().__le__(other)

    marks.clear()
    marks.extend([(Count(0), "first"), (Count(5), "second")])
    assert made._stream.mark_before(3) == (0, "first")
