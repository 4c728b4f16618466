"""`ModelCheckpoint`: when it saves, under which name."""

from __future__ import annotations

import os
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.devices import processes
from tapeflow.engine.devices.processes import Member
from tapeflow.keras.callbacks import CallbackList, LambdaCallback, ModelCheckpoint
from tapeflow.train import tensor_file


def names(model: Any) -> list[str]:
    return [Path(path).name for _, path, _ in model.saved]


def test_saves_every_epoch_under_formatted_names(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(
        ModelCheckpoint(tmp_path / "new" / "w.{epoch:02d}-{val_loss:.2f}.h5"),
        [{"loss": 1.0, "val_loss": 0.123}, {"loss": 1.0, "val_loss": 0.5}],
    )
    assert names(model) == ["w.01-0.12.h5", "w.02-0.50.h5"]
    assert {how for how, _, _ in model.saved} == {"save"}
    assert (tmp_path / "new" / "w.02-0.50.h5").exists()


def test_saves_weights_only(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(ModelCheckpoint(tmp_path / "w", save_weights_only=True), [{"loss": 1.0}])
    assert model.saved == [("save_weights", str(tmp_path / "w"), {})]


def test_hands_options_on(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(ModelCheckpoint(tmp_path / "w", save_weights_only=True, options="o"), [{"loss": 1.0}])
    assert model.saved[0][2] == {"options": "o"}


def test_saves_the_best_only(
    fit: Any, model: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    logs = [{"loss": value} for value in (3.0, 4.0, 2.0)]
    check = ModelCheckpoint("w{epoch}", "loss", save_best_only=True, verbose=1)
    fit(check, logs)
    assert names(model) == ["w1", "w3"]
    assert check.best == 2.0
    assert capsys.readouterr().out == (
        "\nEpoch 1: loss improved from inf to 3.00000, saving model to w1\n"
        "\nEpoch 2: loss did not improve from 3.00000\n"
        "\nEpoch 3: loss improved from 3.00000 to 2.00000, saving model to w3\n"
    )


def test_says_what_it_saves(
    fit: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fit(ModelCheckpoint("w", verbose=1), [{"loss": 1.0}])
    assert capsys.readouterr().out == "\nEpoch 1: saving model to w\n"


def test_initial_threshold(fit: Any, model: Any, tmp_path: Path) -> None:
    check = ModelCheckpoint(tmp_path / "w{epoch}", "loss", save_best_only=True, initial_value_threshold=2.5)
    fit(check, [{"loss": value} for value in (3.0, 2.0)])
    assert names(model) == ["w2"]


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold", [None, 0.5, float("nan")])
@pytest.mark.parametrize("save_freq", ["epoch", 1])
def test_nan_is_never_the_best(
    fit: Any, model: Any, tmp_path: Path, mode: str, threshold: float | None, save_freq: Any
) -> None:
    check = ModelCheckpoint(
        tmp_path / "w{epoch}",
        "loss",
        save_best_only=True,
        mode=mode,
        save_freq=save_freq,
        initial_value_threshold=threshold,
    )
    nan = float("nan")
    better = 0.4 if mode == "min" else 0.6
    fit(check, [{"loss": value} for value in (nan, better, nan)], steps=1)
    assert names(model) == ([] if threshold is not None and np.isnan(threshold) else ["w2"])


def test_saves_every_few_batches_across_epochs(fit: Any, model: Any, tmp_path: Path) -> None:
    check = ModelCheckpoint(tmp_path / "e{epoch}b{batch}-{loss:.1f}", save_freq=4)
    fit(check, [{"loss": 1.0}, {"loss": 2.0}, {"loss": 3.0}], steps=3)
    assert names(model) == ["e2b1-2.0", "e3b2-3.0"]
    assert not CallbackList([check]).supports_fused_steps
    assert not CallbackList([ModelCheckpoint("w")]).needs_batch_hooks


def test_counts_batches_that_one_call_stands_for(model: Any, tmp_path: Path) -> None:
    check = ModelCheckpoint(tmp_path / "e{epoch}b{batch}", save_freq=4)
    check.set_model(model)
    for batch in (2, 5, 8):
        check.on_train_batch_end(batch, {})
    assert names(model) == ["e1b6"]


def test_period_of_old_keras(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(ModelCheckpoint(tmp_path / "w{epoch}", period=2), [{"loss": 1.0}] * 5)
    assert names(model) == ["w2", "w4"]


def test_loads_the_newest_on_restart(fit: Any, model: Any, tmp_path: Path) -> None:
    for i, name in enumerate(["w2.h5", "w1.h5", "other.h5"]):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, ns=(i, i))
    fit(ModelCheckpoint(tmp_path / "w{epoch:d}.h5", load_weights_on_restart=True), [])
    assert model.loaded == [str(tmp_path / "w1.h5")]


def train(path: Path, *callbacks: Any) -> list[float]:
    """The losses of a training that goes on where one with the same path was interrupted."""
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.ones((4, 2), np.float32), np.zeros((4, 1), np.float32)
    saving = ModelCheckpoint(path / "w{epoch}.h5", save_weights_only=True, load_weights_on_restart=True)
    return model.fit(x, y, epochs=3, verbose=0, callbacks=[saving, *callbacks]).history["loss"]


def in_epoch(number: int, act: Any) -> Any:
    return LambdaCallback(on_epoch_begin=lambda epoch, logs: act() if epoch == number else None)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_interrupted_before_the_first_file_is_whole(tmp_path: Path) -> None:
    wanted = train(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, in_epoch(0, interrupt))
    (tmp_path / "w1.h5").write_bytes(b"not loaded: the training's state was not written after it")
    assert train(tmp_path) == wanted
    assert not list(tmp_path.glob("*training_state*"))


def test_sigterm_saves_and_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminate() -> None:
        signal.raise_signal(signal.SIGTERM)

    wanted = train(tmp_path / "whole")
    with pytest.raises(SystemExit) as ended:
        train(tmp_path, in_epoch(1, terminate))
    assert ended.value.code == 143
    said = capsys.readouterr().err
    assert f"SIGTERM: training is saved in {tmp_path / 'w0.h5.training_state.safetensors'}; the same" in said
    assert train(tmp_path) == wanted

    def full(file: Any, data: memoryview) -> None:
        raise OSError(28, "No space left on device")

    def fill() -> None:
        monkeypatch.setattr(tensor_file, "_write_all", full)

    with pytest.raises(SystemExit):
        train(tmp_path / "full", in_epoch(1, fill), in_epoch(1, terminate))
    assert "SIGTERM: training could not be saved in" in capsys.readouterr().err


def test_a_name_with_an_unknown_field(fit: Any, tmp_path: Path) -> None:
    with pytest.raises(
        KeyError,
        match=r"Failed to format this callback filepath: .*\{val_loss:.2f\}.*Reason: .*val_loss.*. "
        r"Available names are: epoch, loss.",
    ):
        fit(ModelCheckpoint(tmp_path / "{epoch:02d}-{val_loss:.2f}.h5"), [{"loss": 1.0}])


def test_best_without_the_metric_warns_and_skips(fit: Any, model: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Can save best model only with val_loss available, skipping."):
        fit(ModelCheckpoint(tmp_path / "w", save_best_only=True), [{"loss": 1.0}])
    assert model.saved == []


def test_a_folder_as_the_file(fit: Any, model: Any, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Please specify a non-directory filepath for ModelCheckpoint"):
        fit(ModelCheckpoint(tmp_path), [{"loss": 1.0}])


@pytest.mark.parametrize("bad", ["batch", 0, 1.5, None])
def test_unknown_save_freq(bad: Any) -> None:
    with pytest.raises(
        ValueError, match=f'Unrecognized save_freq: {bad}. Expected save_freq are "epoch" or integer'
    ):
        ModelCheckpoint("w", save_freq=bad)


def test_options_with_the_native_format() -> None:
    with pytest.raises(ValueError, match="expected no `options` for the native Keras format"):
        ModelCheckpoint("w.keras", options=object())


def test_unknown_argument() -> None:
    with pytest.raises(TypeError, match="ModelCheckpoint expected no argument 'save_best'"):
        ModelCheckpoint("w", save_best=True)


def test_unknown_mode_warns() -> None:
    with pytest.warns(UserWarning, match="ModelCheckpoint mode best is unknown, fallback to auto mode."):
        ModelCheckpoint("w", mode="best")


def test_auto_mode_tells_of_a_score_it_minimises() -> None:
    with pytest.warns(UserWarning, match=r"ModelCheckpoint\(mode='auto'\) minimises 'val_auc'"):
        ModelCheckpoint("w", "val_auc", save_best_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ModelCheckpoint("w", "val_auc")
        assert ModelCheckpoint("w", "val_accuracy", save_best_only=True).best == float("-inf")


def fit_two_epochs(*callbacks: Any) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=list(callbacks))


def test_the_file_is_there_for_a_subclass(tmp_path: Path) -> None:
    seen = []

    class Checkpoint(ModelCheckpoint):
        def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
            super().on_epoch_end(epoch, logs)
            seen.append(sorted(path.name for path in tmp_path.iterdir()))

    fit_two_epochs(Checkpoint(tmp_path / "{epoch}.h5", save_weights_only=True))
    assert seen == [["1.h5"], ["1.h5", "2.h5"]]


def test_the_file_is_there_for_callbacks_of_the_user(tmp_path: Path) -> None:
    seen = []
    look = LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append(sorted(path.name for path in tmp_path.iterdir()))
    )
    fit_two_epochs(ModelCheckpoint(tmp_path / "{epoch}.h5", save_weights_only=True), look)
    assert seen == [["1.h5"], ["1.h5", "2.h5"]]


def test_restarting_among_several_processes(
    fit: Any, model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "joined", lambda: Member("a:1", 2, 0))
    with pytest.raises(ValueError, match="expected a single process with load_weights_on_restart=True"):
        fit(ModelCheckpoint(tmp_path / "w{epoch}.h5", load_weights_on_restart=True), [])


def test_subclasses_of_packages_use_keras_names(tmp_path: Path) -> None:
    seen: list[str] = []

    class Own(tf.keras.callbacks.ModelCheckpoint):
        def on_train_batch_end(self, batch, logs=None):
            if self._should_save_on_batch(batch):
                self._save_model(epoch=self._current_epoch, batch=batch, logs=logs)
                seen.append(self._get_file_path(epoch=self._current_epoch, batch=batch, logs=logs))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    own = Own(tmp_path / "{epoch}-{batch}.weights.h5", save_weights_only=True, save_freq=2)
    model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=2, epochs=1, verbose=0, callbacks=[own])
    assert [Path(name).name for name in seen] == ["1-2.weights.h5", "1-4.weights.h5"]
    assert all(Path(name).exists() for name in seen)
