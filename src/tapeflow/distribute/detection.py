"""Which processes work together, as the launcher of this one says in its environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from tapeflow.distribute.resolvers import ClusterResolver, TFConfigClusterResolver, worker_number, workers_of
from tapeflow.engine.devices import processes
from tapeflow.engine.devices.processes import Member

_PORT = "8476"
_NAMES = {"slurm": "Slurm", "ompi": "Open MPI", "k8s": "Kubernetes"}


class Cluster(NamedTuple):
    """What was found.

    Attributes:
        source: what said so.
        member: which of the processes this is; None if it is alone.
    """

    source: str
    member: Member | None

    def __str__(self) -> str:
        if self.member is None:
            return f"one process ({self.source})"
        index, count = self.member.index, self.member.count
        return f"process {index} of {count} ({self.source}), coordinator {self.member.coordinator}"


def find_cluster(environment: Mapping[str, str] = os.environ) -> Cluster:
    """The cluster that this process belongs to.

    Raises:
        ValueError: the variables of a launcher contradict one another, or some are missing.
    """
    if (member := processes.joined()) is not None:
        return Cluster("jax.distributed.initialize", member)
    if environment.get("TF_CONFIG"):
        return of_resolver(TFConfigClusterResolver(), "TF_CONFIG")
    for source, read in _LAUNCHERS:
        member = read(environment)
        if member is not None:
            return Cluster(source, _checked(source, member))
    found = processes.detected()
    if found is None:
        return Cluster("no cluster found", None)
    return Cluster(_NAMES.get(found[0], found[0]), _checked(*found))


def of_resolver(resolver: ClusterResolver, source: str | None = None) -> Cluster:
    """The cluster that a resolver knows."""
    spec = resolver.cluster_spec()
    workers = workers_of(spec)
    source = source or type(resolver).__name__
    if not workers:
        return Cluster(source, None)
    number = worker_number(spec, resolver.task_type, resolver.task_id)
    return Cluster(source, _checked(source, Member(workers[0], len(workers), number)))


def _checked(source: str, member: Member) -> Member | None:
    """A member of a cluster of several; None for one alone."""
    if not 0 <= member.index < member.count:
        raise ValueError(
            f"The cluster expected process numbers from 0 to {member.count - 1}; got {member.index} ({source}). Check "
            "the variables that the launcher sets."
        )
    return member if member.count > 1 else None


def _of_jax(environment: Mapping[str, str]) -> Member | None:
    return _read(environment, "JAX_COORDINATOR_ADDRESS", None, "JAX_NUM_PROCESSES", "JAX_PROCESS_ID")


def _of_torchrun(environment: Mapping[str, str]) -> Member | None:
    member = _read(environment, "MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")
    if member is None:
        return None
    if environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True":  # torchrun itself listens on MASTER_PORT
        host, _, port = member.coordinator.rpartition(":")
        member = replace(member, coordinator=f"{host}:{int(port) + 1}")
    if int(environment.get("LOCAL_WORLD_SIZE", "1")) > 1 and "LOCAL_RANK" in environment:
        member = replace(member, local_device=int(environment["LOCAL_RANK"]))
    return member


def _of_kubeflow(environment: Mapping[str, str]) -> Member | None:
    return _read(environment, "COORDINATOR_ADDRESS", "COORDINATOR_PORT", "NUM_PROCESSES", "PROCESS_ID")


def _of_skypilot(environment: Mapping[str, str]) -> Member | None:
    addresses = environment.get("SKYPILOT_NODE_IPS", "").split()
    if not addresses:
        return None
    first = {"ADDRESS": addresses[0], "PORT": environment.get("JAX_COORDINATOR_PORT", _PORT)}
    return _read({**environment, **first}, "ADDRESS", "PORT", "SKYPILOT_NUM_NODES", "SKYPILOT_NODE_RANK")


_LAUNCHERS: tuple[tuple[str, Callable[[Mapping[str, str]], Member | None]], ...] = (
    ("JAX_COORDINATOR_ADDRESS", _of_jax),
    ("MASTER_ADDR and RANK", _of_torchrun),
    ("COORDINATOR_ADDRESS and PROCESS_ID", _of_kubeflow),
    ("SkyPilot", _of_skypilot),
)


def _read(
    environment: Mapping[str, str], address: str, port: str | None, count: str, index: str
) -> Member | None:
    """A member from variables of these names; None unless the first and one of the numbers are set."""
    names = [name for name in (address, port, count, index) if name is not None]
    missing = [name for name in names if not environment.get(name)]
    if address in missing or {count, index} <= set(missing):
        return None
    try:
        if missing:
            raise ValueError(f"{', '.join(missing)} not set")
        where = environment[address]
        if port is not None:
            where = (
                f"[{where}]:{int(environment[port])}" if ":" in where else f"{where}:{int(environment[port])}"
            )
        elif not where.rpartition(":")[2].isdigit():
            raise ValueError(f"{address}={where!r} has no port")
        return Member(where, int(environment[count]), int(environment[index]))
    except ValueError as error:
        raise ValueError(
            f"The cluster expected {', '.join(names)} in the environment of each process: an address and numbers; got "
            f"{ {name: environment.get(name) for name in names} } ({error}). Set all of them, or none."
        ) from None
