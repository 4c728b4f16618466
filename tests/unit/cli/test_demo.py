"""Tests for `tapeflow demo`: what it logs, what it says, and that it can be stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapeflow import summary
from tapeflow.board import app
from tapeflow.cli import demo, main
from tapeflow.summary.kinds.embeddings import read_embeddings
from tapeflow.summary.trials import read_experiment, read_trial


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that needs no building."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<script src="./assets/index.js"></script>')
    (folder / "assets" / "index.js").write_text("")
    monkeypatch.setattr(app, "STATIC", folder)
    monkeypatch.setattr(demo, "STATIC", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return folder


@pytest.mark.usefixtures("page")
def test_it_trains_logs_and_every_panel_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["demo", "--quick", "--trials", "1", "--check", "--live", "--port", "0"]
    code = main([*arguments, "--logdir", str(tmp_path / "logs")])
    said = capsys.readouterr()
    assert code == 0, said.out + said.err
    assert re.search(r"It reads \d+\.\d% of the test digits\.", said.out)
    assert re.search(r" 1 of 1: learning_rate \S+, units \d+, dropout \S+ \.+ \d+\.\d%", said.out)
    assert "The best is trial 1" in said.out
    assert re.search(r"TapeFlow board at http://127\.0\.0\.1:\d+/", said.out)
    for title in ("The page", "Scalars", "Images", "Audio", "Text", "Tables", "Video"):
        assert f"  ok  {title}: " in said.out
    (folder,) = (tmp_path / "logs").iterdir()
    logged = summary.read(folder / "cnn" / "validation")
    assert {"about", "confusion", "confusion/image", "guesses", "is it an eight/pr_curves", "scores"} <= set(
        logged
    )
    assert logged["confusion"].values[-1].sum() == 360
    assert len(logged["confusion"]) == 3
    assert "batch_loss" in summary.read(folder / "cnn" / "train")
    assert summary.profile.read(folder / "cnn").steps
    points = read_embeddings(folder / "cnn" / "validation")
    assert {point.step for point in points} == {0, 1, 2}
    trial = read_trial(summary.read(folder / "search" / "trial 01"))
    assert trial is not None
    assert (set(trial.hparams), trial.status) == ({"learning_rate", "units", "dropout"}, "success")
    experiment = read_experiment(summary.read(folder / "search"))
    assert experiment is not None
    assert {hparam.name for hparam in experiment.hparams} == set(trial.hparams)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--port", "70000"], 2, "tapeflow demo: --port expected a number from 0 to 65535; got 70000."),
        (["--trials", "99"], 2, "tapeflow demo: --trials expected a number from 0 to 36; got 99."),
        (
            ["--check", "--no-board"],
            2,
            "--check and --live expected a board to look at; got --no-board, too.",
        ),
        (
            ["--logdir", "file/logs"],
            1,
            "--logdir file/logs cannot be written to: Not a directory. Name another folder.",
        ),
    ],
    ids=["port", "trials", "board", "logdir"],
)
@pytest.mark.usefixtures("page")
def test_wrong_arguments_raise(
    arguments: list[str],
    code: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert main(["demo", *arguments]) == code
    assert text in capsys.readouterr().err


def test_an_unbuilt_page_is_said_before_the_training(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (page / "index.html").unlink()
    (tmp_path / "file").touch()
    assert main(["demo", "--logdir", str(tmp_path / "file")]) == 1
    assert "The board's page is not built here: `tapeflow doctor` says how" in capsys.readouterr().err


def test_interrupted_it_says_where_things_are_and_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tapeflow.cli", "demo", "--no-board", "--logdir", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    try:
        while not process.stdout.readline().startswith("Epoch 1"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert re.fullmatch(
        rf"\nStopped\. What was logged until now is in {re.escape(str(tmp_path))}/demo-[\d-]+\n", errors
    )
