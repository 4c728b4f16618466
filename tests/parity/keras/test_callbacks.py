"""Callbacks decide, and are called, as Keras 2's are. The fixture is made by fixtures/make_callbacks.py."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import callbacks

KERAS_2 = json.loads(Path(__file__).with_name("fixtures").joinpath("callbacks.json").read_text())
STATE = {
    "EarlyStopping": lambda c, m: [m.stop_training, c.wait, c.best_epoch, c.best_weights],
    "ReduceLROnPlateau": lambda c, m: [float(m.optimizer.learning_rate), c.wait, c.cooldown_counter],
    "ModelCheckpoint": lambda c, m: [Path(path).name for path in m.saves],
}


class Optimizer:
    """A learning rate that is kept in float32, as a Variable does."""

    def __init__(self) -> None:
        self._rate = np.float32(0.5)

    @property
    def learning_rate(self) -> Any:
        return self._rate

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        self._rate = np.float32(value)


def drive(callback: Any, values: list[float], state: Any) -> list[Any]:
    weights: list[int] = []
    model: Any = SimpleNamespace(
        stop_training=False,
        optimizer=Optimizer(),
        get_weights=lambda: [len(weights)],
        set_weights=weights.extend,
        saves=[],
    )
    model.save = lambda path, **kw: model.saves.append(path)
    callback.set_model(model)
    callback.on_train_begin()
    seen = []
    for epoch, value in enumerate(values):
        callback.on_epoch_begin(epoch, {})
        callback.on_epoch_end(epoch, {"loss": value})
        weights.append(epoch)
        seen.append(state(callback, model))
        if model.stop_training:
            break
    return seen


@pytest.mark.parametrize("name", STATE)
def test_decisions(name: str, tmp_path: Path) -> None:
    first = {
        "EarlyStopping": {"monitor": "loss", "restore_best_weights": True},
        "ReduceLROnPlateau": {"monitor": "loss", "factor": 0.5},
        "ModelCheckpoint": {"monitor": "loss", "filepath": tmp_path / "{epoch:02d}-{loss:.1f}"},
    }[name]
    cases = [case[1:] for case in KERAS_2["decisions"] if case[0] == name]
    assert len(cases) >= 20
    for options, values, expected in cases:
        callback = getattr(callbacks, name)(**first, **options)
        seen = drive(callback, values, STATE[name])
        if name == "ModelCheckpoint":  # the last epoch's list holds them all
            seen = seen[-1:]
        assert seen == expected, (options, values)


class Recorder(callbacks.Callback):
    """Notes every hook, its index and the names in its logs."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def set_params(self, params: Any) -> None:
        super().set_params(params)
        self.seen.append(["set_params", None, params])


def _recording(hook: str, has_index: bool) -> Any:
    default = getattr(callbacks.Callback, hook)

    def without(self: Recorder, logs: Any = None) -> None:
        self.seen.append([hook, None, sorted(logs)])

    def with_index(self: Recorder, index: int, logs: Any = None) -> None:
        self.seen.append([hook, index, sorted(logs)])
        default(self, index, logs)

    return with_index if has_index else without


for _when in ("begin", "end"):
    for _mode in ("train", "test", "predict"):
        setattr(Recorder, f"on_{_mode}_{_when}", _recording(f"on_{_mode}_{_when}", False))
    for _what in ("epoch", "batch", "train_batch", "test_batch", "predict_batch"):
        setattr(Recorder, f"on_{_what}_{_when}", _recording(f"on_{_what}_{_when}", True))


class FusedRecorder(Recorder):
    supports_fused_steps = True


@pytest.mark.parametrize("kind", [Recorder, FusedRecorder])
def test_hooks_are_called_in_keras_order(kind: type[Recorder]) -> None:
    x, y = np.ones((10, 3), "float32"), np.ones((10, 1), "float32")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    runs = {
        "fit": lambda **kw: model.fit(x, y, 4, 2, validation_data=(x[:6], y[:6]), **kw),
        "fit_freq": lambda **kw: model.fit(x, y, 8, 2, validation_data=(x, y), validation_freq=2, **kw),
        "evaluate": lambda **kw: model.evaluate(x, y, 4, **kw),
        "predict": lambda **kw: model.predict(x, 4, **kw),
    }
    for name, run in runs.items():
        recorder = kind()
        run(callbacks=[recorder], verbose=0)
        assert recorder.seen == KERAS_2["hooks"][name], name


@pytest.mark.parametrize(("library", "saved"), [("keras", {1, 3}), ("tapeflow", {1, 2, 3})])
def test_a_backup_and_the_files_of_callbacks_after_it(
    library: str, saved: set[int], keras: Any, tmp_path: Path
) -> None:
    """Interrupted between the two, Keras counts an epoch as done whose file is then never written."""
    k = keras if library == "keras" else tf.keras

    class Interrupted(k.callbacks.Callback):
        def __init__(self, epoch: int) -> None:
            super().__init__()
            self.interrupted = epoch

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            if epoch == self.interrupted:
                raise KeyboardInterrupt

    def train(interrupted: int) -> None:
        model = k.Sequential([k.Input((2,)), k.layers.Dense(1)])
        model.compile("sgd", "mse")
        each = [
            k.callbacks.BackupAndRestore(str(tmp_path / "backup")),
            Interrupted(interrupted),
            k.callbacks.ModelCheckpoint(str(tmp_path / "at-{epoch}.keras")),
        ]
        model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=3, verbose=0, callbacks=each)

    with pytest.raises(KeyboardInterrupt):
        train(interrupted=1)
    train(interrupted=-1)
    assert {int(file.stem.removeprefix("at-")) for file in tmp_path.glob("at-*.keras")} == saved
