"""A short search at random: each trial is a run with its hyperparameters, its curves and how it ended."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow.demo.digits import Digits, make_model
from tapeflow.plugins.hparams import api as hp

RATE = hp.HParam("learning_rate", hp.Discrete([1e-3, 3e-3, 1e-2, 3e-2]))
UNITS = hp.HParam("units", hp.Discrete([16, 32, 64]))
DROPOUT = hp.HParam("dropout", hp.Discrete([0.0, 0.2, 0.4]))
SPACE = (RATE, UNITS, DROPOUT)
METRICS = (
    hp.Metric("epoch_accuracy", group="validation", display_name="accuracy"),
    hp.Metric("epoch_loss", group="validation", display_name="loss"),
)


class Trial(NamedTuple):
    """Which one it is, and its hyperparameters by name."""

    number: int
    values: dict[str, Any]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:g}" for name, value in self.values.items())


def draw(count: int, seed: int = 0) -> list[Trial]:
    """So many trials drawn at random, no two alike."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    while len(found) < count:
        values = {h.name: h.domain.sample_uniform(rng) for h in SPACE}
        if values not in found:
            found.append(values)
    return [Trial(number, values) for number, values in enumerate(found, 1)]


def search(digits: Digits, folder: str, chosen: list[Trial], epochs: int) -> Iterator[float]:
    """Train a network for each trial, as it is asked for; gives its accuracy on the test digits."""
    with tf.summary.create_file_writer(folder).as_default():
        hp.hparams_config(hparams=SPACE, metrics=METRICS)
    for trial in chosen:
        tf.keras.utils.set_random_seed(0)  # they differ in nothing else
        place = os.path.join(folder, f"trial {trial.number:02d}")
        board = tf.keras.callbacks.TensorBoard(place, write_graph=False)
        history = make_model(**trial.values).fit(
            digits.x_train,
            digits.y_train,
            batch_size=32,
            epochs=epochs,
            validation_data=(digits.x_test, digits.y_test),
            callbacks=[board, hp.KerasCallback(place, trial.values)],
            verbose=0,
        )
        yield history.history["val_accuracy"][-1]
