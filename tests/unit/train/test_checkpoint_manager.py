"""`tf.train.CheckpointManager`, and the file that names the latest checkpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.train import checkpoint_manager


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    class Clock:
        time = 1_000_000.0

    monkeypatch.setattr(checkpoint_manager, "now", lambda: Clock.time)
    return Clock


def test_keeps_the_last_ones(tmp_path: Path) -> None:
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert manager.latest_checkpoint is None
    for i in range(4):
        v.assign(i)
        assert manager.save() == str(tmp_path / f"ckpt-{i + 1}")
    assert names(tmp_path) == ["checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-3"), str(tmp_path / "ckpt-4")]
    assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint == str(tmp_path / "ckpt-4")
    w = tf.Variable(9.0)
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=w), tmp_path, max_to_keep=2)
    assert again.checkpoints == manager.checkpoints
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    assert float(w) == 3.0
    again.save()
    assert names(tmp_path) == ["checkpoint", "ckpt-4.safetensors", "ckpt-5.safetensors"]
    again.save(checkpoint_number=tf.constant(77))
    assert tf.train.get_checkpoint_state(tmp_path).model_checkpoint_path == str(tmp_path / "ckpt-77")


def test_keeps_one_every_few_hours(tmp_path: Path, clock: Any) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        clock.time += 3600
        manager.save()
    # As TensorFlow: one is kept for ever if it is two hours younger than the last one that was.
    assert [n for n in names(tmp_path) if n != "checkpoint"] == [f"ckpt-{i}.safetensors" for i in (2, 4, 6)]
    assert manager.checkpoints == [str(tmp_path / "ckpt-6")]


def test_steps_between_saves(tmp_path: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, None, step_counter=step, checkpoint_interval=3)
    saved = []
    for _ in range(7):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert saved == [True, False, False, True, False, False, True]
    assert manager.save(check_interval=False) is not None
    assert manager.checkpoint_interval == 3


def test_without_a_checkpoint_it_initializes(tmp_path: Path) -> None:
    called: list[int] = []
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None
    assert called == [1]
    assert manager.directory == str(tmp_path)
    assert manager.checkpoint is checkpoint


def test_wrong_arguments(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint()
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got 0"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 1, checkpoint_interval=3)


def test_the_state_file(tmp_path: Path) -> None:
    assert tf.train.latest_checkpoint(tmp_path) is None
    odd = tmp_path / 'a "b"\\c'
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(odd / "ck")
    assert tf.train.latest_checkpoint(odd) == str(odd / "ck-1")
    assert (odd / "checkpoint").read_text().splitlines()[0] == 'model_checkpoint_path: "ck-1"'
    (odd / "ck-1.safetensors").unlink()
    assert tf.train.latest_checkpoint(odd) is None
    for text in ("", "nonsense", 'model_checkpoint_path: "', "\x00\xff"):
        (tmp_path / "checkpoint").write_text(text)
        assert tf.train.get_checkpoint_state(tmp_path) is None
    # As TensorFlow writes it, with an absolute path.
    (tmp_path / "checkpoint").write_text(
        f'model_checkpoint_path: "{tmp_path}/x-2"\nall_model_checkpoint_paths: "x-1"\n'
        "all_model_checkpoint_timestamps: 1.5\nlast_preserved_timestamp: 0.5\n"
    )
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == os.path.join(tmp_path, "x-2")
    assert state.all_model_checkpoint_paths == [os.path.join(tmp_path, "x-1")]
    assert (state.all_model_checkpoint_timestamps, state.last_preserved_timestamp) == ([1.5], 0.5)


def test_waiting_for_checkpoints(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(tmp_path / "ck")
    seen = []
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0.01):
        seen.append(path)
        if len(seen) < 3:
            checkpoint.save(tmp_path / "ck")
    assert seen == [str(tmp_path / f"ck-{i}") for i in (1, 2, 3)]
