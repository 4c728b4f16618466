"""Searches that are killed, and go on without losing or repeating a finished trial."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tapeflow as tf
from tapeflow.summary.trials import read_trial
from tapeflow.tune import places

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLE = Path(__file__).parents[2] / "examples" / "tune_search.py"
TIMEOUT_S = 300


def begin(*command: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def kill_after(process: subprocess.Popen[str], lines: int) -> None:
    """Kill it when it has said so many lines."""
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(lines)]
    process.kill()
    _, errors = process.communicate(timeout=TIMEOUT_S)
    assert all(said), errors


def finish(process: subprocess.Popen[str]) -> list[str]:
    said, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, errors
    return said.splitlines()


def wait_for(is_true: Callable[[], bool]) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.01)


def finished(lines: list[str]) -> dict[int, str]:
    """Trials and their results, from what a search says."""
    found = [re.match(r"\s*\d+/\d+  trial (\d+): (.*?), with", line) for line in lines]
    return {int(match[1]): match[2] for match in found if match}


def by_state(folder: Path, state: str) -> set[int]:
    """The places of trials in a state, as the database has them."""
    trials = optuna.load_study(study_name="search", storage=f"sqlite:///{folder / 'tune.db'}").trials
    return {place for number, place in places.places(trials).items() if trials[number].state.name == state}


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_killed_search_goes_on(tmp_path):
    kill_after(begin(PROGRAMS / "search.py", tmp_path), 4)
    begun = [line.split() for line in (tmp_path / "begun").read_text().splitlines()]
    wait_for(lambda: not any(is_running(int(pid)) for _, pid in begun))  # nothing trains on in the background
    before, lost = by_state(tmp_path, "COMPLETE"), by_state(tmp_path, "RUNNING")
    assert len(before) >= 4
    assert lost

    lines = finish(begin(PROGRAMS / "search.py", tmp_path))
    after = set(finished(lines))
    assert before & after == set()
    assert before | after == by_state(tmp_path, "COMPLETE") == set(range(12))
    for number in lost:
        assert f"trial {number} was lost (its process ended): it is run again" in lines
    assert f"going on in {tmp_path}: {len(before)} of 12 trials are done" in lines
    begun = [line.split() for line in (tmp_path / "begun").read_text().splitlines()]
    names = [name for name, _ in begun]
    assert len(set(names)) == len(names)
    for number in range(12):
        again = tmp_path / f"trial-{number:03d}-again-1"
        folder = again if number in lost else tmp_path / f"trial-{number:03d}"
        trial = read_trial(tf.summary.read(folder))
        assert trial is not None
        assert trial.status == "success"
        assert again.exists() == (number in lost)
        events = EventAccumulator(str(folder))
        events.Reload()
        assert "_hparams_/session_start_info" in events.summary_metadata  # TensorBoard sees it, too


@pytest.mark.slow
def test_thirty_trials_beat_the_default_though_killed_in_the_middle(tmp_path):
    kill_after(begin(EXAMPLE, "--logdir", tmp_path), 12)
    before = by_state(tmp_path, "COMPLETE") | by_state(tmp_path, "PRUNED")
    lines = finish(begin(EXAMPLE, "--logdir", tmp_path))
    after = set(finished(lines))
    assert before & after == set()
    assert before | after == set(range(30))
    default, best = re.findall(r"([\d.]+)%", lines[-1])
    assert float(best) > float(default)


@pytest.fixture(scope="module")
def postgresql():
    """The URL of a database on a PostgreSQL server of the tests' own, which listens on a socket in a folder."""
    pytest.importorskip("psycopg", reason="needs psycopg")
    places = [*map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"))), os.environ["PATH"]]
    commands = [
        shutil.which(name, path=os.pathsep.join(places)) for name in ("initdb", "postgres", "createdb")
    ]
    if not all(commands):
        pytest.skip("needs PostgreSQL (Debian's package postgresql)")
    initdb, postgres, createdb = commands
    # The server refuses to run as root; Debian's package makes a user for it.
    user = "postgres" if os.getuid() == 0 else None
    folder = tempfile.mkdtemp(prefix="pg")  # short, since the socket's path may have 107 characters at most
    if user:
        shutil.chown(folder, user)
    subprocess.run(
        [initdb, "-D", f"{folder}/data", "-U", "tester", "--auth=trust", "--no-sync"],
        check=True,
        capture_output=True,
        user=user,
        cwd=folder,
    )
    settings = ["-c", "listen_addresses=", "-k", folder, "-c", "fsync=off"]
    server = subprocess.Popen(
        [postgres, "-D", f"{folder}/data", *settings],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user,
        cwd=folder,
    )
    try:
        make = [createdb, "-h", folder, "-U", "tester", "tuning"]
        wait_for(lambda: subprocess.run(make, capture_output=True, check=False).returncode == 0)
        yield f"postgresql+psycopg://tester@/tuning?host={folder}"
    finally:
        server.send_signal(signal.SIGINT)  # ends connections, and writes what is to be written
        server.wait(TIMEOUT_S)
        shutil.rmtree(folder)


SERVE = """
import sys
import optuna

storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(sys.argv[1]))
optuna.storages.run_grpc_proxy_server(storage, host="127.0.0.1", port=int(sys.argv[2]))
"""


@pytest.fixture
def grpc(tmp_path):
    """The address of a server that keeps trials for others."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = begin("-c", SERVE, tmp_path / "served.journal", port)

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_for(answers)
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.kill()
        server.communicate(timeout=TIMEOUT_S)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["journal", "postgresql", "grpc"])
def test_four_processes_search_together_though_one_is_killed(tmp_path, kind, request):
    (tmp_path / "log").mkdir()
    storage = kind if kind == "journal" else request.getfixturevalue(kind)
    begin_one = [PROGRAMS / "shared_search.py", tmp_path, storage, "24"]
    searches = [begin(*begin_one) for _ in range(4)]
    begun = tmp_path / "begun"
    wait_for(lambda: begun.exists() and len(begun.read_text().splitlines()) >= 10)
    victim = int(begun.read_text().splitlines()[-1].split()[1])
    [killed] = [s for s in searches if s.pid == victim]
    killed.kill()
    killed.communicate(timeout=TIMEOUT_S)
    found = [finished(finish(s)) for s in searches if s is not killed]
    assert sum(map(bool, found)) == 3, "each of the others has done some"

    last = finish(begin(*begin_one))  # runs again what the one that was killed had begun
    ended = {int(line.split()[1]): line.split()[2] for line in last if line.startswith("done")}
    assert ended == dict.fromkeys(range(24), "complete")
    names = [line.split()[0] for line in begun.read_text().splitlines()]
    assert len(set(names)) == len(names), "no trial was begun twice"
    again = [name for name in names if "again" in name]
    assert len(again) == 1
    assert len(names) - len(again) == 24
