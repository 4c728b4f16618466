"""Two processes with networks of their own: a slow link, and one that is cut for a while."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = Path(__file__).parent / "programs" / "elastic.py"
TIMEOUT_S = 150
CUT_S = 10
ADDRESSES = ("10.217.0.1", "10.217.0.2")


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Network:
    """Two network namespaces, each with a cable to a switch in a third one."""

    def __init__(self) -> None:
        own = f"tapeflow{os.getpid()}"
        self.spaces = (f"{own}a", f"{own}b")
        self.switch = f"{own}s"

    def make(self) -> None:
        for space in (*self.spaces, self.switch):
            ip("netns", "add", space)
        ip("-n", self.switch, "link", "add", "switch", "type", "bridge")
        ip("-n", self.switch, "link", "set", "switch", "up")
        for i, (space, address) in enumerate(zip(self.spaces, ADDRESSES, strict=True)):
            peer = ("peer", "name", f"port{i}", "netns", self.switch)
            ip("-n", space, "link", "add", "eth", "type", "veth", *peer)
            ip("-n", self.switch, "link", "set", f"port{i}", "up", "master", "switch")
            ip("-n", space, "address", "add", f"{address}/24", "dev", "eth")
            ip("-n", space, "link", "set", "eth", "up")
            ip("-n", space, "link", "set", "lo", "up")

    def cut(self) -> None:
        """Pull a cable out of the switch; neither process can see that."""
        ip("-n", self.switch, "link", "set", "port1", "nomaster")

    def mend(self) -> None:
        ip("-n", self.switch, "link", "set", "port1", "master", "switch")

    def delay(self, how_long: str) -> None:
        """Have every packet take longer, each way."""
        for space in self.spaces:
            rule = ["tc", "qdisc", "add", "dev", "eth", "root", "netem", "delay", how_long]
            ip("netns", "exec", space, *rule)

    def remove(self) -> None:
        for space in (*self.spaces, self.switch):
            subprocess.run(["ip", "netns", "delete", space], check=False, capture_output=True)

    def start(self, folder: Path, pace_s: float) -> list[subprocess.Popen[str]]:
        """The training, a process in each namespace, started by hand with a TF_CONFIG of its own."""
        folder.mkdir(exist_ok=True)
        processes = []
        for index, space in enumerate(self.spaces):
            config = {
                "cluster": {"worker": [f"{address}:29400" for address in ADDRESSES]},
                "task": {"type": "worker", "index": index},
            }
            processes.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", space, sys.executable, str(PROGRAM), str(folder)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    env=os.environ | {"TF_CONFIG": json.dumps(config), "PACE_S": str(pace_s)},
                )
            )
        return processes


@pytest.fixture
def network() -> Iterator[Network]:
    if shutil.which("ip") is None:
        pytest.skip("needs the command ip (iproute2)")
    made = Network()
    try:
        made.make()
    except subprocess.CalledProcessError as error:
        made.remove()
        pytest.skip(f"network namespaces may not be made here: {error.stderr.strip()}")
    yield made
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


@pytest.mark.slow
def test_a_slow_link(network: Network, tmp_path: Path, alone: dict[str, Any]) -> None:
    try:
        network.delay("50ms")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this kernel delays no packets (netem): {error.stderr.strip()}")
    processes = network.start(tmp_path / "training", 0)
    said = said_by(processes)
    assert [p.returncode for p in processes] == [0, 0], "\n".join(said)
    assert f"process 1 of 2 (TF_CONFIG), coordinator {ADDRESSES[0]}:29400" in said[1]
    check(tmp_path / "training", alone)


@pytest.mark.slow
def test_a_link_that_is_cut(network: Network, tmp_path: Path, alone: dict[str, Any]) -> None:
    folder = tmp_path / "training"
    processes = network.start(folder, 0.05)
    assert processes[0].stdout is not None
    next(line for line in processes[0].stdout if line == "step 0\n")
    began = time.monotonic()
    network.cut()
    time.sleep(CUT_S)
    network.mend()
    said = said_by(processes)
    assert time.monotonic() - began < TIMEOUT_S
    codes = [process.returncode for process in processes]
    if codes != [0, 0]:  # it ended, saying why; then it resumes
        for code, text in zip(codes, said, strict=True):
            assert code
            assert (
                "one of them was lost" in text or "JAX distributed service detected fatal errors" in text
            ), text
        processes = network.start(folder, 0)
        said = said_by(processes)
        assert [p.returncode for p in processes] == [0, 0], "\n".join(said)
    check(folder, alone)
