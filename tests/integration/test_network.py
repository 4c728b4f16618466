"""Processes with networks of their own: a slow link, and one that is cut for a while."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import queue
import select
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = Path(__file__).parent / "programs" / "elastic.py"
TIMEOUT_S = 300
CUT_S = 10
DELAY_S = 0.05
SET_UP_TAP = 0x400454CA  # TUNSETIFF
TAP = 0x0002 | 0x1000  # IFF_TAP | IFF_NO_PI
LOOK_S = 0.2
CLONE_NEWNET = 0x40000000
LONGEST_FRAME = 1 << 16
KNOCK = """
import socket, sys, time
began = time.monotonic()
refused = socket.socket().connect_ex((sys.argv[1], 1))
print(time.monotonic() - began)
"""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class SlowCable:
    """A network interface of a namespace whose packets a thread passes on, each a while after it came.

    netem would do the same, but many kernels are built without it.
    """

    def __init__(self, space: str, switch: str, name: str) -> None:
        self.ends = [_tap(space, "eth"), _tap(switch, name)]
        self.is_over = threading.Event()
        self.threads = [
            threading.Thread(target=work, daemon=True)
            for source, target in (self.ends, self.ends[::-1])
            for work in self._works(source, target)
        ]
        for thread in self.threads:
            thread.start()

    def _works(self, source: int, target: int) -> list[Any]:
        waiting: queue.Queue[tuple[float, bytes] | None] = queue.Queue()

        def read() -> None:
            while not self.is_over.is_set():
                if select.select([source], [], [], LOOK_S)[0]:
                    with contextlib.suppress(OSError):  # the interface is down
                        waiting.put((time.monotonic() + DELAY_S, os.read(source, LONGEST_FRAME)))
            waiting.put(None)

        def write() -> None:
            while found := waiting.get():
                due, frame = found
                time.sleep(max(0, due - time.monotonic()))
                with contextlib.suppress(OSError):
                    os.write(target, frame)

        return [read, write]

    def close(self) -> None:
        """Take the interfaces away."""
        self.is_over.set()
        for thread in self.threads:
            thread.join(TIMEOUT_S)
        for end in self.ends:
            os.close(end)


def _tap(space: str, name: str) -> int:
    """Make an interface in a namespace; gives the file that its packets are read from and written to."""
    made: list[int] = []

    def make() -> None:
        # A thread can move to another namespace without the rest of the process.
        with open(f"/run/netns/{space}") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns {space}")
        end = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(end, SET_UP_TAP, struct.pack("16sH22x", name.encode(), TAP))
        made.append(end)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if not made:
        raise OSError(f"no interface could be made in {space}")
    return made[0]


class Network:
    """Network namespaces, each with a cable to a switch in one more."""

    def __init__(self, count: int) -> None:
        own = f"tapeflow{os.getpid()}"
        self.spaces = [f"{own}n{i}" for i in range(count)]
        self.addresses = [f"10.217.0.{i + 1}" for i in range(count)]
        self.switch = f"{own}s"
        self.cables: list[SlowCable] = []

    def make(self, is_slow: bool) -> None:
        for space in (*self.spaces, self.switch):
            ip("netns", "add", space)
        ip("-n", self.switch, "link", "add", "switch", "type", "bridge")
        ip("-n", self.switch, "link", "set", "switch", "up")
        for i, (space, address) in enumerate(zip(self.spaces, self.addresses, strict=True)):
            if is_slow:
                self.cables.append(SlowCable(space, self.switch, f"port{i}"))
            else:
                peer = ("peer", "name", f"port{i}", "netns", self.switch)
                ip("-n", space, "link", "add", "eth", "type", "veth", *peer)
            ip("-n", self.switch, "link", "set", f"port{i}", "up", "master", "switch")
            ip("-n", space, "address", "add", f"{address}/24", "dev", "eth")
            ip("-n", space, "link", "set", "eth", "up")
            ip("-n", space, "link", "set", "lo", "up")

    def round_trip_s(self) -> float:
        """How long the second host takes to refuse a connection."""
        knock = ["ip", "netns", "exec", self.spaces[0], sys.executable, "-c", KNOCK, self.addresses[1]]
        return float(subprocess.run(knock, check=True, capture_output=True, text=True).stdout)

    def cut(self) -> None:
        """Pull a cable out of the switch; neither process can see that."""
        ip("-n", self.switch, "link", "set", "port1", "nomaster")

    def mend(self) -> None:
        ip("-n", self.switch, "link", "set", "port1", "master", "switch")

    def remove(self) -> None:
        for cable in self.cables:
            cable.close()
        for space in (*self.spaces, self.switch):
            subprocess.run(["ip", "netns", "delete", space], check=False, capture_output=True)

    def variables(self, index: int) -> dict[str, str]:
        """How a process finds the others: TF_CONFIG names two, and torchrun's variables the first of four."""
        if len(self.addresses) == 2:
            workers = [f"{address}:29400" for address in self.addresses]
            config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
            return {"TF_CONFIG": json.dumps(config)}
        return {
            "MASTER_ADDR": self.addresses[0],
            "MASTER_PORT": "29400",
            "WORLD_SIZE": str(len(self.addresses)),
            "RANK": str(index),
        }

    def start(self, folder: Path, pace_s: float) -> list[subprocess.Popen[str]]:
        """The training, a process in each namespace, started by hand as the guide says."""
        folder.mkdir(exist_ok=True)
        processes = []
        for index, space in enumerate(self.spaces):
            processes.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", space, sys.executable, str(PROGRAM), str(folder)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    env=os.environ | self.variables(index) | {"PACE_S": str(pace_s)},
                )
            )
        return processes


