"""`tf.train.ClusterSpec`: the addresses of the processes that work together, by job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ClusterSpec:
    """The tasks of a cluster, by job and index, with their addresses.

    Args:
        cluster: for each job a list of addresses, or a dict of them by number; or another ClusterSpec.

    >>> cluster = tf.train.ClusterSpec({"worker": ["host1:2222", "host2:2222"]})
    >>> cluster.task_address("worker", 1)
    'host2:2222'
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "tf.train.ClusterSpec expected a dict: `cluster` must be a dictionary mapping one or more job names to "
                f"lists of network addresses; got {cluster!r}."
            )
        self._jobs = {str(job): _tasks(job, tasks) for job, tasks in cluster.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """The addresses of each job: a list, or a dict by number where numbers are left out."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def num_tasks(self, job_name: str) -> int:
        """The number of tasks of a job."""
        return len(self._of(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks."""
        return sorted(self._of(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task."""
        tasks = self._of(job_name)
        if task_index not in tasks:
            raise ValueError(
                f"ClusterSpec.task_address expected one of {sorted(tasks)}: No task with index {task_index} in job "
                f"{job_name!r}."
            )
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by index; None for a missing task."""
        tasks = self._of(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _of(self, job: str) -> dict[int, str]:
        if job not in self._jobs:
            raise ValueError(f"ClusterSpec expected one of {self.jobs}: No such job in cluster: {job!r}.")
        return self._jobs[job]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(tuple((job, *sorted(tasks.items())) for job, tasks in sorted(self._jobs.items())))

    def __repr__(self) -> str:
        return f"ClusterSpec({dict(sorted(self.as_dict().items()))!r})"


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping) or not all(isinstance(i, int) for i in tasks):
        raise TypeError(
            f"tf.train.ClusterSpec expected lists: The tasks for job {job!r} must be a list or a dictionary from "
            f"integers to strings; got {tasks!r}."
        )
    for address in tasks.values():
        if not isinstance(address, str):
            raise TypeError(
                f"tf.train.ClusterSpec expected texts: Task address {address!r} of job {job!r} must be a str."
            )
    return dict(tasks)
