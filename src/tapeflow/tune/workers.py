"""Processes that run trials, several at a time. They are spawned: JAX's threads do not survive a fork."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from tapeflow.tune.running import Ended, log_end, run_trial
from tapeflow.tune.trial import Job, Trial

_THREAD_SETTINGS = ("PJRT_NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Worker:
    """A process that is given one trial after another."""

    def __init__(self, train_fn: Callable[[Trial], Any], threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, train_fn), name="tune-worker", daemon=True)
        with _few_threads(threads):
            self.process.start()
        other.close()  # so that the end of the process is the end of the pipe
        self.job: Job | None = None
        self.is_ready = False

    def give(self, job: Job) -> None:
        """Have it run a trial."""
        self.job = job
        self.connection.send(job)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.connection.close()
        self.process.terminate()
        self.process.join()


class Pool:
    """A number of workers; those that die are replaced.

    Args:
        train_fn: the user's function, which must be one that a new process can import.
        count: how many workers.
    """

    def __init__(self, train_fn: Callable[[Trial], Any], count: int) -> None:
        _check_importable(train_fn, count)
        self._train_fn = train_fn
        self._threads = max(1, (os.cpu_count() or 1) // count)
        self._workers: list[Worker] = []
        self._count = count

    def __enter__(self) -> Pool:
        self._workers = [Worker(self._train_fn, self._threads) for _ in range(self._count)]
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.end()

    @property
    def idle(self) -> list[Worker]:
        """The workers without a trial."""
        return [w for w in self._workers if w.job is None]

    @property
    def is_busy(self) -> bool:
        """Whether a trial is being run."""
        return any(w.job is not None for w in self._workers)

    def messages(self) -> Iterator[tuple[Worker, Job, tuple[float, int] | Ended]]:
        """Wait until workers have something to say: a report (value and step), or how the trial ended."""
        by_connection = {w.connection: w for w in self._workers}
        for connection in wait(list(by_connection)):
            worker = by_connection[connection]  # type: ignore[index]  # `wait` gives what it was given
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                yield from self._replace(worker)
                continue
            if message is None:
                worker.is_ready = True
            elif worker.job is not None:
                job = worker.job
                if isinstance(message, Ended):
                    worker.job = None
                yield worker, job, message

    def _replace(self, worker: Worker) -> Iterator[tuple[Worker, Job, Ended]]:
        worker.process.join()
        code = worker.process.exitcode
        self._workers.remove(worker)
        if not worker.is_ready:
            raise RuntimeError(
                f"tune.search(workers={self._count}) expected its processes to start; got exit code {code}, see above. "
                'In a script, call tune.search below `if __name__ == "__main__":`: the processes import the script.'
            )
        self._workers.append(Worker(self._train_fn, self._threads))
        if worker.job is not None:
            ended = Ended("failed", error=f"the worker process ended with exit code {code}")
            log_end(worker.job.folder, ended)
            yield worker, worker.job, ended


def _check_importable(train_fn: Any, count: int) -> None:
    try:
        ForkingPickler.dumps(train_fn)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"tune.search(workers={count}) expected train_fn to be a function of a module, which other processes can "
            f"import; got train_fn={train_fn!r} ({error}). Define it with `def` at the top level, or use workers=1."
        ) from error


@contextmanager
def _few_threads(count: int) -> Iterator[None]:
    """Let processes started meanwhile use so many threads: together, the workers have the machine's cores.

    Where the user has chosen, nothing is changed. The environment is how: the libraries read it when they start.
    """
    chosen = [name for name in _THREAD_SETTINGS if name not in os.environ]
    os.environ.update(dict.fromkeys(chosen, str(count)))
    try:
        yield
    finally:
        for name in chosen:
            del os.environ[name]


def _work(connection: Connection, train_fn: Callable[[Trial], Any]) -> None:
    """What a worker process does until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends this process
    threading.Thread(target=_die_with_parent, daemon=True).start()

    def should_prune(value: float, step: int) -> bool:
        connection.send((value, step))
        return connection.recv()

    connection.send(None)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        connection.send(run_trial(job, train_fn, should_prune))


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)  # at once: a killed search must not go on training in the background
