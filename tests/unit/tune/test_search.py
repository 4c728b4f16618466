"""`tune.search`: what is run, what is kept, what is said."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import optuna
import pytest

import tapeflow as tf
from tapeflow import tune
from tapeflow.plugins.hparams import api as hp
from tapeflow.summary import trials as read

X = hp.HParam("x", hp.RealInterval(-1.0, 1.0))
N = hp.HParam("n", hp.IntInterval(1, 4))
KIND = hp.HParam("kind", hp.Discrete(["a", "b"]))


def bowl(trial):
    """Least at x = 0.5."""
    return (trial[X] - 0.5) ** 2


def in_worker(trial):
    """Where it ran, and with how many threads; trial 1 raises, trial 2 is pruned, trial 3 kills its process."""
    if trial.number == 1:
        raise ValueError("an unlucky number")
    if trial.number == 3:
        os._exit(7)
    trial.report(trial["x"], 0)
    if trial.number == 2:
        raise tune.Pruned
    return {"objective": trial["x"] ** 2, "pid": os.getpid(), "threads": float(os.environ["PJRT_NPROC"])}


@pytest.fixture
def search(tmp_path):
    """A quiet search that is kept in memory: making a database takes longer than the trials."""
    storage = optuna.storages.InMemoryStorage()
    given = {"logdir": tmp_path, "storage": storage, "verbose": False}
    return lambda *arguments, **options: tune.search(*arguments, **{**given, **options})


def states(result):
    return [t.outcome for t in result.trials]


def read_trial(path):
    return read.read_trial(tf.summary.read(path))


def test_a_search_finds_the_better_values(tmp_path, capsys):
    result = tune.search(bowl, [X], trials=8, sampler="random", logdir=tmp_path, seed=1)
    assert states(result) == ["complete"] * 8
    assert result.best.value == min(t.value for t in result.trials) == (result.best.hparams["x"] - 0.5) ** 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    assert re.fullmatch(
        r"1/8  trial 0: objective \S+, with x \S+, \S+ s; best \S+ \(trial 0\); about \S+ s left", lines[0]
    )
    assert lines[-1].startswith("8/8  trial 7: objective ")
    assert lines[-1].endswith(f"best {result.best.value:.6g} (trial {result.best.number})")


def test_every_trial_is_a_run_with_its_values_and_how_it_ended(search, tmp_path):
    def train(trial):
        assert trial.name == f"trial-{trial.number:03d}"
        assert dict(trial) == dict(zip(("x", "kind"), (trial["x"], trial[KIND]), strict=True))
        tf.summary.scalar("mine", 3.0, step=0)
        for step in range(3):
            trial.report(step * 10.0)
        if trial.number == 1:
            raise tune.Pruned("enough")
        if trial.number == 2:
            raise ValueError("too bad")
        return {"score": 20.0 + trial.number, "other": 1.0, "note": "text"}

    result = search(train, [X, KIND], trials=4, metric="score")
    assert states(result) == ["complete", "pruned", "failed", "complete"]
    assert result.direction == "maximize"
    assert result.best.number == 3
    assert result.best.metrics == {"score": 23.0, "other": 1.0}
    runs = [tf.summary.read(tmp_path / f"trial-{n:03d}") for n in range(4)]
    found = [read.read_trial(run) for run in runs]
    assert [t.status for t in found] == ["success", "unknown", "failure", "success"]
    assert [t.hparams for t in found] == [t.hparams for t in result.trials]
    assert len({t.group for t in found}) == 4
    assert list(runs[0]["score"].values) == [0.0, 10.0, 20.0]  # what was returned had been reported
    assert list(runs[3]["score"].values) == [0.0, 10.0, 20.0, 23.0]
    assert runs[3]["score"].steps[-1] == 3
    assert list(runs[1]["score"].values) == [0.0, 10.0, 20.0]
    assert list(runs[0]["mine"].values) == [3.0]
    assert list(runs[0]["other"].values) == [1.0]
    assert result.trials[1].value == 20.0
    assert "ValueError: too bad" in str(runs[2]["outcome"].values[0])
    experiment = read.read_experiment(tf.summary.read(tmp_path))
    assert [h.name for h in experiment.hparams] == ["x", "kind"]
    assert [m.tag for m in experiment.metrics] == ["score"]


def test_a_search_goes_on_without_repeating(search, tmp_path, capsys):
    whole = search(
        bowl, [X, KIND], trials=7, sampler="random", logdir=tmp_path / "whole", name="whole", seed=3
    )
    run = []

    def counting(trial):
        run.append(trial.number)
        return bowl(trial)

    arguments = {"sampler": "random", "logdir": tmp_path / "parts", "seed": 3, "verbose": True}
    search(counting, [X, KIND], trials=3, **arguments)
    capsys.readouterr()
    parts = search(counting, [X, KIND], trials=7, **arguments)
    assert run == list(range(7))
    assert [t.hparams for t in parts.trials] == [t.hparams for t in whole.trials]
    assert (
        capsys.readouterr().out.splitlines()[0] == f"going on in {tmp_path / 'parts'}: 3 of 7 trials are done"
    )
    assert len(search(counting, [X, KIND], trials=7, **arguments).trials) == 7
    assert len(run) == 7


@pytest.mark.parametrize("storage", [None, "journal"])
def test_an_interrupted_trial_is_run_again(tmp_path, storage, capsys):
    def train(trial):
        if trial.number == 2 and not (tmp_path / "trial-002-again-1").exists():
            raise KeyboardInterrupt
        return bowl(trial)

    arguments = {"sampler": "random", "logdir": tmp_path, "storage": storage, "seed": 0}
    with pytest.raises(KeyboardInterrupt):
        tune.search(train, [X], trials=4, **arguments)
    assert (tmp_path / ("tune.journal" if storage else "tune.db")).exists()
    assert read_trial(tmp_path / "trial-002").status == "failure"
    result = tune.search(train, [X], trials=4, **arguments)
    assert states(result) == ["complete"] * 4
    assert result.trials[2].logdir == str(tmp_path / "trial-002-again-1")
    again, lost = (read_trial(tmp_path / name) for name in ("trial-002-again-1", "trial-002"))
    assert (again.status, again.hparams) == ("success", lost.hparams)


def test_a_grid_is_tried_once_over(search, tmp_path):
    result = search(lambda trial: trial["n"], [N, KIND], sampler="grid")
    assert [t.hparams for t in result.trials] == [
        {"n": n, "kind": k} for n in (1, 2, 3, 4) for k in ("a", "b")
    ]
    part = search(
        lambda trial: trial["n"],
        [N, KIND],
        trials=3,
        sampler="grid",
        logdir=tmp_path / "part",
        name="part",
        first={"n": 3, "kind": "b"},
    )
    assert [tuple(t.hparams.values()) for t in part.trials] == [(3, "b"), (1, "a"), (1, "b")]


def test_what_is_in_use_can_be_tried_first(search):
    result = search(bowl, [X, N], trials=3, first=[{X: 0.25, "n": 2}, {"n": 4}])
    assert result.trials[0].hparams == {"x": 0.25, "n": 2}
    assert result.trials[1].hparams["n"] == 4


def test_an_optuna_sampler_and_pruner_are_used(search):
    sampler = optuna.samplers.RandomSampler(seed=1)
    pruner = optuna.pruners.ThresholdPruner(upper=0.5)

    def train(trial):
        trial.report(trial.number)
        return trial[X]

    result = search(train, [X], trials=3, sampler=sampler, pruner=pruner)
    assert states(result) == ["complete", "pruned", "pruned"]
    assert result.study.sampler is sampler


@pytest.mark.parametrize("pruner", ["median", "halving", "hyperband"])
def test_a_pruner_by_name(search, pruner):
    def train(trial):
        for step in range(6):
            trial.report(float(trial.number), step)
        return float(trial.number)

    result = search(train, [X], trials=12, pruner=pruner, seed=0)
    assert states(result)[0] == "complete"
    assert "pruned" in states(result)


def test_a_seed_gives_every_trial_the_same_random_numbers(search, tmp_path):
    result = search(
        lambda trial: tf.random.normal([]), [X], trials=2, seed=5, sampler="random", logdir=tmp_path
    )
    assert result.trials[0].value == result.trials[1].value
    assert result.trials[0].hparams != result.trials[1].hparams


def test_the_first_failure_ends_the_search(search, tmp_path):
    def train(trial):
        return 1.0 if (tmp_path / "mended").exists() else 1 / 0

    with pytest.raises(
        RuntimeError, match="expected train_fn to end well .*; got ZeroDivisionError: .*retry_failed"
    ):
        search(train, [X], trials=3)
    (tmp_path / "mended").touch()
    left = search(train, [X], trials=3)
    assert states(left) == ["failed", "complete", "complete"]
    mended = search(train, [X], trials=3, retry_failed=True)
    assert states(mended) == ["complete"] * 3
    assert mended.trials[0].hparams == left.trials[0].hparams


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (
            None,
            "expected train_fn to return a number, a dict of numbers or the History of fit; got objective=None",
        ),
        ({"loss": 1.0}, "expected train_fn to return 'objective'; got loss"),
        (math.nan, "expected train_fn to return a number; got objective=nan"),
    ],
    ids=["nothing", "another metric", "nan"],
)
def test_what_is_no_result(search, returned, text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        search(lambda trial: returned, [X], trials=1)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"trials": 0}, "expected how many trials to run, at least 1; got trials=0"),
        ({}, "expected how many trials to run, at least 1; got trials=None"),
        ({"trials": 1, "sampler": "best"}, "expected sampler to be one of 'random', 'grid', 'tpe'"),
        ({"trials": 1, "pruner": "best"}, "expected pruner to be one of 'median', 'halving', 'hyperband'"),
        (
            {"trials": 1, "direction": "up"},
            "expected direction to be 'maximize' or 'minimize'; got direction='up'",
        ),
        ({"trials": 1, "workers": 0}, "expected at least one worker; got workers=0"),
        (
            {"trials": 1, "storage": "nosuch://me:secret@host"},
            "that can be reached; got one of nosuch://: Can't load",
        ),
        (
            {"trials": 1, "storage": "sqlite:////no/such/a.db"},
            "of sqlite://: (sqlite3.OperationalError) unable",
        ),
        ({"trials": 1, "storage": "file.txt"}, "expected storage to be None, 'journal', a path ending with"),
        (
            {"trials": 1, "first": {"x": 3.0}},
            "tune.search(first=...) expected a value of RealInterval(-1.0, 1.0)",
        ),
        ({"trials": 1, "workers": 2}, "expected train_fn to be a function of a module"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_arguments_that_make_no_sense(tmp_path, arguments, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        tune.search(lambda trial: 0.0, [X], logdir=tmp_path, **arguments)


def test_a_search_that_was_begun_differently_is_refused(search):
    search(bowl, [X], trials=1)
    with pytest.raises(
        ValueError, match="expected the space with which 'search' was started, .*another logdir or name"
    ):
        search(bowl, [X, N], trials=2)
    with pytest.raises(
        ValueError, match="expected the direction with which 'search' was started, \"minimize\"; got"
    ):
        search(bowl, [X], trials=2, direction="max")
    assert len(search(bowl, [X, N], trials=2, name="other").trials) == 2


def test_workers_run_trials_in_processes_of_their_own(search, tmp_path, capfd):
    result = search(
        in_worker, [X], trials=6, sampler="random", first={"x": 0.0}, seed=0, workers=2, verbose=True
    )
    assert states(result) == ["complete", "failed", "pruned", "failed", "complete", "complete"]
    assert result.trials[3].error == "the worker process ended with exit code 7"
    assert result.best.number == 0
    complete = [t for t in result.trials if t.outcome == "complete"]
    assert os.getpid() not in {t.metrics["pid"] for t in complete}
    assert {t.metrics["threads"] for t in complete} == {max(1, (os.cpu_count() or 1) // 2)}
    statuses = [read_trial(tmp_path / f"trial-{n:03d}").status for n in range(6)]
    assert statuses == ["success", "failure", "unknown", "failure", "success", "success"]
    assert "trial 1: failed (ValueError: an unlucky number)" in capfd.readouterr().out


def test_searches_that_share_a_storage_share_the_trials(tmp_path):
    run, storage = [], f"sqlite:///{tmp_path / 'shared.db'}"

    def train(trial):
        run.append(trial.number)
        return bowl(trial)

    def search():
        tune.search(train, [X], trials=12, sampler="random", logdir=tmp_path, storage=storage, verbose=False)

    search_threads = [threading.Thread(target=search) for _ in range(2)]
    tune.search(train, [X], trials=1, sampler="random", logdir=tmp_path, storage=storage, verbose=False)
    for thread in search_threads:
        thread.start()
    for thread in search_threads:
        thread.join()
    assert sorted(run) == list(range(12))


def test_keras_models_report_and_are_pruned(search):
    (x, y), test = tf.keras.datasets.digits.load_data()

    def train(trial):
        model = tf.keras.Sequential(
            [tf.keras.layers.Flatten(), tf.keras.layers.Dense(10, activation="softmax")]
        )
        model.compile(tf.keras.optimizers.SGD(trial["rate"]), "sparse_categorical_crossentropy", ["accuracy"])
        return model.fit(
            x[:320], y[:320], epochs=3, validation_data=test, verbose=0, callbacks=[tune.Report(trial)]
        )

    result = search(
        train,
        {"rate": hp.Discrete([0.0, 0.001, 0.003, 0.01])},
        trials=6,
        sampler="random",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=2),
        metric="val_accuracy",
        first=[{"rate": 0.003}, {"rate": 0.001}, {"rate": 0.0}],
        seed=0,
    )
    assert states(result)[:3] == ["complete", "complete", "pruned"]
    assert set(result.best.metrics) == {"loss", "accuracy", "val_loss", "val_accuracy"}
    assert result.best.value > 0.2
    assert len(tf.summary.read(result.best.logdir)["val_accuracy"].values) == 3


def test_report_says_what_it_misses(tmp_path):
    trial = tune.Trial(_job(tmp_path), lambda value, step: False)
    with pytest.raises(KeyError, match="tune.Report expected 'loss' among the logs; got acc"):
        tune.Report(trial).on_epoch_end(0, {"acc": 1.0})
    with pytest.raises(TypeError, match="tune.Report expected the trial that tune.search gave; got trial=3"):
        tune.Report(3)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="trial expected one of the hyperparameters x; got 'y'"):
        trial["y"]
    assert repr(trial) == "Trial(0: x=1.0)"


def test_a_result_is_a_table(search, tmp_path):
    result = search(lambda t: t["n"], [N], trials=4, sampler="grid")
    head, *rows = result.table(2).splitlines()
    assert head.split() == ["trial", "objective", "n", "outcome", "time"]
    assert [row.split()[:4] for row in rows] == [["0", "1", "1", "complete"], ["1", "2", "2", "complete"]]
    assert repr(result) == "<Result: 4 trials, best objective 1>"
    assert result.rows()[0]["logdir"] == str(tmp_path / "trial-000")


def test_a_search_in_which_nothing_was_completed(search):
    def train(trial):
        raise tune.Pruned

    result = search(train, [X], trials=2)
    with pytest.raises(ValueError, match="expected a trial that was completed; got 2 pruned and 0 failed"):
        result.best  # noqa: B018
    assert repr(result) == "<Result: 2 trials, no trial completed>"


def test_only_tune_imports_optuna():
    code = "import sys, tapeflow.keras, tapeflow.tune; sys.exit('optuna' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys; sys.modules['optuna'] = None; from tapeflow.tune import search"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "expected Optuna to be installed; got no module 'optuna'" in done.stderr
    assert "pip install 'tapeflow[tune]'" in done.stderr


def _job(folder: Path):
    from tapeflow.tune.trial import Job

    return Job(0, str(folder), {"x": 1.0}, "loss", None)
