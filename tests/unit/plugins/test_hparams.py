"""`hparams.api`: TensorBoard's names, on the default writer."""

from __future__ import annotations

from tapeflow import summary
from tapeflow.plugins.hparams import api as hp
from tapeflow.summary.files import FileWriter
from tapeflow.summary.trials import read_experiment, read_trial

UNITS = hp.HParam("units", hp.Discrete([16, 32]))


def test_experiment_and_trial(writer: FileWriter) -> None:
    with writer.as_default():
        assert hp.hparams_config(hparams=[UNITS], metrics=[hp.Metric("accuracy")]) is True
        assert hp.hparams({UNITS: 16}, trial_id="first") is True
    run = summary.read(writer.logdir)
    experiment, trial = read_experiment(run), read_trial(run)
    assert experiment is not None
    assert trial is not None
    assert experiment.hparams[0].values == [16, 32]
    assert (trial.hparams, trial.group) == ({"units": 16}, "first")


def test_without_a_writer() -> None:
    assert hp.hparams({UNITS: 16}) is False
    assert hp.hparams_config([UNITS], []) is False
