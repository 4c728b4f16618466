"""Whether the processes of a cluster find and reach one another: `tapeflow doctor --cluster`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tapeflow.doctor.finding import Finding, State

if TYPE_CHECKING:
    from tapeflow.distribute.roll_call import Roll
    from tapeflow.engine.devices.processes import Member

_SECTION = "Cluster"
_LAUNCHER = "Check the variables of the launcher; docs/distribute.md lists those that are read."


def examine(timeout_s: float) -> Iterator[Finding]:
    """Find the cluster, wait for its processes, and have each try to reach each."""
    # Imported when asked for: it needs JAX, and the doctor otherwise works without.
    from tapeflow.distribute import roll_call
    from tapeflow.distribute.detection import find_cluster  # start-up

    try:
        cluster = find_cluster()
    except (ValueError, RuntimeError) as error:
        yield Finding(_SECTION, "variables", str(error), State.BROKEN, _LAUNCHER)
        return
    yield Finding(_SECTION, "found", str(cluster))
    member = cluster.member
    if member is None:
        return
    try:
        roll = roll_call.call(member, timeout_s, tries_pairs=True)
    except roll_call.NoCoordinator as error:
        yield _no_coordinator(member, timeout_s, str(error))
    except OSError as error:
        remedy = "Stop the program that listens there, or give the launcher another port."
        yield Finding(_SECTION, "coordinator", f"{member.coordinator}: {error}", State.BROKEN, remedy)
    else:
        yield from _findings(roll, timeout_s)


def _no_coordinator(member: Member, timeout_s: float, error: str) -> Finding:
    text = f"process {member.index} cannot reach process 0 at {member.coordinator} within {timeout_s:g} s: {error}"
    remedy = "Start the doctor on all hosts at once; then check the address, routes and firewalls."
    return Finding(_SECTION, "coordinator", text, State.BROKEN, remedy)


def _findings(roll: Roll, timeout_s: float) -> Iterator[Finding]:
    for index, host in sorted(roll.hosts.items()):
        yield Finding(_SECTION, f"process {index}", f"{host}, TapeFlow {roll.versions.get(index, '?')}")
    for index in roll.missing:
        text = f"has not come within {timeout_s:g} s"
        remedy = "Check whether it was started, and what the doctor reports there."
        yield Finding(_SECTION, f"process {index}", text, State.BROKEN, remedy)
    for index, others in sorted(roll.unreachable.items()):
        if others:
            text = f"cannot connect to {', '.join(f'process {i} ({roll.hosts[i]})' for i in others)}"
            remedy = (
                "Let these hosts reach one another on all ports: a firewall or a missing route is in the way."
            )
            yield Finding(_SECTION, f"process {index}", text, State.BROKEN, remedy)
    if len(set(roll.versions.values())) > 1:
        yield Finding(
            _SECTION,
            "versions",
            "differ between processes",
            State.BROKEN,
            "Install the same one on all hosts.",
        )
