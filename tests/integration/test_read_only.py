"""A folder that may not be written to: one clear error, or a warning where training goes on, and nothing left behind.

Somebody who may do everything is made to respect permissions: the program runs without that capability, and the folder
is somebody else's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "programs" / "read_only.py"
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
ADVICE = (
    "Permission denied (a file is written beside its place first: choose a folder that may be written to)"
)


# A superuser is one no more, as far as files go, in the program that takes the place of this one. The test's own
# process has JAX's threads, and must not run Python between fork and exec.
RESPECT_PERMISSIONS = f"""
import ctypes, os, sys
if os.getuid() == 0 and ctypes.CDLL(None).prctl({_PR_CAPBSET_DROP}, {_CAP_DAC_OVERRIDE}, 0, 0, 0):
    sys.exit(77)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python where `folder` may not be written to."""
    if not sys.platform.startswith("linux"):
        pytest.skip("permissions of Linux")
    if os.getuid() == 0:
        os.chown(folder, 1, 1)
    folder.chmod(0o555)
    try:
        found = subprocess.run(
            [sys.executable, "-c", RESPECT_PERMISSIONS, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **environment},
        )
    finally:
        folder.chmod(0o755)
    if found.returncode == 77:
        pytest.skip("permissions cannot be enforced here")
    assert list(folder.iterdir()) == []
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("folder")
    found = run(folder, str(PROGRAM), str(folder))
    assert found.returncode == 0, found.stderr
    return {
        name: {
            key: json.loads(json.dumps(value).replace(str(folder), "FOLDER")) for key, value in each.items()
        }
        for name, each in json.loads(found.stdout).items()
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(
            (name, name)
            for name in ("model.keras", "model.h5", "a.weights.h5", "a.h5", "a.safetensors", "exported")
        ),
        ("model", "model/model.keras"),
        ("weights", "weights.safetensors"),
        ("ckpt-1", "ckpt-1.safetensors"),
        ("ckpt-1 on a thread", "ckpt-1.safetensors"),
        ("managed", "managed/ckpt-1.safetensors"),
        ("ModelCheckpoint", "best.keras"),
        ("ModelCheckpoint, by batches", "best.h5"),
    ],
)
def test_what_is_saved(name: str, path: str, outcomes: dict[str, dict[str, Any]]) -> None:
    assert outcomes[name]["raised"] == f"PermissionError: [Errno 13] {ADVICE}: 'FOLDER/{path}'"
    assert outcomes[name]["told"] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CSVLogger", "PermissionError: [Errno 13] Permission denied: 'FOLDER/log.csv'"),
        ("profile", "PermissionError: [Errno 13] Permission denied: 'FOLDER/logs'"),
        (
            "cache",
            "PermissionDeniedError: tf.data.Dataset.cache expected a file that can be used: FOLDER/cache; ",
        ),
        (
            "dataset",
            "PermissionDeniedError: tf.data.Dataset.save expected a file that can be used: FOLDER/dataset; ",
        ),
        (
            "a.tfrecord",
            "PermissionDeniedError: tf.io.TFRecordWriter expected a file that can be used: FOLDER/",
        ),
    ],
)
def test_what_else_is_written(name: str, text: str, outcomes: dict[str, dict[str, Any]]) -> None:
    assert outcomes[name]["raised"].startswith(text)
    assert " while handling " not in outcomes[name]["raised"]


@pytest.mark.parametrize("name", ["BackupAndRestore", "BackupAndRestore, below"])
def test_training_goes_on_without_a_backup(name: str, outcomes: dict[str, dict[str, Any]]) -> None:
    assert outcomes[name]["raised"] is None
    assert len(set(outcomes[name]["told"])) == 1
    assert "Training goes on; the last backup that was written stays." in outcomes[name]["told"][0]


@pytest.mark.parametrize("name", ["TensorBoard", "summaries"])
def test_training_goes_on_without_event_files(name: str, outcomes: dict[str, dict[str, Any]]) -> None:
    assert outcomes[name]["raised"] is None
    assert outcomes[name]["said"].count("event files could not be written: Permission denied") == 1
    assert "could not be written and are lost" in outcomes[name]["said"]


def test_no_place_for_compiled_programs(tmp_path: Path) -> None:
    code = "import tapeflow as tf; print(float(tf.sin(tf.Variable(0.0)) + 1))"
    found = run(tmp_path, "-c", code, TAPEFLOW_CACHE=str(tmp_path / "below"))
    assert found.stdout == "1.0\n"
    assert found.stderr.count("Warning") == 1
    assert f"Compiled programs cannot be kept in '{tmp_path}/below' (Permission denied)" in found.stderr
    found = run(tmp_path, "-c", code, TAPEFLOW_CACHE=str(tmp_path))
    assert (found.stdout, found.stderr) == ("1.0\n", "")
