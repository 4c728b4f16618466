"""Profiles: started, stopped, and put where XProf and TensorBoard look for them.

The files of a profile are in `<logdir>/plugins/profile/<time>/`: `<host>.xplane.pb`, which JAX writes when the profile
ends, and the step-phase record `<host>.steps.jsonl`, which grows while it goes on.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from tapeflow.engine.errors import AlreadyExistsError, UnavailableError
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.capture import Capture, device, is_tracing
from tapeflow.profiler.options import ProfilerOptions
from tapeflow.profiler.recording import SUFFIX, Recording
from tapeflow.profiler.tracing import run_recorded


class _Session:
    """A profile that is being taken.

    Args:
        logdir: where it goes, or None if that is said when it stops.
        options: the level of detail.
    """

    def __init__(self, logdir: str | None, options: ProfilerOptions) -> None:
        self._folder = None if logdir is None else new_folder(logdir)
        self._work = Path(tempfile.mkdtemp(prefix="tapeflow-profile-"))
        self._record = (self._folder or self._work) / f"{socket.gethostname()}{SUFFIX}"
        self._capture: Capture | None = None
        self._recording: Recording | None = None
        try:
            self._recording = Recording(str(self._record), device())
            self._capture = Capture(
                str(self._work / "trace"), options.host_tracer_level, options.python_tracer_level
            )
            self._recording.start(phases.start(self._recording.add))
        except BaseException:
            self.finish(None, save=False)
            raise

    def finish(self, logdir: str | None, save: bool) -> None:
        """Stop, and keep the files unless they are not wanted or nobody has said where."""
        folder = self._folder
        try:
            files = [self._record, *self._stopped()]
            if save and (folder is not None or logdir is not None):
                folder = folder or new_folder(logdir or "")
                for file in files:
                    if file.parent != folder:
                        _move(file, folder)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
            if self._folder is not None and not save:
                self._record.unlink(missing_ok=True)
                with suppress(OSError):  # somebody has put a file there
                    self._folder.rmdir()

    def _stopped(self) -> list[Path]:
        """Stop each part, even if another one fails; what JAX has written."""
        files: list[Path] = []
        with ExitStack() as parts:
            if (capture := self._capture) is not None:
                parts.callback(lambda: files.extend(capture.stop()))
            if self._recording is not None:
                parts.callback(self._recording.close)
            phases.stop()
        return files


def new_folder(logdir: str) -> Path:
    """A folder that is named after the time; the second one of a second has a number."""
    base = Path(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    number = 0
    while True:
        folder = base.with_name(f"{base.name}_{number}") if number else base
        try:
            os.makedirs(folder)
            return folder
        except FileExistsError:
            if folder.parent.is_dir():
                number += 1
                continue
            raise


def _move(file: Path, folder: Path) -> None:
    """Move a file; whoever reads the folder sees all of it or nothing."""
    part = folder / f".{file.name}.part"
    shutil.move(file, part)
    os.replace(part, folder / file.name)


_session: _Session | None = None
_lock = threading.Lock()


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Start profiling; `stop` writes the profile to `<logdir>/plugins/profile/<time>/`.

    Steps of `fit` are found by themselves; mark those of your own loop with `Trace("train", step_num=step)`. While a
    profile is taken, each step waits for its results, so that the device's time is known.

    Args:
        logdir: the folder of the logs.
        options: the level of detail.

    Raises:
        AlreadyExistsError: a profile is being taken.

    >>> tf.profiler.experimental.start("logs")
    >>> model.fit(dataset)
    >>> tf.profiler.experimental.stop()
    >>> print(tf.summary.profile.read("logs"))
    """
    begin(os.fspath(logdir) or None, options)


def begin(logdir: str | None, options: ProfilerOptions | None = None) -> None:
    """Start to profile, perhaps before it is known where to."""
    global _session
    if not isinstance(options, ProfilerOptions | None):
        raise TypeError(
            "tf.profiler.experimental.start expected options to be a tf.profiler.experimental.ProfilerOptions; got "
            f"options={options!r} of type {type(options).__name__}."
        )
    with _lock:
        if _session is not None or is_tracing():
            raise AlreadyExistsError(
                None,
                None,
                "tf.profiler.experimental.start expected that no profile is being taken: Another profiler is running. "
                "Stop it first, with tf.profiler.experimental.stop() or jax.profiler.stop_trace().",
            )
        run_recorded()  # what was recorded before is none of ours
        _session = _Session(logdir, options or ProfilerOptions())


def stop(save: bool = True) -> None:
    """Stop to profile, and write the files.

    Args:
        save: whether to keep what was found.

    Raises:
        UnavailableError: no profile is being taken.
    """
    finish(None if not save else "", save)


def finish(logdir: str | None, save: bool = True) -> None:
    """Stop to profile; a profile that was begun without a folder goes to `logdir`, or with None nowhere."""
    global _session
    with _lock:
        session, _session = _session, None
        if session is None:
            raise UnavailableError(
                None,
                None,
                "tf.profiler.experimental.stop expected a profile that is being taken: Cannot export profiling "
                "results. No profiler is running. Start one with tf.profiler.experimental.start(logdir).",
            )
        session.finish(logdir, save)


def is_running() -> bool:
    """Whether a profile is being taken."""
    return _session is not None


@atexit.register
def _save_at_exit() -> None:
    """Keep a profile that nobody has stopped."""
    if is_running():
        stop()


class Profile:
    """A profile of what is done inside the `with` block; it is stopped and saved however the block is left.

    Args:
        logdir: the folder of the logs.
        options: the level of detail.

    >>> with tf.profiler.experimental.Profile("logs"):
    ...     model.fit(dataset)
    """

    def __init__(self, logdir: Any, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *_: object) -> None:
        stop()
