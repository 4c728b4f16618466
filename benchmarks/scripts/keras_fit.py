"""`fit`, `evaluate` and `predict` as contenders, with any package that has the Keras API.

A round of `fit` is one steady epoch: the training is a single call of `fit` on a thread of its own, which
stands still at the beginning of each epoch until the next round is wanted. What a call of `fit` does once
is therefore no part of any round; what it does for an epoch (shuffling, metrics, logs) is.
"""

import tempfile
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np

from benchmarks.scripts.keras_data import Data, make_data
from benchmarks.scripts.keras_models import load, make_model
from benchmarks.scripts.network_data import make_data as make_network_data
from benchmarks.scripts.network_models import make_network

ENDLESS = 1_000_000


class Epochs:
    """A training that does an epoch when it is told to."""

    def __init__(
        self, keras: Any, make_model: Callable[[], Any], data: Data, callbacks: list[Any] | None = None
    ) -> None:
        self._keras = keras
        self._make_model = make_model
        self._callbacks = callbacks or []
        self._wanted: SimpleQueue[None] = SimpleQueue()
        self._ended: SimpleQueue[float | BaseException] = SimpleQueue()
        self._data = data
        threading.Thread(target=self._train, daemon=True).start()

    def run(self) -> float:
        """Let it do one; its mean loss."""
        self._wanted.put(None)
        loss = self._ended.get()
        if isinstance(loss, BaseException):
            raise loss
        return loss

    def _train(self) -> None:
        wanted, ended = self._wanted, self._ended

        class Gate(self._keras.callbacks.Callback):
            def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
                wanted.get()

            def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
                ended.put(float(logs["loss"]))

        try:
            model, data = self._make_model(), self._data
            model.fit(
                data.x, data.y, data.batch, epochs=ENDLESS, verbose=0, callbacks=[Gate(), *self._callbacks]
            )
        except BaseException as error:  # noqa: BLE001 - it is raised where the epoch is awaited
            ended.put(error)


def fit(
    package: str,
    task: str,
    steps_per_execution: int | None = None,
    is_logged: bool = False,
    backup_every: int | None = None,
) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch.

    Args:
        package: whose Keras.
        task: which model and data.
        steps_per_execution: as for `compile`.
        is_logged: whether the TensorBoard callback writes the scalars of every batch.
        backup_every: after how many batches `BackupAndRestore` saves, if it does.
    """
    data, keras = make_data(task), load(package)
    logging = [keras.callbacks.TensorBoard(tempfile.mkdtemp(), update_freq="batch")] if is_logged else []
    backup = [keras.callbacks.BackupAndRestore(tempfile.mkdtemp(), backup_every)] if backup_every else []
    make = partial(make_model, keras, task, steps_per_execution)
    return rounds(data, Epochs(keras, make, data, [*logging, *backup]))


def fit_network(package: str, task: str) -> Callable[[int], float]:
    """Return `run_steps(count)` for a network of `networks`."""
    data, keras = make_network_data(task), load(package)
    return rounds(data, Epochs(keras, partial(make_network, keras, task), data))


def rounds(data: Data, epochs: Epochs) -> Callable[[int], float]:
    def run_steps(count: int) -> float:
        data.require_epoch(count)
        return epochs.run()

    return run_steps


def evaluate(package: str) -> Callable[[int], float]:
    """Return `run_steps(count)`: the loss of the MLP on `count` batches."""
    data = make_data("mlp")
    model = make_model(load(package), "mlp")

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        return model.evaluate(data.x, data.y, data.batch, verbose=0, return_dict=True)["loss"]

    return run_steps


def predict(package: str) -> Callable[[int], float]:
    """Return `run_steps(count)`: the mean size of the MLP's outputs for `count` batches."""
    data = make_data("mlp")
    model = make_model(load(package), "mlp")

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        return float(np.abs(model.predict(data.x, data.batch, verbose=0)).mean())

    return run_steps
