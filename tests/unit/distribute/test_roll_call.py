"""The roll call: who has come, who is missing, and who cannot reach whom."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tapeflow.distribute import roll_call
from tapeflow.distribute.roll_call import NoCoordinator, Roll
from tapeflow.engine.devices.processes import Member


@pytest.fixture
def address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def called(address: str, count: int, present: list[int], timeout_s: float, tries_pairs: bool) -> list[Roll]:
    with ThreadPoolExecutor(count) as pool:
        given = [Member(address, count, i) for i in present]
        return list(pool.map(lambda member: roll_call.call(member, timeout_s, tries_pairs), given))


def test_all_come(address: str) -> None:
    rolls = called(address, 3, [0, 1, 2], 20, True)
    assert rolls[0] == rolls[1] == rolls[2]
    assert rolls[0].missing == []
    assert rolls[0].unreachable == {0: [], 1: [], 2: []}
    assert list(rolls[0].hosts.values()) == [socket.gethostname()] * 3


def test_who_is_missing_is_named_to_all(address: str) -> None:
    began = time.monotonic()
    rolls = called(address, 4, [0, 2], 1.5, False)
    assert time.monotonic() - began < 10
    assert [roll.missing for roll in rolls] == [[1, 3], [1, 3]]


def test_who_cannot_be_reached_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = roll_call._unreachable
    monkeypatch.setattr(roll_call, "_unreachable", lambda peers: tried([(i, a, 9) for i, a, _ in peers]))
    [first, second] = called(address, 2, [0, 1], 20, True)
    assert first == second
    assert first.unreachable == {0: [1], 1: [0]}


def test_no_coordinator(address: str) -> None:
    with pytest.raises(NoCoordinator, match="refused"):
        roll_call.call(Member(address, 2, 1), 0.5)


def test_noise_does_not_count(address: str) -> None:
    host, port = address.split(":")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(roll_call.call, Member(address, 2, 0), 20)
        for noise in (b"GET / HTTP/1.1\r\n", b"[1]\n", b'{"index": 7}\n', b'{"index": 1}\n'):
            with roll_call._connected(host, int(port), time.monotonic() + 10) as stranger:
                stranger.sendall(noise)
        second = pool.submit(roll_call.call, Member(address, 2, 1), 20)
        assert first.result().missing == second.result().missing == []
