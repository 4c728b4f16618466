"""Work on a thread: in order, the newest first in line, and nothing fails silently."""

from __future__ import annotations

import threading

import pytest

from tapeflow.train.background import BackgroundWriter, CommitWriter, NotCommitted


def full() -> None:
    raise OSError("No space left on device")


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
    writer.start(full)
    with pytest.raises(OSError, match="No space"):
        writer.wait()
    writer.wait()


def test_work_after_a_failure_is_done_though_the_failure_is_raised() -> None:
    writer, done = BackgroundWriter("test"), []
    writer.start(full)
    while writer._thread is not None:
        writer._thread.join()
    with pytest.raises(OSError, match="No space"):
        writer.start(lambda: done.append("next"))
    writer.wait()
    assert done == ["next"]


def test_a_commit_waits_for_what_others_were_given_before() -> None:
    files, commit, done = BackgroundWriter("file"), CommitWriter("commit"), []
    go = threading.Event()

    def slow() -> None:
        go.wait()
        done.append("file")

    files.start(slow)
    commit.start(lambda: done.append("commit"))
    thread = commit._thread
    assert thread is not None
    thread.join(0.05)
    assert done == []
    go.set()
    commit.wait()
    assert done == ["file", "commit"]
    commit.run(lambda: done.append("here"))
    assert done[-1] == "here"


def test_a_commit_waits_for_the_work_that_took_the_place_of_what_it_waits_for() -> None:
    files, commit, done = BackgroundWriter("file"), CommitWriter("commit"), []
    go, begun = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go.wait()

    files.start(slow)
    begun.wait()
    files.start(lambda: done.append("second"))
    commit.start(lambda: done.append("commit"))
    files.start(lambda: done.append("third"))
    go.set()
    commit.wait()
    assert done == ["third", "commit"]
    files.wait()


def test_a_commit_is_left_out_if_what_it_follows_failed() -> None:
    files, commit, done = BackgroundWriter("file"), CommitWriter("commit"), []
    go = threading.Event()

    def late() -> None:
        go.wait()
        full()

    files.start(late)
    commit.start(lambda: done.append("commit"))
    go.set()
    with pytest.raises(OSError, match="No space"):
        files.wait()
    with pytest.raises(NotCommitted, match="what the file writer was given before could not be written"):
        commit.wait()
    commit.run(lambda: done.append("the failure has been told"))
    files.start(full)
    while files._thread is not None:
        files._thread.join()
    with pytest.raises(NotCommitted):
        commit.run(lambda: done.append("commit"))
    with pytest.raises(OSError, match="No space"):
        files.wait()
    assert done == ["the failure has been told"]


def test_commits_do_not_wait_for_one_another() -> None:
    one, other, go = CommitWriter("one"), CommitWriter("other"), threading.Event()
    done: list[str] = []
    one.start(lambda: go.wait() and None)
    other.run(lambda: done.append("other"))
    go.set()
    one.wait()
    assert done == ["other"]
