"""Projections that take a while: a process each, one at a time, with progress, cancelling, and results kept on disk."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.schema import ProjectorJob, ProjectorJobState, ProjectorMethod
from tapeflow.board.schema import Note

MOST_JOBS = 20
JOB, VECTORS, LAYOUT = "job.json", "vectors.npy", "layout.tfa"  # files between the board and a worker
_MOST_KEPT_BYTES = 1 << 30
_SUFFIX = ".tfa"
_SOURCE = str(Path(__file__).parents[4])
_log = logging.getLogger("tapeflow.board")


def key_of(digest: str, method: str, parameters: dict[str, Any]) -> str:
    """Names a result by what it is made of: content, method and parameters."""
    text = orjson.dumps([digest, method, parameters, 1], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2s(text, digest_size=12).hexdigest()


class Kept:
    """Results on disk, in a folder beside the board's index, or in a temporary one if there is no index."""

    def __init__(self, cache: str | None) -> None:
        self._is_temporary = cache is None
        self.folder = os.path.join(cache, "projector") if cache else ""  # a temporary one is made when needed

    def load(self, key: str) -> bytes | None:
        """A result; None if it is not there."""
        if not self.folder:
            return None
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                data = file.read()
            os.utime(path)
        except OSError:
            return None
        return data

    def save(self, key: str, data: bytes) -> None:
        """Keep a result; the oldest ones go when there are too many."""
        try:
            self.folder = self.folder or tempfile.mkdtemp(prefix="tapeflow-projector-")
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
                file.write(data)
            os.replace(file.name, self._path(key))
            self._prune()
        except OSError as error:
            _log.warning("a projection cannot be kept in %s: %s", self.folder, error)

    def close(self) -> None:
        """Remove what is temporary."""
        if self._is_temporary and self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, key + _SUFFIX)

    def _prune(self) -> None:
        files = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in os.scandir(self.folder)]
        left = _MOST_KEPT_BYTES
        for _, size, path in sorted(files, reverse=True):
            left -= size
            if left < 0:
                os.unlink(path)


class Job:
    """One projection, waiting, under way or done."""

    def __init__(self, key: str, method: ProjectorMethod, parameters: dict[str, Any], points: int) -> None:
        self.id = key
        self.method: ProjectorMethod = method
        self.parameters = parameters
        self.points = points
        self.state: ProjectorJobState = "waiting"
        self.iteration = 0
        self.total = int(parameters["iterations"])
        self.layout = 0
        self.message = ""
        self.note: Note | None = None  # what is being done before there are iterations
        self.folder = ""
        self.process: subprocess.Popen[bytes] | None = None

    def answer(self) -> ProjectorJob:
        """As the API gives it."""
        return {
            "id": self.id,
            "method": self.method,
            "state": self.state,
            "iteration": self.iteration,
            "total": self.total,
            "layout": self.layout,
            "message": self.note["text"] if self.note else self.message,
            "note": self.note,
        }


class Jobs:
    """The projections that were asked for since the board began."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self._lock = threading.Lock()
        self._turn = threading.Semaphore(1)
        self._jobs: dict[str, Job] = {}
        self._is_closed = False

    def begin(
        self, key: str, method: ProjectorMethod, parameters: dict[str, Any], vectors: Callable[[], np.ndarray]
    ) -> Job | None:
        """Start a projection, or find the one that is under way or kept; None if there are too many."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.state in ("waiting", "running", "done"):
                return job
            if sum(j.state in ("waiting", "running") for j in self._jobs.values()) >= MOST_JOBS:
                return None
            points = vectors()
            job = self._jobs[key] = Job(key, method, parameters, len(points))
            if self.kept.load(key) is not None:
                job.state, job.iteration, job.layout = "done", job.total, 1
            else:
                threading.Thread(target=self._run, args=(job, points), name="projector", daemon=True).start()
            return job

    def get(self, key: str) -> Job | None:
        """A projection that was asked for."""
        return self._jobs.get(key)

    def layout(self, job: Job) -> bytes | None:
        """The last layout of a projection, packed; None if there is none yet."""
        if job.state == "done":
            return self.kept.load(job.id)
        with contextlib.suppress(OSError), open(os.path.join(job.folder, LAYOUT), "rb") as file:
            return file.read()
        return None

    def cancel(self, job: Job) -> None:
        """End a projection."""
        with self._lock:
            if job.state in ("waiting", "running"):
                job.state = "cancelled"
            if job.process is not None and job.process.poll() is None:
                job.process.kill()

    def close(self) -> None:
        """End all of them."""
        self._is_closed = True
        for job in list(self._jobs.values()):
            self.cancel(job)
        self.kept.close()

    def _run(self, job: Job, vectors: np.ndarray) -> None:
        with self._turn:
            job.folder = tempfile.mkdtemp(prefix="tapeflow-projector-")
            try:
                self._work(job, vectors)
            except OSError as error:
                job.state, job.message = "failed", f"the projection could not be started: {error}"
            finally:
                if job.state == "running":  # a fault of ours: nobody shall wait for it
                    self.cancel(job)
                    job.state, job.message = "failed", "the board failed to follow it; its log says more"
                shutil.rmtree(job.folder, ignore_errors=True)

    def _work(self, job: Job, vectors: np.ndarray) -> None:
        np.save(os.path.join(job.folder, VECTORS), vectors, allow_pickle=False)
        with open(os.path.join(job.folder, JOB), "wb") as file:
            file.write(orjson.dumps({"method": job.method, "parameters": job.parameters}))
        errors = os.path.join(job.folder, "errors")
        with self._lock, open(errors, "wb") as log:
            if job.state == "cancelled" or self._is_closed:
                return
            job.process = subprocess.Popen(
                [sys.executable, "-m", "tapeflow.board.api.projector.worker", job.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([_SOURCE, os.environ.get("PYTHONPATH", "")]),
                },
            )
            job.state = "running"
        self._follow(job, job.process)
        with self._lock:
            if job.state == "cancelled":
                return
            data = _content(os.path.join(job.folder, LAYOUT))
            if job.process.returncode == 0 and data:
                self.kept.save(job.id, data)
                job.state, job.message, job.iteration = "done", "", job.total
            else:
                words = _content(errors).decode("utf-8", "replace").strip().splitlines()
                job.state, job.message = "failed", words[-1][:1000] if words else "the process was ended"

    def _follow(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        """Take what the process says until it ends."""
        if process.stdout is None or process.stdin is None:
            return
        with process.stdin, process.stdout:
            for line in process.stdout:
                facts = orjson.loads(line)
                job.iteration, job.layout = facts["iteration"], facts["layout"]
                job.note = NOTES(facts["doing"]) if facts["doing"] else None
                job.total = facts["total"] or job.total
            process.wait()  # before its stdin is closed, which would end it
            job.note = None


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
