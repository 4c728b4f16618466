"""Programs as TensorFlow's users write them run unchanged, and the report on each says that they will.

Each holds with TensorFlow 2 and Keras 2 as well: `TF_USE_LEGACY_KERAS=1 python program.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow.compat.report import report_on
from tapeflow.compat.usage import usage_of

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
# What these use, the others use too.
LONG = (
    "autoencoder",
    "autograph_guide",
    "csv_columns",
    "cvae",
    "data_augmentation",
    "dcgan",
    "expert_layers",
    "function_guide",
    "graph_readout",
    "image_table",
    "mixed_precision",
    "old_gan",
    "old_optimizers",
    "random_numbers",
    "rnn",
    "saliency",
    "saved_functions",
    "seeded_sequences",
    "transfer",
    "unicode_rows",
)


def _param(path: Path) -> object:
    return pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else [])


@pytest.mark.parametrize("program", [_param(path) for path in PROGRAMS])
def test_runs(program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tapeflow.cli", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "done"


@pytest.mark.usefixtures("no_real_tensorflow")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_report_finds_every_name(program: Path) -> None:
    report = report_on(str(program), usage_of(program.read_text()))
    assert report.missing == []
    assert len(report.findings) > 3
