"""Tries programs from files in another process, which may crash or hang in place of the user's.

Mutated bytes make MLIR's reader or XLA's compiler abort, overflow its stack or run for ever: no `except` helps
against that. So a new Python process with a limit on memory reads the programs, looks at them (`program_scan`), and
compiles them and their gradients; only if it comes through does this one touch the same bytes. What came through, or
was exported here, is remembered in the cache of compiled programs, and is not tried again. Whoever can write there can
put compiled code there anyway.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import jaxlib.version

from tapeflow.engine.exporting.program_scan import (
    RefusedProgram,
    check_at,
    lowered,
    opened,
    refused,
    with_gradients,
)
from tapeflow.engine.programs.cache import cache_folder

try:
    import resource
except ImportError:  # Windows has no such limits; there the timeout alone is left
    resource = None

TIMEOUT_S = 300.0
_MAX_MEMORY_BYTES = 8 << 30
_READING_S, _READING_S_PER_BYTE = 20.0, 1e-5  # of the processor's time; damaged programs are read for ever
_ROWS_TRIED = 2
_REMEMBERED = "tried-programs"
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tapeflow.engine.exporting.program_trial import main; main(sys.stdin.buffer)"
)


class Program(NamedTuple):
    """A program and the file it is from."""

    where: str
    data: bytes


def remember(data: bytes) -> None:
    """Note that a program came through, or is our own."""
    place = _place(data)
    if place is not None:
        with contextlib.suppress(OSError):  # then it is tried again
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()


def try_out(programs: Sequence[Program]) -> None:
    """Return if all programs can be read, looked at and compiled without harm.

    Raises:
        ValueError: one of them cannot.
        RuntimeError: no other process can be started.
    """
    unknown = [program for program in programs if not _is_remembered(program.data)]
    if not unknown:
        return
    header = json.dumps([len(program.data) for program in unknown]).encode() + b"\n"
    command = [_interpreter(), "-P", "-c", _START, json.dumps([p for p in sys.path if os.path.isabs(p)])]
    ending = ""
    try:
        done = subprocess.run(
            command,
            input=header + b"".join(program.data for program in unknown),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )
        output, ending = done.stdout, f"ends the process that tries it ({_exit_name(done.returncode)})"
    except subprocess.TimeoutExpired as error:
        output, ending = error.stdout or b"", f"cannot be compiled within {TIMEOUT_S:g} seconds"
    _judge(unknown, output, ending)
    for program in unknown:
        remember(program.data)


def main(stream: IO[bytes]) -> None:
    """What the other process does: tell about each program that it begins, then how it went."""
    _limit_memory()
    sizes = json.loads(stream.readline())
    programs = [stream.read(size) for size in sizes]
    for i, data in enumerate(programs):
        _tell(began=i)
        try:
            _try_one(data)
        except RefusedProgram as refusal:
            _tell(refused=str(refusal))
            return
    _tell(passed=[hashlib.sha256(data).hexdigest() for data in programs])


def _try_one(data: bytes) -> None:
    with _limited_seconds(_READING_S + _READING_S_PER_BYTE * len(data)):
        exported = opened(data)
    try:
        check_at(exported, _ROWS_TRIED)
        for program in with_gradients(exported):
            if "cpu" in program.platforms:
                lowered(program, _ROWS_TRIED).compile()
    except RefusedProgram:
        raise
    except Exception as error:  # the compiler's, JAX's or MLIR's, of whatever type
        raise RefusedProgram(f"cannot be compiled ({type(error).__name__}: {str(error)[:200]})") from error


def _tell(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _judge(programs: Sequence[Program], output: bytes, ending: str) -> None:
    """Raise unless the other process said of these very programs that they came through."""
    current, verdict = None, ending
    for line in output.splitlines():
        with contextlib.suppress(ValueError):  # half a line, or what a library printed
            message = json.loads(line)
            if message.get("passed") == [hashlib.sha256(program.data).hexdigest() for program in programs]:
                return
            current = message.get("began", current)
            verdict = message.get("refused", verdict)
    if current is None:
        raise RuntimeError(
            f"Loading a program from a file expected to try it in another process; got one that {ending} before it "
            f"began. Check that {sys.executable!r} can `import tapeflow`, or, if you trust the file, load it with "
            "options=tf.saved_model.LoadOptions(safe_mode=False)."
        )
    raise refused(programs[current].where, verdict)


def _interpreter() -> str:
    """Python itself, which a program that embeds it, or is frozen, is not."""
    name = sys.executable or ""
    is_python = "python" in Path(name).name.lower() or "pypy" in Path(name).name.lower()
    if not is_python or getattr(sys, "frozen", False):
        raise RuntimeError(
            "Loading a program from a file expected a Python interpreter to try it in another process; got "
            f"sys.executable={sys.executable!r}. If you trust the file, load it with "
            "options=tf.saved_model.LoadOptions(safe_mode=False)."
        )
    return name


def _limit_memory() -> None:
    """Let the system refuse what a memory bomb asks for, where it knows limits."""
    if resource is not None:
        memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limit_bytes = min(_MAX_MEMORY_BYTES, memory_bytes // 2)
        _set_limit(resource.RLIMIT_DATA, limit_bytes)
        _set_limit(resource.RLIMIT_CORE, 0)


@contextlib.contextmanager
def _limited_seconds(seconds: float) -> Iterator[None]:
    """Let the system end this process if the block takes more of the processor's time."""
    if resource is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_CPU)[0]
    _set_limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + seconds))
    try:
        yield
    finally:
        _set_limit(resource.RLIMIT_CPU, before)


def _set_limit(kind: int, limit: int) -> None:
    """Set the limit that can be raised again, no higher than the one that cannot."""
    if resource is not None:
        hard = resource.getrlimit(kind)[1]
        is_above = hard != resource.RLIM_INFINITY and (limit == resource.RLIM_INFINITY or limit > hard)
        resource.setrlimit(kind, (hard if is_above else limit, hard))


def _exit_name(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def _is_remembered(data: bytes) -> bool:
    place = _place(data)
    return place is not None and place.is_file()


def _place(data: bytes) -> Path | None:
    """The file that says that a program came through, with this compiler."""
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return folder / _REMEMBERED / f"{jaxlib.version.__version__}-{digest}"
