"""`tf.train.Coordinator`: threads that stop together."""

from __future__ import annotations

import threading

import pytest

import tapeflow as tf


def test_one_asks_and_all_stop() -> None:
    coordinator = tf.train.Coordinator()
    steps: list[int] = []

    def work(last: int) -> None:
        while not coordinator.should_stop():
            steps.append(last)
            if len(steps) >= last:
                coordinator.request_stop()

    threads = [threading.Thread(target=work, args=(n,)) for n in (20, 10)]
    coordinator.register_thread(threads[0])
    for thread in threads:
        thread.start()
    coordinator.join(threads[1:])
    assert coordinator.joined
    assert not any(t.is_alive() for t in threads)
    assert coordinator.wait_for_stop(0)
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    assert not coordinator.wait_for_stop(0)


def test_an_error_in_a_thread_is_raised_by_join() -> None:
    coordinator = tf.train.Coordinator()

    def work() -> None:
        with coordinator.stop_on_exception():
            raise KeyError("broken")

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyError, match="broken"):
        coordinator.join([thread])


def test_the_end_of_the_data_is_no_error() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coordinator.join([])
    other = tf.train.Coordinator((StopIteration,))
    other.request_stop(StopIteration())
    other.join([])


def test_a_thread_that_does_not_stop() -> None:
    coordinator, release = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=release.wait, name="slow")
    thread.start()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="stopped with threads still running: slow"):
        coordinator.join([thread], stop_grace_period_secs=0.01)
    coordinator.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    release.set()
    thread.join()
