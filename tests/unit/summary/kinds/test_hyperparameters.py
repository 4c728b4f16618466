"""`hparams`: what is written, what is read back, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.hparam_domains import Discrete, HParam, Metric
from tapeflow.summary.kinds.hyperparameters import (
    hparams_config_pb,
    normal_hparams,
    session_end_pb,
    write_summary,
)
from tapeflow.summary.trials import MetricInfo, read_experiment, read_trial


def test_a_trial_with_results(writer: FileWriter) -> None:
    with writer.as_default():
        values = {"units": 64, HParam("rate"): np.float32(0.5), "name": "x", "on": True}
        assert summary.hparams(values, metrics={"accuracy": tf.constant(0.75)}, start_time_secs=5.0)
        write_summary(session_end_pb(2, 8.0))
    run = summary.read(writer.logdir)
    trial = read_trial(run)
    assert trial is not None
    assert trial.hparams == {"units": 64, "rate": 0.5, "name": "x", "on": True}
    assert (trial.start_time, trial.end_time, trial.status) == (5.0, 8.0, "failure")
    assert run["accuracy"].values.tolist() == [0.75]
    experiment = read_experiment(run)
    assert experiment is not None
    assert {h.name: h.type for h in experiment.hparams} == {
        "units": "float",
        "rate": "float",
        "name": "string",
        "on": "bool",
    }
    assert experiment.metrics == [MetricInfo("accuracy", "", "", "")]


def test_results_take_the_default_step_and_the_name_scope(writer: FileWriter) -> None:
    with writer.as_default(step=7), tf.name_scope("final"):
        summary.hparams({"a": 1}, metrics={"accuracy": 0.5})
    run = summary.read(writer.logdir)
    assert run["final/accuracy"].steps.tolist() == [7]
    experiment = read_experiment(run)
    assert experiment is not None
    assert experiment.metrics[0].tag == "final/accuracy"


def test_metrics_may_be_named_only(writer: FileWriter) -> None:
    with writer.as_default():
        summary.hparams({"a": 1}, metrics=["loss", Metric("accuracy", group="validation")])
    run = summary.read(writer.logdir)
    experiment, trial = read_experiment(run), read_trial(run)
    assert experiment is not None
    assert trial is not None
    assert [(m.group, m.tag) for m in experiment.metrics] == [("", "loss"), ("validation", "accuracy")]
    assert (trial.status, trial.end_time) == ("running", None)
    assert set(run) == {"_hparams_/experiment", "_hparams_/session_start_info"}


def test_an_experiment_is_read_back(writer: FileWriter) -> None:
    from tapeflow.summary.kinds.hparam_domains import IntInterval, RealInterval

    hparams = [
        HParam("a", Discrete([2, 1]), "A", "about"),
        HParam("b", IntInterval(1, 3)),
        HParam("c", RealInterval(0.5, 2.5)),
        HParam("d", Discrete(["x"])),
    ]
    with writer.as_default():
        write_summary(hparams_config_pb(hparams, [Metric("loss", display_name="Loss")]))
    found = read_experiment(summary.read(writer.logdir))
    assert found is not None
    a, b, c, d = found.hparams
    assert a == ("a", "A", "about", "float", [1, 2], None)
    assert (b.interval, c.interval, d.values, d.type) == ((1, 3), (0.5, 2.5), ["x"], "string")
    assert found.metrics == [MetricInfo("loss", "", "Loss", "")]


def test_equal_values_are_one_trial_unless_it_is_named(writer: FileWriter) -> None:
    groups = []
    for values, name in (({"a": 1, "b": 2}, None), ({"b": 2, "a": 1}, None), ({"a": 2}, None), ({}, "mine")):
        made = summary.create_file_writer(f"{writer.logdir}/{len(groups)}")
        with made.as_default():
            summary.hparams(values, trial_id=name)
        made.close()
        trial = read_trial(summary.read(f"{writer.logdir}/{len(groups)}"))
        assert trial is not None
        groups.append(trial.group)
    assert groups[0] == groups[1] != groups[2]
    assert groups[3] == "mine"


def test_runs_without_hyperparameters(writer: FileWriter) -> None:
    with writer.as_default():
        summary.scalar("a", 1.0, step=0)
        summary.write("_hparams_/session_start_info", 1.0, step=0)  # not what the tag promises
    run = summary.read(writer.logdir)
    assert read_trial(run) is None
    assert read_experiment(run) is None


def test_without_a_writer_wrong_values_are_still_refused() -> None:
    assert summary.hparams({"a": 1}) is False
    with pytest.raises(
        TypeError, match=r"a bool, a number or a string.*got a=\[1\] of unsupported type list"
    ):
        summary.hparams({"a": [1]})


@pytest.mark.parametrize(
    "value", [np.int64(3), np.array(3), tf.constant(3)], ids=["numpy", "array", "tensor"]
)
def test_single_numbers_are_values(value: Any) -> None:
    found = normal_hparams({"a": value})["a"]
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize(
    ("hparams", "trial_id", "error", "text"),
    [
        ({HParam("a"): 1, "a": 2}, None, ValueError, "multiple values specified for hparam 'a'"),
        ({3: 1}, None, TypeError, "names or HParam objects as keys; got 3 of type int"),
        ({"a": None}, None, TypeError, "got a=None of unsupported type NoneType"),
        ({"a": np.zeros(2)}, None, TypeError, "of unsupported type ndarray"),
        ({"a": 1}, 7, TypeError, "`trial_id` should be one; got 7"),
    ],
    ids=["twice", "key", "none", "array", "trial_id"],
)
def test_wrong_arguments_raise(hparams: Any, trial_id: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        summary.hparams(hparams, trial_id=trial_id)
