"""`fit` in one process or in several, each on a core of its own, as contenders.

The first process is the harness's worker; it starts the others, which run the same training and stand still where the
collectives of the first keep them.
"""

import atexit
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

from benchmarks.scripts.keras_data import make_data
from benchmarks.scripts.keras_fit import Epochs, rounds
from benchmarks.scripts.keras_models import make_model

_HOST = "127.0.0.1"


def fit(task: str, processes: int, cores: int) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch.

    Args:
        task: which model and data.
        processes: how many train together.
        cores: how many each has.
    """
    if processes > 1:
        with socket.socket() as probe:
            probe.bind((_HOST, 0))
            port = probe.getsockname()[1]
        os.environ |= {"MASTER_ADDR": _HOST, "MASTER_PORT": str(port), "WORLD_SIZE": str(processes)}
        for rank in range(1, processes):
            _start_other(task, rank, cores)
    return rounds(make_data(task), _epochs(task, 0, cores))


def _start_other(task: str, rank: int, cores: int) -> None:
    other = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.scripts.distribute_fit", task, str(rank), str(cores)],
        stdin=subprocess.PIPE,
        stdout=sys.stderr,
    )

    def end() -> None:
        other.kill()
        other.wait()
        os._exit(0)  # without JAX's farewell to a process that has gone

    atexit.register(end)


def _epochs(task: str, rank: int, cores: int) -> Epochs:
    """The training of one process, on its own cores."""
    allowed = sorted(os.sched_getaffinity(0))
    own = [allowed[i % len(allowed)] for i in range(rank * cores, (rank + 1) * cores)]
    os.sched_setaffinity(0, own)
    os.environ |= {"RANK": str(rank), "PJRT_NPROC": str(cores)}
    import tapeflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()

    def make() -> object:
        with strategy.scope():
            return make_model(tf.keras, task)

    return Epochs(tf.keras, make, make_data(task))


def main() -> None:
    """Train as one of the other processes, until the first has gone."""
    task, rank, cores = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

    def watch() -> None:
        sys.stdin.read()  # the first process holds the other end
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    epochs = _epochs(task, rank, cores)
    while True:
        epochs.run()


if __name__ == "__main__":
    main()
