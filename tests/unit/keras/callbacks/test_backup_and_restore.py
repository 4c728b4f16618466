"""`BackupAndRestore` and its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks import BackupAndRestore, Callback, CallbackList
from tapeflow.keras.callbacks.backup_file import NAME, Backup, read_backup, write_backup

LOGS = [{"loss": 1.0}] * 3


class Crash(Callback):
    """Breaks off at a step of an epoch."""

    def __init__(self, epoch: int, batch: int) -> None:
        super().__init__()
        self.at = (epoch, batch)
        self.epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if (self.epoch, batch) == self.at:
            raise KeyboardInterrupt


def begin_again(model: Any, backup: BackupAndRestore) -> Any:
    """What a new process does: a fresh model, then `on_train_begin`."""
    model.w.assign([0.0, 0.0])
    model.optimizer.learning_rate.assign(0.1)
    each = CallbackList([backup], model=model, verbose=0, epochs=3, steps=2)
    each.on_train_begin()
    return each


def test_goes_on_after_the_last_whole_epoch(fit: Any, model: Any, tmp_path: Path) -> None:
    model.optimizer.learning_rate = 0.75
    with pytest.raises(KeyboardInterrupt):
        fit([BackupAndRestore(tmp_path / "b"), Crash(2, 1)], LOGS)
    begin_again(model, BackupAndRestore(tmp_path / "b"))
    assert (model._initial_epoch, model._initial_step) == (2, 0)
    np.testing.assert_array_equal(model.w.numpy(), [4.0, 4.0])
    assert model.optimizer.learning_rate.numpy() == 0.75
    assert model.optimizer.builds == 1


@pytest.mark.parametrize(
    ("every", "crash", "point", "weight"), [(3, (2, 0), (1, 1), 3.0), (2, (1, 1), (1, 0), 2.0)]
)
def test_goes_on_after_the_last_backed_up_batch(
    fit: Any, model: Any, tmp_path: Path, every: int, crash: tuple[int, int], point: Any, weight: float
) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit([BackupAndRestore(tmp_path, save_freq=every), Crash(*crash)], LOGS, steps=2)
    begin_again(model, BackupAndRestore(tmp_path, save_freq=every))
    assert (model._initial_epoch, model._initial_step) == point
    np.testing.assert_array_equal(model.w.numpy(), [weight, weight])


def test_a_finished_training_leaves_nothing_behind(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(BackupAndRestore(tmp_path), LOGS)
    assert list(tmp_path.iterdir()) == []
    begin_again(model, BackupAndRestore(tmp_path))
    assert model._initial_epoch == 0


def test_the_backup_may_be_kept(fit: Any, model: Any, tmp_path: Path) -> None:
    fit(BackupAndRestore(tmp_path, delete_checkpoint=False), LOGS)
    assert [p.name for p in tmp_path.iterdir()] == [NAME]
    begin_again(model, BackupAndRestore(tmp_path))
    assert (model._initial_epoch, model._initial_step) == (3, 0)


def test_batch_hooks_only_when_needed(tmp_path: Path) -> None:
    assert not CallbackList([BackupAndRestore(tmp_path)]).needs_batch_hooks
    each = CallbackList([BackupAndRestore(tmp_path, save_freq=2)])
    assert each.needs_batch_hooks
    assert not each.supports_fused_steps


def test_an_unbuilt_model_is_told(model: Any, tmp_path: Path) -> None:
    write_backup(str(tmp_path), Backup(1, 0, [np.ones(2, np.float32)], []))
    model.built = False
    with pytest.warns(UserWarning, match="your model must be built before you call `fit\\(\\)`"):
        begin_again(model, BackupAndRestore(tmp_path))
    assert model._initial_epoch == 0


def test_a_backup_of_another_model(model: Any, tmp_path: Path) -> None:
    write_backup(str(tmp_path), Backup(1, 0, [np.ones(3, np.float32)], []))
    with pytest.raises(ValueError, match=r"expected a backup of this model, .*\[\(2,\)\]; got \[\(3,\)\]"):
        begin_again(model, BackupAndRestore(tmp_path))
    np.testing.assert_array_equal(model.w.numpy(), [0.0, 0.0])


def test_a_model_without_an_optimizer(fit: Any, model: Any, tmp_path: Path) -> None:
    model.optimizer = None
    fit(BackupAndRestore(tmp_path, delete_checkpoint=False), LOGS[:1])
    assert read_backup(str(tmp_path)).optimizer == []  # type: ignore[union-attr]


def test_either_frequency_or_preemption() -> None:
    with pytest.raises(ValueError, match="Either `save_freq` or `save_before_preemption` must be set."):
        BackupAndRestore("x", save_freq=None)
    with pytest.warns(UserWarning, match="save_before_preemption=True\\) has no effect yet"):
        BackupAndRestore("x", save_before_preemption=True)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array(3, np.int64),
        np.array([1.5, -2.0], ml_dtypes.bfloat16),
        np.array([True, False]),
        np.zeros((0, 3), np.float16),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=lambda value: f"{value.dtype}{value.shape}",
)
def test_the_file_keeps_every_bit(value: np.ndarray, tmp_path: Path) -> None:
    write_backup(str(tmp_path), Backup(3, 7, [value], [value, value]))
    back = read_backup(str(tmp_path))
    assert back is not None
    assert (back.epoch, back.step, len(back.optimizer)) == (3, 7, 2)
    for read in (back.weights[0], *back.optimizer):
        assert read.dtype == value.dtype
        assert read.shape == value.shape
        assert read.tobytes() == value.tobytes()


def test_variables_of_bfloat16_come_back(model: Any, fit: Any, tmp_path: Path) -> None:
    model.weights = [tf.Variable(tf.constant([1.5, 2.5], tf.bfloat16))]
    fit(BackupAndRestore(tmp_path, delete_checkpoint=False), LOGS[:1])
    model.weights[0].assign(tf.constant([0.0, 0.0], tf.bfloat16))
    begin_again(model, BackupAndRestore(tmp_path))
    assert model.weights[0].numpy().tolist() == [1.5, 2.5]


def test_a_failed_write_leaves_the_old_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_backup(str(tmp_path), Backup(1, 0, [np.ones(2)], []))

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space"):
        write_backup(str(tmp_path), Backup(2, 0, [np.zeros(2)], []))
    back = read_backup(str(tmp_path))
    assert back is not None
    assert back.epoch == 1


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", b"\x80\x04."])
def test_an_unreadable_backup(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(damage)
    with pytest.raises(ValueError, match="expected a backup it has written; .*Delete it to begin anew"):
        read_backup(str(tmp_path))


def test_its_older_home() -> None:
    assert tf.keras.callbacks.experimental.BackupAndRestore is BackupAndRestore
