"""A roll call before training: every process tells the first that it is there, and hears who is missing.

JAX ends a process with a stack trace, naming nobody, if another does not come. So the first process listens at the
coordinator's address until all have called or the time is over; then JAX takes the address over.
"""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from tapeflow import __version__
from tapeflow.engine.devices.processes import Member

_RETRY_S = 0.2
_LONGEST_LINE = 1 << 20
_CONNECT_S = 5.0


@dataclass
class Roll:
    """Who has come.

    Attributes:
        hosts: the name of each process's host, by the number of the process.
        missing: the numbers of the processes that have not come in time.
        unreachable: by number, those whom a process cannot reach, if that was tried.
        versions: the version of TapeFlow of each process.
    """

    hosts: dict[int, str] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)
    unreachable: dict[int, list[int]] = field(default_factory=dict)
    versions: dict[int, str] = field(default_factory=dict)


class NoCoordinator(Exception):
    """The first process cannot be reached, or has not answered."""


def call(member: Member, timeout_s: float, tries_pairs: bool = False) -> Roll:
    """Take part in a roll call.

    Args:
        member: which of the processes this is.
        timeout_s: how long to wait for the others.
        tries_pairs: whether every process shall also try to reach every other.

    Raises:
        NoCoordinator: the first process cannot be reached.
        OSError: this is the first process, and it cannot listen at the coordinator's port.
    """
    deadline = time.monotonic() + timeout_s
    with _listening(0) as own:
        greeting = {
            "index": member.index,
            "host": socket.gethostname(),
            "port": own.getsockname()[1],
            "version": __version__,
        }
        if member.index == 0:
            return _lead(member, deadline, greeting, tries_pairs)
        return _follow(member, deadline, greeting, tries_pairs)


def _lead(member: Member, deadline: float, greeting: dict[str, Any], tries_pairs: bool) -> Roll:
    """The first process: wait for the others, and tell all who is there."""
    here: dict[int, dict[str, Any]] = {0: {**greeting, "address": ""}}
    lines: dict[int, _Line] = {}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(_listening(int(member.coordinator.rpartition(":")[2])))
        while len(here) < member.count and (left := deadline - time.monotonic()) > 0:
            server.settimeout(left)
            with contextlib.suppress(TimeoutError):
                connection, address = server.accept()
                line = stack.enter_context(_Line(connection, _CONNECT_S))
                said = line.receive()
                index = said.get("index")
                if not isinstance(index, int) or not {"host", "port", "version"} <= said.keys():
                    continue
                if 0 < index < member.count and index not in here:
                    here[index], lines[index] = {**said, "address": address[0]}, line
        missing = [i for i in range(member.count) if i not in here]
        roll = Roll({i: str(h["host"]) for i, h in here.items()}, missing)
        roll.versions = {i: str(h["version"]) for i, h in here.items()}
        for line in lines.values():
            line.send({"members": [[i, h["address"], h["port"]] for i, h in here.items()]})
        if tries_pairs:
            peers = [(i, h["address"], h["port"]) for i, h in here.items() if i]
            roll.unreachable[0] = _unreachable(peers)
            for index, line in lines.items():
                line.wait_s = _CONNECT_S * (len(here) + 1)
                roll.unreachable[index] = list(line.receive().get("unreachable", []))
        for line in lines.values():
            line.send({"roll": [roll.hosts, roll.missing, roll.unreachable, roll.versions]})
            line.receive()  # until it hangs up: the port stays free of half-closed connections
        return roll


def _follow(member: Member, deadline: float, greeting: dict[str, Any], tries_pairs: bool) -> Roll:
    """Any other process: call the first, and hear from it who else is there."""
    host, _, port = member.coordinator.rpartition(":")
    connection = _connected(host.strip("[]"), int(port), deadline)
    with _Line(connection, max(0.0, deadline - time.monotonic()) + 2 * _CONNECT_S) as line:
        line.send(greeting)
        answer = line.receive()
        if "members" not in answer:
            raise NoCoordinator("it accepted the connection, and did not answer")
        if tries_pairs:
            peers = [(i, address or host, at) for i, address, at in answer["members"]]
            line.send({"unreachable": _unreachable([p for p in peers if p[0] != member.index])})
            line.wait_s = _CONNECT_S * (member.count + 1) ** 2
        answer = line.receive()
        if "roll" not in answer:
            raise NoCoordinator("it hung up before all had been called")
        hosts, missing, unreachable, versions = answer["roll"]
        by_number = [{int(i): value for i, value in part.items()} for part in (hosts, unreachable, versions)]
        return Roll(by_number[0], missing, by_number[1], by_number[2])


def _unreachable(peers: Sequence[tuple[int, str, int]]) -> list[int]:
    """The numbers of the processes that do not accept a connection."""
    found = []
    for index, address, port in peers:
        try:
            socket.create_connection((address.strip("[]"), port), timeout=_CONNECT_S).close()
        except OSError:
            found.append(index)
    return found


def _connected(host: str, port: int, deadline: float) -> socket.socket:
    while True:
        try:
            return socket.create_connection((host, port), timeout=_CONNECT_S)
        except OSError as error:
            if time.monotonic() + _RETRY_S > deadline:
                raise NoCoordinator(str(error)) from error
        time.sleep(_RETRY_S)


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    is_dual = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if is_dual else socket.AF_INET
    with socket.create_server(("", port), family=family, backlog=512, dualstack_ipv6=is_dual) as server:
        yield server


class _Line:
    """A connection that carries JSON, a line at a time."""

    def __init__(self, connection: socket.socket, wait_s: float) -> None:
        self._connection = connection
        self._file: BinaryIO = connection.makefile("rb")
        self.wait_s = wait_s

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._connection.close()

    def send(self, value: dict[str, Any]) -> None:
        """Say something; who has hung up does not hear it."""
        with contextlib.suppress(OSError):
            self._connection.sendall(json.dumps(value).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """What the other says next; {} if that is nothing that can be understood."""
        self._connection.settimeout(self.wait_s)
        try:
            value = json.loads(self._file.readline(_LONGEST_LINE))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}
