"""Sequences: lengths, orders, hooks and workers."""

import json
import random
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeflow.keras.training.sources import make_source
from tapeflow.keras.utils.sequence import Sequence
from tapeflow.train.plain_state import packed


class Numbers(Sequence):
    """Batch i holds i; remembers who asked."""

    def __init__(self, length=3, **kwargs):
        super().__init__(**kwargs)
        self.length = length
        self.events = []
        self.threads = set()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.threads.add(threading.current_thread())
        return np.array([float(index)]), np.array([index])

    def on_epoch_begin(self):
        self.events.append("begin")

    def on_epoch_end(self):
        self.events.append("end")


class Shuffles(Numbers):
    """Draws random numbers as an epoch ends."""

    def on_epoch_end(self):
        random.random()
        np.random.rand()


def values(groups):
    return [int(v) for g in groups for v in np.ravel(g.data[0])]


@settings(deadline=None)
@given(
    length=st.integers(1, 20),
    shuffle=st.booleans(),
    group=st.integers(1, 4),
    workers=st.sampled_from([1, 3]),
    data=st.data(),
)
def test_every_batch_comes_once_and_resuming_gives_the_tail(length, shuffle, group, workers, data):
    start = data.draw(st.integers(0, length))

    def read(group, start):
        source = make_source(Numbers(length), shuffle=shuffle, workers=workers, seed=1)
        result = values(source.epoch(2, group, start))
        source.close()
        return result

    whole = read(1, 0)
    assert sorted(whole) == list(range(length))
    assert shuffle or whole == sorted(whole)
    assert read(group, start) == whole[start:]


def test_steps_and_hooks():
    sequence = Numbers()
    source = make_source(sequence)
    assert source.steps == 3
    assert source.peek()[0].tolist() == [0]
    assert values(source.epoch(0)) == [0, 1, 2]
    assert sequence.events == ["begin"]
    source.on_epoch_end()
    assert sequence.events == ["begin", "end"]
    sequence.length = 5
    assert values(source.epoch(1)) == [0, 1, 2, 3, 4]
    assert source.steps == 5


def test_fewer_steps_begin_again_and_more_run_out():
    source = make_source(Numbers(), steps=2)
    assert [values(source.epoch(n)) for n in range(2)] == [[0, 1], [0, 1]]
    source = make_source(Numbers(), steps=5)
    assert values(source.epoch(0)) == [0, 1, 2]
    assert source.ran_out


def test_with_workers_more_steps_begin_the_sequence_again():
    source = make_source(Numbers(), steps=5, workers=2)
    assert values(source.epoch(0)) == [0, 1, 2, 0, 1]
    assert not source.ran_out
    source.close()


def test_an_empty_sequence_raises():
    with pytest.raises(ValueError, match="Expected input data to be non-empty"):
        make_source(Numbers(0))


def test_workers_are_threads_that_keep_the_order():
    class Slow(Numbers):
        def __getitem__(self, index):
            time.sleep(0.01 if index % 2 else 0)
            return super().__getitem__(index)

    sequence = Slow(20)
    source = make_source(sequence, workers=4, max_queue_size=4)
    assert values(source.epoch(0)) == list(range(20))
    assert threading.main_thread() not in sequence.threads
    assert len(sequence.threads) > 1
    source.close()
    assert not any(thread.is_alive() for thread in sequence.threads)


def test_a_sequence_may_bring_its_own_workers():
    sequence = Numbers(6, workers=2)
    source = make_source(sequence)
    list(source.epoch(0))
    source.close()
    assert threading.main_thread() not in sequence.threads


def test_no_more_batches_than_the_queue_holds_are_made_ahead():
    sequence = Numbers(100)
    made = []
    sequence.__class__ = type(
        "Counting", (Numbers,), {"__getitem__": lambda s, i: made.append(i) or (np.array([i]),)}
    )
    source = make_source(sequence, workers=2, max_queue_size=5)
    epoch = source.epoch(0)
    next(epoch)
    time.sleep(0.05)
    assert 1 <= len(made) <= 7
    epoch.close()
    source.close()
    assert len(made) <= 7


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_of_the_sequence_come_through(workers):
    class Broken(Numbers):
        def __getitem__(self, index):
            if index == 2:
                raise OSError("no such image")
            return super().__getitem__(index)

    source = make_source(Broken(5), workers=workers)
    epoch = source.epoch(0)
    assert [next(epoch).step, next(epoch).step] == [0, 1]
    with pytest.raises(OSError, match="no such image"):
        next(epoch)
    source.close()


def test_an_endless_sequence_needs_steps():
    class Endless(Numbers):
        num_batches = None

    source = make_source(Endless(), steps=4)
    assert values(source.epoch(0)) == [0, 1, 2, 3]
    with pytest.raises(
        ValueError, match="When providing an infinite dataset, you must specify the number of steps"
    ):
        make_source(Endless())


def test_where_a_sequence_is_takes_little_room_in_a_file():
    source = make_source(Shuffles(6))
    source.is_tracked = True
    sizes = []
    for number in range(3):
        list(source.epoch(number))
        source.on_epoch_end()
        tensors = {}
        sizes.append(len(json.dumps(packed(source.state(None), tensors, "state"))))
        assert all(array.dtype == np.uint32 for array in tensors.values())
    assert sizes[2] - sizes[1] < 300


def test_goes_on_in_an_epoch_whose_beginning_nobody_noted():
    source = make_source(Shuffles(6))
    list(source.epoch(0))
    state = source.state(2)
    assert state["began"] is None
    other = make_source(Shuffles(6))
    assert other.restore(state, 0, 2) is False
    assert values(other.epoch(0, start=2)) == [2, 3, 4, 5]
