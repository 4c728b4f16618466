"""Training on the devices of several processes, of one machine or of many."""

from __future__ import annotations

import sys
from typing import Any

from tapeflow.distribute import roll_call
from tapeflow.distribute.detection import Cluster, find_cluster, of_resolver
from tapeflow.distribute.resolvers import ClusterResolver, SimpleClusterResolver, TFConfigClusterResolver
from tapeflow.distribute.roll_call import NoCoordinator
from tapeflow.distribute.strategy import Strategy
from tapeflow.distribute.watch import Watch
from tapeflow.engine import random
from tapeflow.engine.devices import placement, processes, startup
from tapeflow.engine.devices.placement import Placement
from tapeflow.engine.devices.processes import Member
from tapeflow.engine.errors import UnavailableError
from tapeflow.train.cluster_spec import ClusterSpec

_TIMEOUT_S = 30
_START_S = 60

_joined: Member | None = None
_hosts: dict[int, str] = {}  # the name of each process's host


class MultiWorkerMirroredStrategy(Strategy):
    """Training on the devices of all processes of a cluster; of this process alone where there is none.

    The cluster is found in the environment: `TF_CONFIG`, the variables of launchers such as torchrun, SkyPilot and
    Kubeflow, or what JAX detects by itself (Slurm, Open MPI, Kubernetes, cloud TPUs).

    Make it at the start of the program: JAX learns of the other processes when it starts. Every process runs the
    same program; each computes its part of every batch, and reads no more of the data than it needs for that.

    Args:
        cluster_resolver: names the workers, instead of the environment.
        communication_options: its `timeout_seconds` is how long a worker may be silent before the others give
            up; 30 unless given. A worker that answers but hangs is named after that time. If it was given, the
            others end after twice that time.

    Raises:
        RuntimeError: JAX has started already.
        ValueError: the environment describes no whole cluster.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        cluster = find_cluster() if cluster_resolver is None else of_resolver(cluster_resolver)
        given_timeout = getattr(communication_options, "timeout_seconds", None)
        timeout = given_timeout or _TIMEOUT_S
        if cluster_resolver is None:
            _say(cluster)
        if cluster.member is not None:
            _join(cluster.member, int(timeout), bool(given_timeout))
        self.cluster_resolver = cluster_resolver or _resolver(cluster)
        super().__init__(Placement(placement.all_devices()))


def _join(member: Member, timeout_s: int, ends: bool) -> None:
    global _joined
    if _joined == member:
        return
    if processes.joined() is None:
        if startup.has_started():
            raise RuntimeError(
                "MultiWorkerMirroredStrategy expected to be made before anything is computed; got one made when JAX "
                "had started already. Make it at the start of the program, before the first tensor."
            )
        _call_roll(member, max(timeout_s, _START_S))
        processes.join(member, timeout_s)
    elif not startup.has_started():
        processes.use_address_of(member.coordinator)
    _joined = member
    _agree_on_random_numbers(member, timeout_s)
    Watch(member, _hosts, timeout_s, ends).start()


def _call_roll(member: Member, timeout_s: int) -> None:
    """Wait for all processes, and name those that do not come."""
    advice = "Check that all processes were started, and what `tapeflow doctor --cluster` says on each host."
    where = f"MultiWorkerMirroredStrategy expected {member.count} processes within {timeout_s} s"
    try:
        roll = roll_call.call(member, timeout_s)
    except NoCoordinator as error:
        raise UnavailableError(
            None, None, f"{where}; got no answer from process 0 at {member.coordinator}: {error}. {advice}"
        ) from None
    if roll.missing:
        here = ", ".join(f"{i} ({host})" for i, host in sorted(roll.hosts.items()))
        raise UnavailableError(
            None, None, f"{where}; got {here}. Missing: {', '.join(map(str, roll.missing))}. {advice}"
        )
    _hosts.update(roll.hosts)


def _agree_on_random_numbers(member: Member, timeout_s: int) -> None:
    """Let all processes draw what the first draws, where no seed was set."""
    if member.index == 0:
        processes.tell("random", str(random.random_state()["counter"][0]))
    if random.global_seed() is None:
        random.reseed(int(processes.told("random", max(timeout_s, _START_S))))


def _say(cluster: Cluster) -> None:
    """Say what was found, in one line."""
    sys.stderr.write(f"MultiWorkerMirroredStrategy: {cluster}\n")
    sys.stderr.flush()


def _resolver(cluster: Cluster) -> ClusterResolver:
    """What programs ask which of the workers they are."""
    if cluster.member is None or cluster.source == "TF_CONFIG":
        return TFConfigClusterResolver()
    numbers = range(1, cluster.member.count)
    addresses = {0: cluster.member.coordinator, **{n: _hosts.get(n, f"process-{n}") for n in numbers}}
    return SimpleClusterResolver(
        ClusterSpec({"worker": addresses}), task_type="worker", task_id=cluster.member.index
    )
