"""Files with changes at random places: an object or a clear error, in bounded memory and time, and nothing else.

Another process loads them, since what is looked for might take this one with it. It may write in one folder only; an
audit hook ends it if it does anything else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "programs" / "load_mutations.py"
# How many thousand changes of each kind the slow test loads: a million in all, most where loading is quick.
SHARES = {
    "checkpoint": 30,
    "checkpoint_graph": 50,
    "data": 30,
    "dataset_elements": 50,
    "dataset_manifest": 50,
    "events": 60,
    "folder_model": 10,
    "gzip_h5": 20,
    "h5": 20,
    "index": 40,
    "json": 20,
    "keras": 20,
    "keras_config": 20,
    "npy": 60,
    "npz": 50,
    "pickle": 150,
    "safetensors": 50,
    "saved_model": 30,
    "state": 30,
    "tensorflow_model": 100,
    "tfrecord": 50,
    "tfrecord_gzip": 40,
    "weights": 20,
}
PART = 10_000
GROUPS = [",".join(list(SHARES)[i::4]) for i in range(4)]


def load_mutations(kinds: str, first: int, count: int, log: Path, timeout_s: float) -> None:
    """Load so many changed files of each kind."""
    command = [sys.executable, str(SCRIPT), kinds, str(first), str(count), str(log)]
    # Threads take address space; compiled programs and modules are written to caches.
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "TAPEFLOW_CACHE": "off",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        code = subprocess.run(command, capture_output=True, timeout=timeout_s, env=environment).returncode
    except subprocess.TimeoutExpired:
        code = -1
    said = log.read_bytes().decode(errors="replace")
    assert said.endswith("done\n"), (
        f"exit code {code} at change {said[:13].strip()} of {kinds}: {said[13:][-3000:]}"
    )


def test_a_million_changes_are_shared_out_among_all_kinds() -> None:
    listing = "import sys; sys.path.insert(0, sys.argv[1]); import loaders; print(*loaders.KINDS)"
    command = [sys.executable, "-c", listing, str(SCRIPT.parent)]
    kinds = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert kinds == list(SHARES)
    assert sum(SHARES.values()) == 1000


@pytest.mark.parametrize("kinds", GROUPS)
def test_some_changes_of_every_kind(kinds: str, tmp_path: Path) -> None:
    # Among these is an `.h5` file that makes the HDF5 library itself read for ever.
    load_mutations(kinds, 2900, 120, tmp_path / "log", 240)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "part"), [(kind, part) for kind, share in SHARES.items() for part in range(share * 1000 // PART)]
)
def test_a_million_changes(kind: str, part: int, tmp_path: Path) -> None:
    load_mutations(kind, 10_000 + part * PART, PART, tmp_path / "log", 3000)


def test_the_process_that_loads_is_confined(tmp_path: Path) -> None:
    """The watch itself: it ends a process that writes elsewhere, starts another one, or unpickles."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    acts = {
        f"open({str(tmp_path / 'x')!r}, 'w')": "FORBIDDEN open",
        f"os.remove({str(SCRIPT)!r})": "FORBIDDEN os.remove",
        "os.system('true')": "FORBIDDEN os.system",
        "subprocess.run(['true'])": "FORBIDDEN subprocess.Popen",
        "socket.socket().connect(('127.0.0.1', 9))": "FORBIDDEN socket.connect",
        r"pickle.loads(b'cos\nsystem\n.')": "FORBIDDEN pickle.find_class",
        "bytearray(1 << 31)": "MemoryError",
        f"open({str(allowed / 'x')!r}, 'w').close()": "done",
    }
    for act, expected in acts.items():
        program = (
            "import os, pathlib, pickle, socket, subprocess, sys\n"
            f"sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
            "from confinement import Confinement\n"
            f"watch = Confinement(pathlib.Path({str(allowed)!r}), 1)\n"
            f"watch.begin(1 << 30)\n{act}\nwatch.end()\nprint('done')"
        )
        found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert expected in found.stdout + found.stderr, (act, found)
    assert SCRIPT.is_file()
