"""Training on the devices of several processes, of one machine or of many."""

from __future__ import annotations

from typing import Any

from tapeflow.distribute.resolvers import TFConfigClusterResolver, worker_number, workers_of
from tapeflow.distribute.strategy import Strategy
from tapeflow.engine import placement, startup
from tapeflow.engine.placement import Placement

_TIMEOUT_S = 30

_joined: tuple[tuple[str, ...], int] | None = None  # the workers, and which of them this process is


class MultiWorkerMirroredStrategy(Strategy):
    """Training on the devices of all workers that `TF_CONFIG` names; of this process alone without it.

    Make it at the start of the program: JAX learns of the other workers when it starts. Every worker runs the
    same program on the same data; each computes its part of every batch.

    Args:
        cluster_resolver: tells the workers; `TF_CONFIG` does unless given.
        communication_options: its `timeout_seconds` is how long a worker may be silent before the others give
            up; 30 unless given.

    Raises:
        RuntimeError: JAX has started already.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        self.cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        spec = self.cluster_resolver.cluster_spec()
        workers = workers_of(spec)
        timeout = getattr(communication_options, "timeout_seconds", None) or _TIMEOUT_S
        if len(workers) > 1:
            number = worker_number(spec, self.cluster_resolver.task_type, self.cluster_resolver.task_id)
            _join(workers, number, int(timeout))
        super().__init__(Placement(placement.all_devices()))


def _join(workers: tuple[str, ...], index: int, timeout_s: int) -> None:
    global _joined
    if _joined == (workers, index):
        return
    if _joined is not None or startup.has_started():
        raise RuntimeError(
            "MultiWorkerMirroredStrategy expected to be made before anything is computed; got one made when JAX had "
            "started already. Make it at the start of the program, before the first tensor."
        )
    placement.join_processes(workers[0], len(workers), index, timeout_s)
    _joined = workers, index
