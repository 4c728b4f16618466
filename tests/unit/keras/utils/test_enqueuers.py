"""Batches fetched ahead for loops written by hand."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest

import tapeflow as tf

U = tf.keras.utils


class Numbers(U.Sequence):
    """Four batches, one of them missing, that count their epochs."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch = 0

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return None if index == 2 else (self.epoch, index)

    def on_epoch_end(self) -> None:
        self.epoch += 1


def taken(enqueuer: Any, count: int) -> list[Any]:
    enqueuer.start(workers=2, max_queue_size=3)
    assert enqueuer.is_running()
    batches = enqueuer.get()
    found = list(itertools.islice(batches, count))
    enqueuer.stop()
    assert not enqueuer.is_running()
    assert list(batches) == []
    return found


def test_a_sequence_in_order_epoch_after_epoch() -> None:
    assert taken(U.OrderedEnqueuer(Numbers()), 5) == [(0, 0), (0, 1), (0, 3), (1, 0), (1, 1)]


def test_a_shuffled_sequence() -> None:
    found = taken(U.OrderedEnqueuer(Numbers(), shuffle=True), 3)
    assert sorted(found) == [(0, 0), (0, 1), (0, 3)]


def test_a_generator_to_its_end() -> None:
    before = threading.active_count()
    assert taken(U.GeneratorEnqueuer(n for n in (1, None, 2)), 5) == [1, 2]
    assert threading.active_count() == before


def test_an_error_comes_through() -> None:
    def broken() -> Any:
        yield 1
        raise OSError("the file is gone")

    enqueuer = U.GeneratorEnqueuer(broken())
    enqueuer.start()
    batches = enqueuer.get()
    assert next(batches) == 1
    with pytest.raises(OSError, match="the file is gone"):
        next(batches)


def test_wrong_arguments_raise() -> None:
    with pytest.raises(RuntimeError, match=r"OrderedEnqueuer.get expected start\(\)"):
        U.OrderedEnqueuer(Numbers()).get()
    with pytest.raises(ValueError, match="expected use_multiprocessing=False"):
        U.GeneratorEnqueuer(iter([1]), use_multiprocessing=True)
    bare = U.SequenceEnqueuer(Numbers())
    bare.start()
    with pytest.raises(NotImplementedError, match="expected a method `_batches"):
        next(bare.get())
