"""`tapeflow launch`: local processes of one script, their output, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tapeflow.cli import main

WAITING = """
import os, pathlib, signal, sys, time
rank = os.environ["RANK"]
pathlib.Path(f"pid{rank}").write_text(str(os.getpid()))
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
while len(list(pathlib.Path().glob("pid*"))) < 2:
    time.sleep(0.01)
if rank == "1" and "fail" in sys.argv:
    sys.exit(7)
if rank == "1" and "die" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
print("waiting", flush=True)
time.sleep(60)
"""


def launch(folder: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    (folder / "script.py").write_text(program)
    rest = [a for a in arguments if a.isalpha()]  # the script's own
    first = [a for a in arguments if a not in rest]
    return subprocess.Popen(
        [sys.executable, "-m", "tapeflow.cli", "launch", *first, "script.py", *rest],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, out, err


def is_gone(folder: Path, rank: int) -> bool:
    """Whether a worker has ended; it may take a moment until the kernel has put it away."""
    pid = int((folder / f"pid{rank}").read_text())
    limit = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def test_lines_have_the_number_of_their_process(tmp_path: Path) -> None:
    program = (
        "import json, os, sys, tensorflow as tf\n"
        "names = 'RANK', 'LOCAL_RANK', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE', 'MASTER_ADDR'\n"
        "print(json.dumps([[os.environ[n] for n in names], sys.argv, tf.__name__]))\n"
        "config = json.loads(os.environ['TF_CONFIG'])\n"
        "print(len(set(config['cluster']['worker'])), config['task'])\n"
        "print('to stderr', file=sys.stderr)\n"
        "sys.stdout.write('no newline')\n"
    )
    (tmp_path / "script.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow.cli", "launch", "-n", "2", "script.py", "--epochs", "5"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    code, out, err = done.returncode, done.stdout, done.stderr
    assert (code, sorted(err.splitlines())) == (0, ["[0] to stderr", "[1] to stderr"])
    for rank in range(2):
        lines = [line[4:] for line in out.splitlines() if line.startswith(f"[{rank}] ")]
        environment, arguments, name = json.loads(lines[0])
        assert environment == [str(rank), str(rank), "2", "2", "127.0.0.1"]
        assert arguments == ["script.py", "--epochs", "5"]
        assert name.startswith(("tensorflow", "tapeflow"))
        assert lines[1:] == [f"2 {{'type': 'worker', 'index': {rank}}}", "no newline"]


@pytest.mark.parametrize(
    ("word", "code", "text"),
    [
        ("fail", 7, "process 1 failed with exit code 7; ending process 0"),
        ("die", 137, "process 1 was ended by SIGKILL; ending process 0"),
    ],
)
def test_the_first_failure_ends_all(tmp_path: Path, word: str, code: int, text: str) -> None:
    got, _, err = end(launch(tmp_path, WAITING, "-n", "2", word))
    assert got == code
    assert f"tapeflow launch: {text}" in err
    assert is_gone(tmp_path, 0)


def test_stubborn_processes_are_killed_after_the_grace(tmp_path: Path) -> None:
    got, _, err = end(launch(tmp_path, WAITING, "-n", "2", "--grace", "0.5", "fail", "stubborn"))
    assert got == 7
    assert "killing process 0, not ended after 0.5 s" in err
    assert is_gone(tmp_path, 0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_ends_all(tmp_path: Path, number: int, code: int) -> None:
    process = launch(tmp_path, WAITING, "-n", "2", "--restarts", "5")
    assert process.stdout is not None
    assert "waiting" in process.stdout.readline()
    assert "waiting" in process.stdout.readline()
    process.send_signal(number)
    assert end(process)[0] == code
    assert is_gone(tmp_path, 0)
    assert is_gone(tmp_path, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends processes with their parent")
def test_no_process_outlives_the_launcher(tmp_path: Path) -> None:
    process = launch(tmp_path, WAITING, "-n", "2")
    assert process.stdout is not None
    assert "waiting" in process.stdout.readline()
    assert "waiting" in process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    assert is_gone(tmp_path, 0)
    assert is_gone(tmp_path, 1)


def test_restarts(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys\n"
        "if os.environ['RANK'] == '1':\n"
        "    tries = pathlib.Path('tries')\n"
        "    count = int(tries.read_text()) if tries.exists() else 0\n"
        "    tries.write_text(str(count + 1))\n"
        "    sys.exit(3 if count < 2 else 0)\n"
    )
    code, _, err = end(launch(tmp_path, program, "-n", "2", "--restarts", "1"))
    assert (code, (tmp_path / "tries").read_text()) == (3, "2")
    assert "starting all 2 processes again, restart 1 of 1" in err
    code, _, _ = end(launch(tmp_path, program, "-n", "2", "--restarts", "1"))
    assert (code, (tmp_path / "tries").read_text()) == (0, "3")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["-n", "0", "x.py"], 2, "-n expected 1 to 512 processes; got 0"),
        (["-n", "2", "--restarts", "-1", "x.py"], 2, "--restarts expected 0 or more; got -1"),
        (["-n", "2", "--grace", "-1", "x.py"], 2, "--grace expected 0 or more seconds; got -1"),
        (["-n", "2", "none.py"], 1, "expected a Python script; got 'none.py', which is no file"),
        (["train.py"], 2, "the following arguments are required: -n/--processes"),
    ],
)
def test_usage_errors(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, text: str) -> None:
    assert main(["launch", *arguments]) == code
    assert text in capsys.readouterr().err
