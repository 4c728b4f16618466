"""`tf.summary.open`: runs as tables."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from tapeflow import summary


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for rate in (0.1, 0.01):
        with summary.create_file_writer(tmp_path / f"lr={rate}").as_default():
            summary.hparams({"lr": rate, "optimizer": "adam"})
        with summary.create_file_writer(tmp_path / f"lr={rate}" / "train").as_default():
            for step in range(3):
                summary.scalar("loss", rate * 10 - step, step=step)
    return tmp_path


def test_a_row_a_run(logs: Path) -> None:
    found = summary.open(logs)
    assert list(found) == ["lr=0.01", "lr=0.01/train", "lr=0.1", "lr=0.1/train"]
    frame = found.to_pandas()
    assert frame.loc["lr=0.1/train", "loss"] == -1
    assert frame.loc["lr=0.1/train", "hparams.lr"] == 0.1  # logged in the folder above
    assert found.to_pandas("max").loc["lr=0.1/train", "loss"] == 1
    assert found["lr=0.1/train"]["loss"].steps.tolist() == [0, 1, 2]


def test_series_of_all_runs_and_what_is_new(logs: Path) -> None:
    found = summary.open(logs)
    frame = found.series("loss")
    assert list(frame.columns) == ["run", "step", "wall_time", "value"]
    assert len(frame) == 6
    assert frame[frame.run == "lr=0.1/train"].value.tolist() == [1, 0, -1]
    with summary.run("later", logs, seed=3) as run:
        summary.scalar("loss", 7.0, step=0)
    found.refresh()
    assert len(found.series("loss")) == 7
    name = Path(run.logdir).name
    assert found.to_pandas().loc[name, "state"] == "finished"


def test_the_folder_itself_is_a_run(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path).as_default():
        summary.scalar("loss", 1.0, step=0)
    assert list(summary.open(tmp_path)) == ["."]
    assert len(summary.open(tmp_path)["."]["loss"]) == 1


def test_wrong_arguments_raise(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="open expected a folder; got logdir='nowhere'"):
        summary.open("nowhere")
    found = summary.open(logs)
    with pytest.raises(KeyError, match="'x' is no run of"):
        found["x"]
    with pytest.raises(KeyError, match="no run of .* has a scalar 'acc'"):
        found.series("acc")
    with pytest.raises(ValueError, match="expected value to be 'last', 'min' or 'max'; got value='mean'"):
        found.to_pandas("mean")

    def refuse(name: str, *args: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("tapeflow.summary.logs.import_module", refuse)
    with pytest.raises(ImportError, match="to_pandas expected pandas, which is not installed"):
        found.to_pandas()
    assert builtins.open is not summary.open
