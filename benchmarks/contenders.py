"""How a contender is run: a worker that stays up, or a script run whole in every round."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = Path(sys.executable)
PEERS = Path(os.environ.get("TAPEFLOW_BENCH_PEERS", ROOT / ".venv-peers" / "bin" / "python"))

ANSWER_TIMEOUT_S = 300.0
LOG_TAIL = 3000


class NotMeasured(Exception):
    """A contender that gave no figure; `kind` is 'absent' (not installed) or 'failed'."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


@dataclass(frozen=True)
class Sample:
    """One round: its time, the value that shows what was computed, what the script reports."""

    seconds: float
    value: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Loop:
    """A contender whose steps are timed inside a process that stays up, so that rounds interleave.

    Args:
        name: how it is called in the table and in the bars.
        interpreter: PROJECT or PEERS.
        target: `module:factory`; see worker.py for what the factory returns.
        arguments: keyword arguments of the factory, as JSON has them.
        steps: steps a round where the benchmark's own number would take too long.
    """

    name: str
    interpreter: Path
    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    steps: int | None = None

    def start(self) -> "LoopProcess":
        """Start the worker and wait until its work is built."""
        return LoopProcess(self)


class LoopProcess:
    """A running worker of one Loop."""

    def __init__(self, loop: Loop) -> None:
        _require_interpreter(loop.interpreter)
        self._log: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed by close)
        self._process = subprocess.Popen(
            [
                str(loop.interpreter),
                "-m",
                "benchmarks.worker",
                loop.target,
                json.dumps(dict(loop.arguments)),
            ],
            cwd=ROOT,
            env=_environment({}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        try:
            self._answer()
        except NotMeasured:
            self.close()
            raise

    def round(self, steps: int) -> Sample:
        """Run one timed round of `steps` steps."""
        stdin = self._process.stdin
        if stdin is None or self._process.poll() is not None:
            raise NotMeasured("failed", f"the process ended with status {self._process.returncode}")
        stdin.write(json.dumps({"steps": steps}) + "\n")
        stdin.flush()
        answer = self._answer()
        return Sample(answer["seconds"], answer["value"], {"peak_mb": answer["peak_mb"]})

    def close(self) -> None:
        """End the worker: it stops when its stdin closes."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _answer(self) -> dict[str, Any]:
        stdout = self._process.stdout
        if stdout is None:
            raise NotMeasured("failed", "the process has no stdout")
        timer = threading.Timer(ANSWER_TIMEOUT_S, self._process.kill)
        timer.start()
        line = stdout.readline()
        timer.cancel()
        if not line:
            self._log.seek(0)
            raise NotMeasured("failed", self._log.read()[-LOG_TAIL:] or "ended without a word")
        answer = json.loads(line)
        if "absent" in answer:
            raise NotMeasured("absent", answer["absent"])
        return answer


@dataclass(frozen=True)
class Script:
    """A contender run from process start to finish in every round.

    Args:
        name: how it is called in the table and in the bars.
        interpreter: PROJECT or PEERS.
        argv: what follows the interpreter.
        environment: variables set for it.
        emptied: a folder deleted before every round, for the runs that must find no cache.
        times_itself: the script's last line is JSON with "seconds" and its facts; otherwise the
            time is the process's, start to finish.
    """

    name: str
    interpreter: Path
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    emptied: Path | None = None
    times_itself: bool = False
    steps: int | None = 1

    def start(self) -> "Script":
        """Nothing stays up between the rounds of a script."""
        _require_interpreter(self.interpreter)
        return self

    def round(self, steps: int) -> Sample:
        """Run the script once; `steps` is always 1."""
        del steps
        if self.emptied is not None:
            shutil.rmtree(self.emptied, ignore_errors=True)
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [str(self.interpreter), *self.argv],
                cwd=ROOT,
                env=_environment(self.environment),
                capture_output=True,
                text=True,
                timeout=ANSWER_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise NotMeasured("failed", f"did not end within {ANSWER_TIMEOUT_S:g} s") from error
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            missing = re.findall(r"ModuleNotFoundError: (.*)", done.stderr)
            raise (
                NotMeasured("absent", missing[-1])
                if missing
                else NotMeasured("failed", done.stderr[-LOG_TAIL:])
            )
        if not self.times_itself:
            return Sample(seconds)
        facts = json.loads(done.stdout.splitlines()[-1])
        return Sample(facts.pop("seconds"), facts=facts)

    def close(self) -> None:
        """Nothing to end."""


def _require_interpreter(interpreter: Path) -> None:
    if not interpreter.exists():
        raise NotMeasured(
            "absent", f"no interpreter {interpreter}; `make bench` makes the peers' environment"
        )


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment, on the CPU and without log noise, the same for all contenders."""
    inherited = {k: v for k, v in os.environ.items() if k != "JAX_COMPILATION_CACHE_DIR"}
    return {
        **inherited,
        "JAX_PLATFORMS": "cpu",
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **changes,
    }
