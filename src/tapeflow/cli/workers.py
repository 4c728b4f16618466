"""`Workers`: local processes of one script, and how they end together."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import BinaryIO

_HOST = "127.0.0.1"
_LONGEST_LINE = 1 << 16
_INTERVAL_S = 0.05


class Workers:
    """Runs several processes of a script until all have ended.

    Args:
        command: the script and its arguments, as `tapeflow run` takes them.
        count: how many processes.
        grace_s: how long they may go on after one has failed or a signal has come.
    """

    def __init__(self, command: Sequence[str], count: int, grace_s: float) -> None:
        self._command, self._count, self._grace_s = list(command), count, grace_s
        self._signals: list[int] = []
        self._lock = threading.Lock()

    @property
    def is_stopping(self) -> bool:
        """Whether this process was told to end."""
        return bool(self._signals)

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Take note of Ctrl+C and `SIGTERM`, instead of ending at once."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._note) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signals.append(number)

    def run(self) -> int:
        """Start the processes and wait for their end; gives the exit code of the first that failed, or 0."""
        environments = _environments(self._count, os.environ)
        processes: list[subprocess.Popen[bytes]] = []
        readers: list[threading.Thread] = []
        try:
            for number, environment in enumerate(environments):
                process = self._start(environment)
                processes.append(process)
                readers += self._readers(number, process)
            return self._wait(processes)
        finally:
            for process in processes:
                _signal(process, signal.SIGKILL)  # also what a process has left running
                process.wait()
            for reader in readers:
                reader.join(_INTERVAL_S * 20)

    def _start(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "tapeflow.cli.worker", str(os.getpid()), *self._command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl+C reaches the processes through us alone
        )

    def _readers(self, number: int, process: subprocess.Popen[bytes]) -> list[threading.Thread]:
        width = len(str(self._count - 1))
        prefix = f"[{number:>{width}}] ".encode()
        pairs = [(process.stdout, sys.stdout), (process.stderr, sys.stderr)]
        found = []
        for pipe, target in pairs:
            reader = threading.Thread(target=self._pass_on, args=(pipe, target, prefix), daemon=True)
            reader.start()
            found.append(reader)
        return found

    def _pass_on(self, pipe: BinaryIO, target: object, prefix: bytes) -> None:
        """Copy lines, each with its prefix, until the pipe is closed."""
        buffer = getattr(target, "buffer", None)
        while line := pipe.readline(_LONGEST_LINE):
            whole = prefix + (line if line.endswith(b"\n") else line + b"\n")
            with self._lock, contextlib.suppress(OSError, ValueError):  # a closed terminal ends nothing
                if buffer is not None:
                    buffer.write(whole)
                    buffer.flush()
                else:
                    print(whole.decode("utf-8", "replace"), end="", file=target)  # pyright: ignore[reportArgumentType]

    def _wait(self, processes: Sequence[subprocess.Popen[bytes]]) -> int:
        code, deadline, passed_on = 0, float("inf"), 0
        running = dict(enumerate(processes))
        while running:
            for number, process in list(running.items()):
                status = process.poll()
                if status is None:
                    continue
                del running[number]
                if status and not code and not self._signals:
                    code = _exit_code(status)
                    self._say(f"process {number} {_ending(status)}", running)
                    deadline = self._end(running, signal.SIGTERM)
            while passed_on < len(self._signals):
                given = self._signals[passed_on] if not passed_on else signal.SIGKILL
                passed_on += 1
                deadline = min(deadline, self._end(running, given))
            if running and time.monotonic() > deadline:
                self._say(f"killing {_names(running)}, not ended after {self._grace_s:g} s", {})
                deadline = self._end(running, signal.SIGKILL)
            time.sleep(_INTERVAL_S)
        return 128 + self._signals[0] if self._signals else code

    def _end(self, running: Mapping[int, subprocess.Popen[bytes]], number: int) -> float:
        """Send a signal to all; gives the time after which to kill them."""
        for process in running.values():
            _signal(process, number)
        return time.monotonic() + self._grace_s

    def _say(self, text: str, running: Mapping[int, object]) -> None:
        rest = f"; ending {_names(running)}" if running else ""
        with self._lock:
            sys.stderr.write(f"tapeflow launch: {text}{rest}\n")
            sys.stderr.flush()


def _environments(count: int, base: Mapping[str, str]) -> list[dict[str, str]]:
    """The environment of each process."""
    ports = _free_ports(count)
    workers = [f"{_HOST}:{port}" for port in ports]
    cores = max(1, (os.cpu_count() or count) // count)
    found = []
    for rank in range(count):
        own = {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(count),
            "LOCAL_WORLD_SIZE": str(count),
            "MASTER_ADDR": _HOST,
            "MASTER_PORT": str(ports[0]),
            "TF_CONFIG": json.dumps(
                {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}}
            ),
        }
        found.append({"PJRT_NPROC": str(cores), **base, "PYTHONUNBUFFERED": "1", **own})
    return found


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((_HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _exit_code(status: int) -> int:
    return 128 - status if status < 0 else status


def _ending(status: int) -> str:
    if status >= 0:
        return f"failed with exit code {status}"
    return f"was ended by {signal.Signals(-status).name}"


def _names(running: Mapping[int, object]) -> str:
    numbers = ", ".join(map(str, running))
    return f"process {numbers}" if len(running) == 1 else f"processes {numbers}"
