"""Who works together: written down, read from the environment, or put together from several."""

from __future__ import annotations

import json
import os
from typing import Any

from tapeflow.engine.devices.device import logical_devices
from tapeflow.train.cluster_spec import ClusterSpec

_FORM = (
    '{"cluster": {"worker": ["host1:port", "host2:port"]}, "task": {"type": "worker", "index": 0}}, with an index of '
    "its own in each process"
)


class ClusterResolver:
    """The base class of what tells a process who the others are; a subclass writes `cluster_spec`."""

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment = ""

    def cluster_spec(self) -> ClusterSpec:
        """Who works together."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method `cluster_spec(self)`; it has none."
        )

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, by default of this one; empty if there is none."""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        spec = self.cluster_spec()
        if job is None or index is None or job not in spec.jobs:
            return ""
        layer = rpc_layer or self.rpc_layer
        address = spec.task_address(job, index)
        return f"{layer}://{address}" if layer else address

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The number of accelerators of each kind that this process sees."""
        found: dict[str, int] = {}
        for device in logical_devices():
            if device.device_type != "CPU":
                found[device.device_type] = found.get(device.device_type, 0) + 1
        return found


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is written down.

    Args:
        cluster_spec: a `tf.train.ClusterSpec`.
        master: the address that `master()` gives.
        task_type, task_id: which of the tasks this process is.
        environment: a word for where it runs.
        num_accelerators: how many accelerators of each kind there are; JAX is asked unless given.
        rpc_layer: what `master(...)` begins with.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(
                f"SimpleClusterResolver expected cluster_spec to be a `tf.train.ClusterSpec`; got {cluster_spec!r}."
            )
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self.environment = environment

    def cluster_spec(self) -> ClusterSpec:
        return self._spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        return (
            self._master
            if task_type is None or task_id is None
            else super().master(task_type, task_id, rpc_layer)
        )

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return super().num_accelerators() if self._accelerators is None else self._accelerators


class UnionResolver(ClusterResolver):
    """The clusters of several resolvers as one; what else is asked, the first answers.

    Args:
        *resolvers: the resolvers.
    """

    def __init__(self, *resolvers: ClusterResolver) -> None:
        if not resolvers:
            raise ValueError("UnionResolver expected at least one ClusterResolver; got none.")
        first = resolvers[0]
        self._resolvers = resolvers
        self.task_type, self.task_id, self.rpc_layer = first.task_type, first.task_id, first.rpc_layer
        self.environment = first.environment

    def cluster_spec(self) -> ClusterSpec:
        found: dict[str, Any] = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                found[job] = _merged(job, found[job], tasks) if job in found else tasks
        return ClusterSpec(found)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        if task_type is None or task_id is None:
            return self._resolvers[0].master()
        return super().master(task_type, task_id, rpc_layer)


def _merged(job: str, one: Any, other: Any) -> Any:
    """Lists one after the other; numbered tasks must have numbers of their own."""
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *(address for address in other if address not in one)]
    first, second = (dict(enumerate(t)) if isinstance(t, list) else t for t in (one, other))
    twice = [i for i in first if i in second and first[i] != second[i]]
    if twice:
        raise KeyError(
            f"UnionResolver expected each task of job {job!r} once; got several with numbers {twice}."
        )
    return {**first, **second}


class TFConfigClusterResolver(ClusterResolver):
    """Reads the environment variable `TF_CONFIG`; without it, there is one worker.

    Raises:
        ValueError: `TF_CONFIG` is not what it should be.
    """

    def __init__(self) -> None:
        text = os.environ.get("TF_CONFIG") or "{}"
        try:
            self._spec, self.task_type, self.task_id = _parsed(json.loads(text))
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"TF_CONFIG expected {_FORM}; got {text!r} ({error}).") from None

    def cluster_spec(self) -> ClusterSpec:
        return self._spec


class TPUClusterResolver:
    """TPUs are not supported: raises the error that TensorFlow raises on a machine without one.

    Notebooks that try for a TPU and go on without it, `except ValueError`, then go on.
    """

    def __init__(self, tpu: str | None = None, *arguments: Any, **options: Any) -> None:
        raise ValueError(
            f"TPUClusterResolver expected a TPU; got tpu={tpu!r}, and there is none: please provide a TPU name to "
            "connect to. Use tf.distribute.MirroredStrategy() for the devices of this machine."
        )


def _parsed(config: dict[str, Any]) -> tuple[ClusterSpec, str, int]:
    spec, task = ClusterSpec(config.get("cluster", {})), config.get("task", {})
    kind, index = task.get("type", "worker"), int(task.get("index", 0))
    worker_number(spec, kind, index)
    return spec, kind, index


def workers_of(spec: ClusterSpec) -> tuple[str, ...]:
    """The addresses of all that train, the first being the one that the others report to.

    Raises:
        ValueError: there are jobs of other kinds.
    """
    other = sorted(set(spec.jobs) - {"chief", "worker"})
    if other:
        raise ValueError(f"there are no jobs {other} here, only 'chief' and 'worker'")
    return tuple(
        address
        for job in ("chief", "worker")
        if job in spec.jobs
        for address in spec.job_tasks(job)
        if address
    )


def worker_number(spec: ClusterSpec, task_type: str | None, task_id: int | None) -> int:
    """Which of `workers_of` a task is.

    Raises:
        ValueError: there is no such task.
    """
    everybody, kind, index = workers_of(spec), task_type or "worker", task_id or 0
    chiefs = spec.num_tasks("chief") if "chief" in spec.jobs else 0
    number = index if kind == "chief" else chiefs + index
    if kind not in ("chief", "worker") or not 0 <= number < max(len(everybody), 1):
        raise ValueError(f"there is no task {kind!r} {index} in that cluster")
    return number
