"""`Preemption`: a `SIGTERM` is answered, now or later, whoever listens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tapeflow.keras.callbacks.preemption import Preemption


@pytest.fixture
def received() -> Iterator[list[int]]:
    """The signals that reach the handler of the program itself."""
    found: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: found.append(number))
    yield found
    signal.signal(signal.SIGTERM, before)


class Gone:
    """A terminal that is no more."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    def flush(self) -> None:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_signal_that_nobody_answered_goes_to_the_program(received: list[int]) -> None:
    preemption = Preemption()
    preemption.begin()
    signal.raise_signal(signal.SIGTERM)
    assert preemption.is_asked
    assert received == []
    preemption.end()
    assert received == [signal.SIGTERM]
    preemption.begin()
    assert not preemption.is_asked
    preemption.end()
    assert received == [signal.SIGTERM]


def test_the_error_that_ends_a_training_is_shown_before_the_signal_ends_the_process() -> None:
    program = (
        "import signal\n"
        "from tapeflow.keras.callbacks.preemption import Preemption\n"
        "preemption = Preemption()\n"
        "preemption.begin()\n"
        "signal.raise_signal(signal.SIGTERM)\n"
        "try:\n    raise ValueError('the step failed')\nfinally:\n    preemption.end()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode == -signal.SIGTERM
    assert "ValueError: the step failed" in ended.stderr


def test_nobody_listens(received: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    terminal: Any = Gone(writing)
    monkeypatch.setattr(sys, "__stderr__", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    preemption = Preemption()
    preemption.begin()
    signal.raise_signal(signal.SIGTERM)
    os.close(writing)
    with pytest.raises(SystemExit) as ended:
        preemption.leave("saved")
    assert ended.value.code == 143
    assert received == []


BUSY = """
import hashlib, sys
from tapeflow.keras.callbacks.preemption import Preemption
preemption = Preemption()
preemption.begin()
print("busy", flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
"""


def test_signals_while_python_waits_for_a_long_computation() -> None:
    """No handler runs meanwhile, as none does while a program is compiled."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", BUSY], **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGTERM)
        assert process.stderr.readline() == "\n"
        assert process.stderr.readline().startswith(
            "SIGTERM: saving the training after this step; a second one"
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143


def test_other_signals_reach_who_listens_for_them(received: list[int]) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    usual = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    preemption = Preemption()
    preemption.begin()
    try:
        signal.raise_signal(signal.SIGUSR1)
        assert os.read(reading, 1) == bytes([signal.SIGUSR1])
        preemption.end()
        assert signal.set_wakeup_fd(before) == writing
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGUSR1, usual)
        preemption.end()
        os.close(reading)
        os.close(writing)
    assert received == []