@contextlib.contextmanager
def network(count: int, is_slow: bool = False) -> Iterator[Network]:
    if shutil.which("ip") is None:
        pytest.skip("needs the command ip (iproute2)")
    made = Network(count)
    try:
        try:
            made.make(is_slow)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces may not be made here: {error.stderr.strip()}")
        yield made
    finally:
        made.remove()


def said_by(processes: list[subprocess.Popen[str]]) -> list[str]:
    try:
        return [process.communicate(timeout=TIMEOUT_S)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one process learns."""
    folder = tmp_path_factory.mktemp("alone")
    subprocess.run([sys.executable, str(PROGRAM), str(folder)], check=True, capture_output=True)
    return json.loads((folder / "result.json").read_text())


def check(folder: Path, alone: dict[str, Any]) -> None:
    found = json.loads((folder / "result.json").read_text())
    for name, values in alone["history"].items():
        np.testing.assert_allclose(found["history"][name], values, atol=1e-6, err_msg=name)
    for own, wanted in zip(found["weights"], alone["weights"], strict=True):
        np.testing.assert_allclose(own, wanted, atol=1e-6)


def train(made: Network, folder: Path) -> list[str]:
    """Train to the end; gives what each process said."""
    processes = made.start(folder, 0)
    said = said_by(processes)
    assert not any(process.returncode for process in processes), "\n".join(said)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_a_slow_link(count: int, tmp_path: Path, alone: dict[str, Any]) -> None:
    if not os.path.exists("/dev/net/tun"):
        pytest.skip("needs /dev/net/tun")
    with network(count, is_slow=True) as made:
        assert made.round_trip_s() >= 4 * DELAY_S  # through two cables there, and through two back
        said = train(made, tmp_path / "training")
    source = "TF_CONFIG" if count == 2 else "MASTER_ADDR and RANK"
    assert f"process 1 of {count} ({source}), coordinator 10.217.0.1:29400" in said[1]
    check(tmp_path / "training", alone)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_a_link_that_is_cut(count: int, tmp_path: Path, alone: dict[str, Any]) -> None:
    folder = tmp_path / "training"
    with network(count) as made:
        processes = made.start(folder, 0.05)
        assert processes[0].stdout is not None
        next(line for line in processes[0].stdout if line == "step 0\n")
        began = time.monotonic()
        made.cut()
        time.sleep(CUT_S)
        made.mend()
        said = said_by(processes)
        assert time.monotonic() - began < TIMEOUT_S
        codes = [process.returncode for process in processes]
        if any(codes):  # it ended, saying why; then it resumes
            for code, text in zip(codes, said, strict=True):
                assert code
                reasons = (
                    "one of them was lost",
                    "JAX distributed service detected fatal errors",
                    "and ends now. Start all processes again",
                )
                assert any(reason in text for reason in reasons), text
            train(made, folder)
    check(folder, alone)
