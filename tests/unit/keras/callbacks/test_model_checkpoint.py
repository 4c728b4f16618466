"""`ModelCheckpoint`: when it saves, under which name."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from tapeflow.keras.callbacks import CallbackList, ModelCheckpoint


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
