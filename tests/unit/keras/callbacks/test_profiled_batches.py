"""`TensorBoard(profile_batch=...)`: a profile of exactly these batches, however many run as one program."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.program import counters
from tapeflow.keras.callbacks import Callback, TensorBoard
from tapeflow.profiler import session
from tapeflow.summary.profile import find, read

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
Y = X @ np.array([[3.0], [-2.0], [0.5]], np.float32)


def make() -> Any:
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def train(*callbacks: Any, model: Any = None) -> Any:
    """Two epochs of ten batches; without batch hooks each epoch is one program."""
    options = {"batch_size": 4, "epochs": 2, "shuffle": False, "verbose": 0}
    model = make() if model is None else model
    return model.fit(X, Y, callbacks=list(callbacks), **options)


def batches(folder: Path) -> list[int]:
    """The batches in the profile, counted from 1."""
    return [
        number + 1 for step in read(folder).steps for number in range(step.number, step.number + step.count)
    ]


class Hooked(Callback):
    """Makes `fit` run one step at a time."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        pass


@pytest.mark.parametrize(
    ("given", "first", "last"),
    [
        ("2", 2, 2),
        ((1, 3), 1, 3),
        ("4,8", 4, 8),
        pytest.param((10, 10), 10, 10, marks=pytest.mark.slow),
        pytest.param((8, 13), 8, 13, marks=pytest.mark.slow),
        ((19, 99), 19, 20),
    ],
    ids=str,
)
def test_exactly_these_batches_are_profiled(tmp_path: Path, given: Any, first: int, last: int) -> None:
    train(TensorBoard(tmp_path, profile_batch=given))
    assert batches(tmp_path) == list(range(first, last + 1))
    assert len(find(tmp_path)) == 1


def test_so_they_are_one_step_at_a_time(tmp_path: Path) -> None:
    train(TensorBoard(tmp_path, profile_batch=(8, 13)), Hooked())
    assert batches(tmp_path) == list(range(8, 14))
    assert len(read(tmp_path).steps) == 6


@pytest.mark.parametrize("given", [0, 21])
def test_no_other_batches_are(tmp_path: Path, given: int) -> None:
    train(TensorBoard(tmp_path, profile_batch=given))
    assert not find(tmp_path)


def test_a_profile_changes_no_number_and_compiles_no_program(tmp_path: Path) -> None:
    plain = train(TensorBoard(tmp_path / "a")).history["loss"]
    model = make()
    train(model=model)
    model.set_weights(make().get_weights())
    before = counters.compiled
    assert train(TensorBoard(tmp_path / "b", profile_batch=(3, 12)), model=model).history["loss"] == plain
    assert counters.compiled == before
    assert read(tmp_path / "b").breakdown["compile"] == 0


def test_every_fit_counts_anew(tmp_path: Path) -> None:
    callback, model = TensorBoard(tmp_path, profile_batch=2), make()
    train(callback, model=model)
    train(callback, model=model)
    assert len(find(tmp_path)) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_in_fit_stops_the_profile_and_keeps_it(
    tmp_path: Path, error: type[BaseException]
) -> None:
    class Breaks(Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 4:
                raise error

    with pytest.raises(error):
        train(TensorBoard(tmp_path, profile_batch=(2, 15)), Breaks())
    assert not session.is_running()
    assert batches(tmp_path) == [2, 3, 4, 5]


def test_another_profile_goes_on_and_training_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.ERROR, "tapeflow.keras"),
        tf.profiler.experimental.Profile(tmp_path / "mine"),
    ):
        train(TensorBoard(tmp_path / "logs", profile_batch=2))
    assert "TensorBoard could not start to profile" in caplog.text
    assert not find(tmp_path / "logs")
    assert batches(tmp_path / "mine") == list(range(1, 21))


def test_a_profile_that_somebody_else_stopped_is_no_reason_to_stop(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Stops(Hooked):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if session.is_running():
                tf.profiler.experimental.stop()

    with caplog.at_level(logging.ERROR, "tapeflow.keras"):
        train(TensorBoard(tmp_path, profile_batch=(2, 4)), Stops())
    assert "TensorBoard could not write the profile" in caplog.text
    assert batches(tmp_path) == [2]


def test_a_users_own_callback_may_take_the_profile(tmp_path: Path) -> None:
    class Own(Callback):
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            if batch == 3:
                tf.profiler.experimental.start(tmp_path)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 5:
                tf.profiler.experimental.stop()

    make().fit(X, Y, batch_size=4, verbose=0, callbacks=[Own()])
    assert batches(tmp_path) == [4, 5, 6]
