"""JAX in several processes: joining and finding them, and the table through which they exchange values.

JAX's coordination service runs in the first process. The others report to it, and it keeps a table of keys and values
that all of them can read, also from threads.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from dataclasses import dataclass
from typing import Any

from jax._src import distributed  # the table of keys and values has no public name
from jax._src.clusters import ClusterEnv  # JAX's detection can otherwise only be asked for by joining
from jax._src.lib import _jax  # pyright: ignore[reportPrivateImportUsage]

from tapeflow.engine.backend import jax, xla_bridge
from tapeflow.engine.errors import DeadlineExceededError

_PREFIX = "tapeflow/"
_THREADS = "/proc/self/task"

begun = 0
"""How many programs this process has begun to run of those that all processes run together."""


@dataclass(frozen=True)
class Member:
    """One of the processes that work together.

    Attributes:
        coordinator: the address, host:port, that the first process listens on.
        count: how many processes there are.
        index: which of them this one is.
        local_device: the one GPU of its machine that it uses; None for all.
    """

    coordinator: str
    count: int
    index: int
    local_device: int | None = None


def joined() -> Member | None:
    """This process's membership; None before it has joined other processes."""
    state = distributed.global_state
    if state.client is None or state.coordinator_address is None:
        return None
    return Member(state.coordinator_address, state.num_processes, state.process_id)


def note_begun() -> None:
    """Count a program that all processes run together."""
    global begun
    begun += 1


def detected() -> tuple[str, Member] | None:
    """The cluster that JAX finds by itself (Slurm, Open MPI, Kubernetes, TPUs), with JAX's name of its kind."""
    for kind in ClusterEnv._cluster_types:
        if kind.opt_in_only_method or not kind.is_env_present():
            continue
        detected_values = kind.auto_detect_unset_distributed_params(None, None, None, None, None, 60)
        coordinator, count, index, devices = detected_values
        if coordinator is None or count is None or index is None:
            return None
        return kind.name or kind.__name__, Member(coordinator, count, index, devices[0] if devices else None)
    return None


def join(member: Member, timeout_s: int) -> None:
    """Have JAX work together with the other processes. Must be called before JAX has started.

    Who does not answer for `timeout_s` is taken for lost.
    """
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        member.coordinator,
        num_processes=member.count,
        process_id=member.index,
        local_device_ids=None if member.local_device is None else [member.local_device],
        cluster_detection_method="deactivate",
        initialization_timeout=max(timeout_s, 60),
        heartbeat_timeout_seconds=timeout_s,
    )
    use_address_of(member.coordinator)


def use_address_of(coordinator: str) -> None:
    """Let the CPUs' collectives listen on the address that leads to the coordinator.

    By itself, gloo takes the one that the host's name resolves to, which is often one of the host's own, 127.0.1.1.
    """
    address = address_towards(coordinator)

    def make_client() -> Any:
        client, threads = distributed.global_state.client, _threads()
        collectives = (
            None
            if client is None
            else _jax.make_gloo_tcp_collectives(distributed_client=client, hostname=address)
        )
        _keep_patient(_threads() - threads)
        return xla_bridge.make_cpu_client(collectives)

    xla_bridge.register_backend_factory("cpu", make_client, priority=0, fail_quietly=False)


def _threads() -> set[int]:
    """The threads of this process, where the system lists them."""
    return {int(name) for name in os.listdir(_THREADS)} if os.path.isdir(_THREADS) else set()


def _keep_patient(threads: set[int]) -> None:
    """Let threads that are woken up wait until a core is free, and not take it from another thread.

    That is for gloo's: while another thread holds the lock of a connection, it asks for events in an endless loop. If
    it takes the core from that very thread, both stand still for all of its time slice, in nearly every exchange.
    """
    for thread in threads:
        with contextlib.suppress(OSError):  # it has ended, or the system allows no such choice
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))


def address_towards(coordinator: str) -> str:
    """The address of this machine that packets to the coordinator leave from."""
    host, _, port = coordinator.rpartition(":")
    family, kind, _, _, address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind) as probe:
        probe.connect(address)  # sends nothing
        return probe.getsockname()[0]


def _table() -> Any:
    client = distributed.global_state.client
    if client is None:
        raise RuntimeError("This process has joined no others: there is no table of keys and values.")
    return client


def tell(key: str, value: str) -> None:
    """Put a value into the table for all processes; each key once."""
    _table().key_value_set(_PREFIX + key, value)


def forget(key: str) -> None:
    """Remove a value from the table that no process will read any more."""
    _table().key_value_delete(_PREFIX + key)


def told(key: str, timeout_s: float) -> str:
    """Wait for a value of the table.

    Raises:
        DeadlineExceededError: nobody has put it there in time.
    """
    try:
        return _table().blocking_key_value_get(_PREFIX + key, int(timeout_s * 1000))
    except jax.errors.JaxRuntimeError as error:
        if "DEADLINE_EXCEEDED" not in str(error):
            raise
        raise DeadlineExceededError(None, None, f"no process gave {key} within {timeout_s:g} s") from error


def tell_now(key: str, value: str) -> None:
    """Put a value into the table, replacing the one that is there."""
    _table().key_value_set(_PREFIX + key, value, allow_overwrite=True)


def tell_once(key: str, value: str) -> None:
    """Put a value into the table, unless some process has put one there under this key."""
    try:
        tell(key, value)
    except jax.errors.JaxRuntimeError as error:
        if "ALREADY_EXISTS" not in str(error):
            raise


def glance(key: str) -> str | None:
    """A value of the table if it is there."""
    try:
        return _table().key_value_try_get(_PREFIX + key)
    except jax.errors.JaxRuntimeError as error:
        if "NOT_FOUND" not in str(error):
            raise
        return None


_agreements = itertools.count()


def agreed(value: str, timeout_s: float = 300.0) -> str:
    """The value that the first process passes; all processes must call this equally often, in the same order."""
    if joined() is None:
        return value
    key = f"agreed/{next(_agreements)}"
    if is_first():
        tell(key, value)
        return value
    return told(key, timeout_s)


def index() -> int:
    """The number of this process among those that work together; 0 if it is alone."""
    member = joined()
    return 0 if member is None else member.index


def is_first() -> bool:
    """Whether this process is the first, or alone: the one to write files."""
    return index() == 0
