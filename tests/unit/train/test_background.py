"""Work on a thread: in order, the newest first in line, and nothing fails silently."""

from __future__ import annotations

import threading

import pytest

from tapeflow.train.background import BackgroundWriter


def test_the_newest_work_takes_the_place_of_what_waits() -> None:
    writer, done, go = BackgroundWriter("test"), [], threading.Event()
    begun = threading.Event()

    def first() -> None:
        begun.set()
        go.wait()
        done.append("first")

    writer.start(first)
    begun.wait()
    writer.start(lambda: done.append("second"))
    writer.start(lambda: done.append("third"))
    go.set()
    writer.wait()
    writer.run(lambda: done.append("here"))
    assert done == ["first", "third", "here"]


def test_failures_are_raised_where_somebody_waits() -> None:
    writer = BackgroundWriter("test")

    def full() -> None:
        raise OSError("No space left on device")

    writer.start(full)
    with pytest.raises(OSError, match="No space"):
        writer.wait()
    writer.wait()


def test_work_after_a_failure_is_done_though_the_failure_is_raised() -> None:
    writer, done = BackgroundWriter("test"), []

    def full() -> None:
        raise OSError("No space left on device")

    writer.start(full)
    while writer._thread is not None:
        writer._thread.join()
    with pytest.raises(OSError, match="No space"):
        writer.start(lambda: done.append("next"))
    writer.wait()
    assert done == ["next"]
