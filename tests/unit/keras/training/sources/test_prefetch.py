"""ahead: the same items, from a thread that always ends."""

import gc
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeflow.keras.training.sources import ahead


def helpers():
    return [thread for thread in threading.enumerate() if thread.name == "ahead"]


def wait_until(condition):
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@given(items=st.lists(st.integers(), max_size=30), depth=st.integers(1, 5))
def test_the_same_items_come_in_the_same_order(items, depth):
    with ahead(items, depth) as prepared:
        assert list(prepared) == items
        assert list(prepared) == []


def test_it_runs_on_another_thread_and_not_too_far():
    made = []

    def items():
        for i in range(100):
            made.append(threading.current_thread())
            yield i

    with ahead(items(), 3) as prepared:
        assert next(prepared) == 0
        wait_until(lambda: len(made) == 5)  # one used, three waiting, one in the thread's hand
        time.sleep(0.02)
        assert len(made) == 5
    assert threading.current_thread() not in made
    assert not helpers()


def test_an_exception_comes_at_its_place():
    def items():
        yield 1
        raise KeyError("broken")

    prepared = ahead(items())
    assert next(prepared) == 1
    with pytest.raises(KeyError, match="broken") as caught:
        next(prepared)
    assert "items" in [entry.name for entry in caught.traceback]
    with pytest.raises(StopIteration):
        next(prepared)
    prepared.close()


def test_leaving_the_block_closes_the_iterator():
    closed = threading.Event()

    def items():
        try:
            while True:
                yield 0
        finally:
            closed.set()

    def interrupted():
        with ahead(items()) as prepared:
            next(prepared)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert closed.is_set()
    assert not helpers()


def test_close_may_come_twice_and_ends_the_items():
    prepared = ahead(iter(range(10)))
    prepared.close()
    prepared.close()
    assert list(prepared) == []


def test_a_forgotten_one_stops():
    def endless():
        while True:
            yield 0

    prepared = ahead(endless())
    next(prepared)
    del prepared
    gc.collect()
    wait_until(lambda: not helpers())


def test_depth_is_checked():
    with pytest.raises(ValueError, match="ahead expected depth to be positive; got depth=0"):
        ahead([], 0)
