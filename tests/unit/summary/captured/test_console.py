"""What is printed is seen, whole and bounded, and streams are as they were afterwards."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import threading
from collections.abc import Iterator

import pytest

from tapeflow.summary.captured import console
from tapeflow.summary.captured.console import Console


@contextlib.contextmanager
def streams() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Streams of our own, so that pytest's are left alone."""
    before = dict(console._taps)  # of other captures in this process
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err
    assert console._taps == before


def written(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def texts(found: Console, is_last: bool = True) -> list[tuple[str, str]]:
    return [(line.stream, line.text) for line in found.take(is_last)]


def test_lines_of_both_streams() -> None:
    with streams() as (out, _):
        handler = logging.StreamHandler(sys.stderr)  # made before, as loggers are
        heard = Console()
        print("one", end="")
        print(" line")
        print("\x1b[31mred\x1b[0m", file=sys.stderr)
        handler.emit(logging.makeLogRecord({"msg": "logged"}))
        print("no end", end="")
        assert texts(heard, False) == [("stdout", "one line"), ("stderr", "red"), ("stderr", "logged")]
        heard.close()
        print(" here")
        assert texts(heard) == [("stdout", "no end")]
        assert written(out) == "one line\nno end here\n"
        assert "write" not in vars(sys.stdout)


def test_a_progress_bar_is_its_last_state(monkeypatch: pytest.MonkeyPatch) -> None:
    with streams():
        heard = Console()
        for i in range(1000):
            print(f"\r{i} of 1000", end="")
        assert texts(heard, False) == []
        monkeypatch.setattr(console, "_PATIENCE_S", -1.0)
        assert texts(heard, False) == [("stdout", "999 of 1000")]
        print("\b\b\b\rdone")
        assert texts(heard, False) == [("stdout", "done")]
        heard.close()


def test_much_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with streams():
        heard = Console()
        print("x" * 100_000)
        for i in range(15_000):
            print(i)
        found = heard.take()
        assert len(found) == 1001
        assert found[500].text == "[14001 lines left out]"
        assert len(found[0].text) == console.MOST_LINE
        heard._left = 10
        print("a" * 20)
        print("b")
        assert [line.text for line in heard.take()][-1].startswith("[more than 8 MB")
        print("c")
        assert heard.take() == []
        heard.close()


def test_two_listen_and_somebody_else_wraps() -> None:
    with streams() as (out, _):
        first, second = Console(), Console()
        print("both")
        first.close()
        print("second")
        wrapped = sys.stdout.write
        sys.stdout.write = lambda text: wrapped(text.upper())  # type: ignore[method-assign]
        second.close()
        print("later")
        assert texts(first) == [("stdout", "both")]
        assert texts(second) == [("stdout", "both"), ("stdout", "second")]
        assert written(out) == "both\nsecond\nLATER\n"  # type: ignore[attr-defined]


def test_threads_may_print_meanwhile() -> None:
    with streams():
        heard = Console()
        threads = [threading.Thread(target=lambda: [print("line") for _ in range(200)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        found = []
        while any(thread.is_alive() for thread in threads):
            found += heard.take()
        found += heard.take(is_last=True)
        heard.close()
        assert "".join(line.text for line in found) == "line" * 800


def test_streams_that_are_missing_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", closed)
    heard = Console()
    closed.close()
    with pytest.raises(ValueError, match="closed file"):  # as without us
        print("x", file=sys.stderr)
    heard.close()
    assert heard.take(is_last=True) == []


def test_too_much_at_once_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_MOST_WAITING", 100)
    with streams():
        heard = Console()
        for i in range(50):
            print(i)
        found = texts(heard)
        print("again")
        heard.close()
    assert found[-1] == ("stdout", "[too much was printed at once; some is left out]")
    assert len(found) < 10
    assert texts(heard) == [("stdout", "again")]
