"""`tf.summary.capture`: what a run is, how it is doing and what it prints, written by a thread of its own.

The training thread does nothing for it but append what is printed to a queue. A sample of the machine takes about a
millisecond every five seconds or more. Nothing here raises: what cannot be found out is left out.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Iterable
from functools import lru_cache
from types import TracebackType
from typing import Self

from tapeflow.summary.captured import facts, messages, source_code
from tapeflow.summary.captured.console import Console
from tapeflow.summary.captured.messages import Facts, Git, State
from tapeflow.summary.captured.system import System, pause_s
from tapeflow.summary.context import current
from tapeflow.summary.event_files import encoding
from tapeflow.summary.files import FileWriter, create_file_writer
from tapeflow.summary.processes import before_executors_end
from tapeflow.summary.writer import SummaryWriter

KINDS = ("facts", "code", "system", "console")
SWITCH = "TAPEFLOW_CAPTURE"
BEAT_S = 10.0
_TICK_S = 1.0
_PATIENCE_S = 5.0  # at the end, for what is still being found out
_MOST_TRACEBACK = 20_000
_RUN = encoding.metadata(messages.PLUGIN)
_SYSTEM = encoding.metadata(messages.SYSTEM_PLUGIN)
_log = logging.getLogger("tapeflow.summary")
_open: set[Capture] = set()


def capture(
    target: str | os.PathLike[str] | SummaryWriter | None = None,
    kinds: bool | Iterable[str] = True,
    seed: int | None = None,
) -> Capture:
    """Record environment, code, system metrics and console output of this run, until `finish` or the end.

    `tf.summary.run` and the TensorBoard callback do so by themselves; this is for everything else, PyTorch's
    `SummaryWriter` for one: `tf.summary.capture(writer.log_dir)`.

    Args:
        target: a writer, or a folder, in which a new event file is begun; the default writer unless given.
        kinds: some of "facts" (command line, Python, packages, host, devices, seed), "code" (the git commit and what
            differs from it), "system" (CPU, memory, disk, network, GPUs) and "console" (what is printed); True for
            all, False for none. `TAPEFLOW_CAPTURE=off`, or a list as in `TAPEFLOW_CAPTURE=facts,system`, narrows it.
        seed: the seed of the run; `tf.random.set_seed` is known without.

    Returns:
        The capture, which is a context manager, too. Set its `step` if no writer of TapeFlow's knows it.

    >>> with tf.summary.capture("logs/my run") as capture:
    ...     history = model.fit(x, y, verbose=0)
    """
    writer: SummaryWriter | None
    if target is None:
        writer = current.writer
        if writer is None:
            raise ValueError(
                "tf.summary.capture expected a folder or a writer; got none and no default writer. Pass a folder, "
                "or call it inside writer.as_default()."
            )
    elif isinstance(target, SummaryWriter):
        writer = target
    else:
        writer = create_file_writer(target, filename_suffix=".captured.v2")
    found = Capture(
        writer, checked_kinds(kinds), seed, owns_writer=writer is not target and target is not None
    )
    found.start()
    return found


def checked_kinds(kinds: bool | Iterable[str]) -> frozenset[str]:
    """The kinds to capture, as the caller and the environment say.

    Raises:
        ValueError: there is no such kind.
    """
    wanted = _kinds(kinds, "tf.summary.capture", "kinds")
    switch = os.environ.get(SWITCH, "").strip().lower()
    if switch in ("", "on"):
        return wanted
    allowed = [] if switch == "off" else [word.strip() for word in switch.split(",") if word.strip()]
    return wanted & _kinds(allowed, f"The environment variable {SWITCH}", SWITCH)


def _kinds(kinds: bool | Iterable[str], where: str, name: str) -> frozenset[str]:
    if isinstance(kinds, bool):
        return frozenset(KINDS if kinds else ())
    found = [kinds] if isinstance(kinds, str) else list(kinds)
    if unknown := [kind for kind in found if kind not in KINDS]:
        raise ValueError(
            f"{where} expected some of {', '.join(KINDS)}; got {name}={unknown[0]!r}. "
            "Pass True or on for all of them, False or off for none."
        )
    return frozenset(found)


class Capture:
    """The capture of one run in this process.

    Attributes:
        id: names it in the event file.
        step: the training step that console lines are written with; None for the last one that was logged.
    """

    def __init__(
        self,
        writer: SummaryWriter,
        kinds: frozenset[str],
        seed: int | None = None,
        owns_writer: bool = False,
        script: str = "",
    ) -> None:
        self.id = uuid.uuid4().hex
        self.step: int | None = None
        self._writer = writer if isinstance(writer, FileWriter) and kinds else None
        self._owned = writer if owns_writer else None
        self._kinds = kinds
        self._seed = seed
        self._script = os.path.abspath(script) if script else ""
        self._process = os.getpid()
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._console: Console | None = None
        self._system: System | None = None
        self._known: Facts = {}
        self._next_sample = self._next_beat = 0.0

    def start(self) -> None:
        """Begin, unless there is nothing to write to."""
        if self._writer is None or self._thread is not None:
            return
        _open.add(self)
        if self._writer.is_remote:
            before_executors_end(_at_exit)  # before the writer is closed
        if "console" in self._kinds:
            self._console = Console()
        self._thread = threading.Thread(target=self._run, daemon=True, name="tapeflow.capture")
        self._thread.start()

    def finish(self, error: BaseException | None = None) -> None:
        """Write how the run ended and stop capturing the console; later calls do nothing."""
        if self not in _open or self._process != os.getpid():
            return
        _open.discard(self)
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE_S)
        if self._console is not None:
            self._console.close()
        with self._lock:
            self._write_lines(is_last=True)
            self._write_sample()
            self._write_later_facts()
            self._write_state(_end(error))
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(error)

    # The thread

    def _run(self) -> None:
        self._write_state({"state": "running", "interval_s": BEAT_S})
        self._next_beat = BEAT_S
        self._begin_system()
        self._write_first_facts()
        while not self._stop.wait(_TICK_S):
            with self._lock:
                if not self._stop.is_set():
                    self._tick()

    def _tick(self) -> None:
        elapsed_s = time.monotonic() - self._began
        self._write_lines()
        if elapsed_s >= self._next_sample:
            self._next_sample = elapsed_s + pause_s(elapsed_s)
            self._write_sample()
        if elapsed_s >= self._next_beat:
            self._next_beat = elapsed_s + BEAT_S
            self._write_later_facts()
            self._write_state({"state": "running", "interval_s": BEAT_S})

    def _begin_system(self) -> None:
        if self._writer is None or "system" not in self._kinds:
            return
        try:
            self._system = System(self._writer.logdir)
        except (OSError, RuntimeError, ImportError) as error:
            _log.warning("system metrics are not captured: %s", error)

    # What is written

    def _write_first_facts(self) -> None:
        if "facts" in self._kinds:
            self._write_facts(facts.first_facts(self.id, self._script, self._seed))
            self._write_facts({"packages": packages()})
        if "code" in self._kinds:
            minute = int(time.monotonic() / _FRESH_S)
            git = next((git for folder in self._code_folders() if (git := _git_of(folder, minute))), None)
            if git is not None:
                self._write_facts({"git": git})

    def _code_folders(self) -> list[str]:
        """Where the code may lie: beside the script, or where it was started."""
        folders = dict.fromkeys([os.path.dirname(self._script or facts.script()), facts.folder()])
        return [folder for folder in folders if folder and os.path.isdir(folder)]

    def _write_later_facts(self) -> None:
        if "facts" in self._kinds:
            found = facts.later_facts(self._seed)
            if {**self._known, **found} != self._known:
                self._write_facts(found)

    def _write_facts(self, found: Facts) -> None:
        self._known = {**self._known, **found}
        self._put(messages.FACTS, messages.dumped({**found, "id": self.id}), 0, _RUN)

    def _write_state(self, state: State) -> None:
        self._put(messages.STATE, messages.dumped({**state, "id": self.id}), 0, _RUN)

    def _write_lines(self, is_last: bool = False) -> None:
        lines = self._console.take(is_last) if self._console is not None else []
        if lines and self._writer is not None:
            step = self._writer.last_step if self.step is None else int(self.step)
            self._put(messages.CONSOLE, messages.console_message(lines), step, _RUN)

    def _write_sample(self) -> None:
        if self._system is None:
            return
        try:
            sample = self._system.sample()
        except (OSError, RuntimeError) as error:  # psutil's errors are no OSError
            self._system = None
            _log.warning("system metrics are captured no more: %s", error)
            return
        seconds = int(time.monotonic() - self._began)
        for tag, value in sample.items():
            self._put(tag, float(value), seconds, _SYSTEM)

    def _put(self, tag: str, value: str | float, step: int, metadata: bytes) -> None:
        if self._writer is not None:
            self._writer.add_captured(tag, value, step, metadata)


@lru_cache(maxsize=1)
def packages() -> dict[str, str]:
    """The installed packages; looked up once."""
    return facts.packages()


_FRESH_S = 60


@lru_cache(maxsize=4)
def _git_of(folder: str, minute: int) -> Git | None:
    """The state of the code; asked again after a minute."""
    del minute
    return source_code.git_of(folder)


def _end(error: BaseException | None) -> State:
    """How a run ended, with this exception or none."""
    if error is None or isinstance(error, GeneratorExit):
        return {"state": "finished"}
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return {"state": "finished"}
    line = "".join(traceback.format_exception_only(error)).strip()[-_MOST_TRACEBACK:]
    if isinstance(error, KeyboardInterrupt):
        return {"state": "finished", "error": line or "KeyboardInterrupt"}
    text = "".join(traceback.format_exception(error))[-_MOST_TRACEBACK:]
    return {"state": "crashed", "error": line, "traceback": text}


def _at_exit() -> None:
    """End what has not been ended: with the exception that ends the program, if one does."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    for one in list(_open):
        one.finish(error)


def _after_fork() -> None:
    """A child process captures nothing: what it does belongs to its parent's run."""
    _open.clear()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
