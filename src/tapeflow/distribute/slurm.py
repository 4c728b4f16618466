"""`SlurmClusterResolver`: who works together in a job step of Slurm."""

from __future__ import annotations

import os
import re

from tapeflow.distribute.resolvers import ClusterResolver
from tapeflow.train.cluster_spec import ClusterSpec

_WHERE = "SlurmClusterResolver"
_RANGE = r"\d+(?:-\d+)?"
_HOST = rf"[^,\[\]]+(?:\[{_RANGE}(?:,{_RANGE})*\])?"


class SlurmClusterResolver(ClusterResolver):
    """The tasks of the Slurm job step that this process belongs to, from Slurm's environment variables.

    Args:
        jobs: how many tasks each job has; all are workers unless given.
        port_base: the port of a node's first task; the others have those that follow.
        gpus_per_node: how many GPUs a node has; none are handed out unless given.
        gpus_per_task: how many of them a task gets; as many as there are for all unless given.
        tasks_per_node: how many tasks run on every node, or on each by name; Slurm is asked unless given.
        auto_set_gpu: whether to show this process the GPUs of its task alone, in `CUDA_VISIBLE_DEVICES`.
        rpc_layer: what `master()` begins with.

    Raises:
        RuntimeError: this is no job step of Slurm's, or there are not as many tasks or GPUs.
    """

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | dict[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self.rpc_layer = rpc_layer
        self._rank = int(_variable("PROCID"))
        nodes = _nodes(tasks_per_node)
        total, most = sum(nodes.values()), max(nodes.values())
        wanted = {"worker": int(_variable("STEP_NUM_TASKS"))} if jobs is None else dict(jobs)
        if sum(wanted.values()) != total:
            raise RuntimeError(
                f"{_WHERE} expected as many tasks as Slurm started: Requested {sum(wanted.values())} tasks but only "
                f"{total} were assigned."
            )
        gpus = gpus_per_node or 0
        each = gpus // most if gpus_per_task is None else gpus_per_task
        if each * most > gpus:
            raise RuntimeError(
                f"{_WHERE} expected {each * most} GPUs on every node: Requested more GPUs per node than available; got "
                f"gpus_per_node={gpus}."
            )
        tasks = [
            (f"{node}:{port_base + i}", i) for node, count in sorted(nodes.items()) for i in range(count)
        ]
        self._jobs: dict[str, list[str]] = {}
        start = 0
        for job, count in sorted(wanted.items()):
            self._jobs[job] = [address for address, _ in tasks[start : start + count]]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if auto_set_gpu and each:
            first = tasks[self._rank][1] * each
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(first, first + each)))

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(self._jobs)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The type and index of this process's task."""
        return self.task_type, self.task_id


def _variable(name: str) -> str:
    found = os.environ.get(f"SLURM_{name}")
    if found is None:
        raise RuntimeError(
            f"{_WHERE} expected to run under srun: SLURM_{name} not found in environment. Not running inside a SLURM "
            "step?"
        )
    return found


def _nodes(tasks_per_node: int | dict[str, int] | None) -> dict[str, int]:
    """How many tasks each node runs."""
    if isinstance(tasks_per_node, dict):
        return tasks_per_node
    names = hosts(_variable("STEP_NODELIST"))
    if tasks_per_node is not None:
        return dict.fromkeys(names, int(tasks_per_node))
    return dict(zip(names, counts(_variable("STEP_TASKS_PER_NODE")), strict=True))


def hosts(text: str) -> list[str]:
    """The hosts of a list as Slurm writes it: `n[1-2],m5` is n1, n2 and m5."""
    if not re.fullmatch(rf"{_HOST}(?:,{_HOST})*", text):
        raise ValueError(
            f"{_WHERE} expected a list of hosts such as 'n[1-2],m5': Invalid hostlist format; got {text!r}."
        )
    parts = re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", text)
    return [name + number for name, ranges in parts for number in _numbers(ranges)]


def _numbers(ranges: str) -> list[str]:
    if not ranges:
        return [""]
    found = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        found += [str(n).zfill(len(first)) for n in range(int(first), int(last or first) + 1)]
    return found


def counts(text: str) -> list[int]:
    """The numbers of a list as Slurm writes it: `3(x2),1` is 3, 3 and 1."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if match is None:
            raise ValueError(
                f"{_WHERE} expected numbers such as '3(x2),1': Invalid tasks-per-node list format; got {text!r}."
            )
        found += [int(match[1])] * int(match[2] or 1)
    return found
