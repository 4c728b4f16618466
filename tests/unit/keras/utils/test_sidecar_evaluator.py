"""`SidecarEvaluator`: the checkpoints of a training, evaluated by another model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

X, Y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")


def made() -> Any:
    model: Any = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    return model


class Losses(tf.keras.callbacks.Callback):
    """What evaluations gave."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def on_test_end(self, logs: Any = None) -> None:
        self.values.append(logs["loss"])


def evaluated(folder: Path, last: int) -> list[float]:
    losses = Losses()
    tf.keras.utils.SidecarEvaluator(
        made(), tf.data.Dataset.from_tensors((X, Y)), folder, None, last, [losses]
    ).start()
    return losses.values


def test_weights_of_model_checkpoint(tmp_path: Path) -> None:
    model = made()
    saver = tf.keras.callbacks.ModelCheckpoint(str(tmp_path / "ckpt-{epoch}"), save_weights_only=True)
    model.fit(X, Y, epochs=2, verbose=0, callbacks=[saver])
    assert evaluated(tmp_path, 2) == pytest.approx([model.evaluate(X, Y, verbose=0)])


def test_checkpoints_of_a_manager(tmp_path: Path) -> None:
    model = made()
    model.fit(X, Y, verbose=0)
    tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer), tmp_path, max_to_keep=1
    ).save()
    assert evaluated(tmp_path, 1) == pytest.approx([model.evaluate(X, Y, verbose=0)])


def test_names_must_end_in_a_number(tmp_path: Path) -> None:
    made().save_weights(str(tmp_path / "best"))
    with pytest.raises(ValueError, match="expected checkpoints whose names end in a number"):
        evaluated(tmp_path, 1)


def test_the_best_is_exported(tmp_path: Path) -> None:
    model = made()
    saver = tf.keras.callbacks.ModelCheckpoint(str(tmp_path / "ckpt-{epoch:02d}"), save_weights_only=True)
    export = tf.keras.callbacks.SidecarEvaluatorModelExport(
        str(tmp_path / "best" / "model-{epoch:03d}.h5"),
        str(tmp_path / "ckpt-{epoch:02d}"),
        monitor="loss",
        mode="min",
        save_freq="eval",
        save_weights_only=True,
    )
    other = made()
    for last in (1, 2):
        model.fit(X, Y, initial_epoch=last - 1, epochs=last, verbose=0, callbacks=[saver])
        tf.keras.utils.SidecarEvaluator(
            other, tf.data.Dataset.from_tensors((X, Y)), tmp_path, None, last, [export]
        ).start()
        if last == 1:
            model.set_weights([w + 5 for w in model.get_weights()])  # worse from now on
    assert sorted(p.name for p in (tmp_path / "best").iterdir()) == ["model-001.h5"]
