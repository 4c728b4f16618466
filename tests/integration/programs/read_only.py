"""Every way to write, in a folder that may not be written to: `python read_only.py FOLDER`.

Prints a JSON object: for each way, what was raised (`PermissionError: ...`) or `None`, and the warnings.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

FOLDER = Path(sys.argv[1])
X, Y = np.ones((16, 4), np.float32), np.ones((16, 1), np.float32)
callbacks = tf.keras.callbacks


def compiled() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


MODEL = compiled()


def fit(callback: Any) -> None:
    compiled().fit(X, Y, epochs=3, verbose=0, callbacks=[callback])


def checkpoint() -> Any:
    return tf.train.Checkpoint(model=MODEL)


def save_on_a_thread() -> None:
    saved = checkpoint()
    saved.save(FOLDER / "ckpt", tf.train.CheckpointOptions(enable_async=True))
    saved.sync()


def write_summaries() -> None:
    with tf.summary.create_file_writer(str(FOLDER / "logs")).as_default() as writer:
        tf.summary.scalar("loss", 1.0, step=0)
    writer.close()


def profile() -> None:
    tf.profiler.experimental.start(str(FOLDER / "logs"))


def write_record() -> None:
    with tf.io.TFRecordWriter(str(FOLDER / "a.tfrecord")) as writer:
        writer.write(b"a")


WAYS: dict[str, Callable[[], Any]] = {
    "model.keras": lambda: MODEL.save(FOLDER / "model.keras"),
    "model.h5": lambda: MODEL.save(FOLDER / "model.h5"),
    "model": lambda: MODEL.save(FOLDER / "model"),
    "a.weights.h5": lambda: MODEL.save_weights(FOLDER / "a.weights.h5"),
    "a.h5": lambda: MODEL.save_weights(FOLDER / "a.h5"),
    "a.safetensors": lambda: MODEL.save_weights(FOLDER / "a.safetensors"),
    "weights": lambda: MODEL.save_weights(FOLDER / "weights"),
    "exported": lambda: MODEL.export(FOLDER / "exported"),
    "ckpt-1": lambda: checkpoint().save(FOLDER / "ckpt"),
    "ckpt-1 on a thread": save_on_a_thread,
    "managed": lambda: tf.train.CheckpointManager(checkpoint(), FOLDER / "managed", 1).save(),
    "ModelCheckpoint": lambda: fit(callbacks.ModelCheckpoint(FOLDER / "best.keras")),
    "ModelCheckpoint, by batches": lambda: fit(callbacks.ModelCheckpoint(FOLDER / "best.h5", save_freq=1)),
    "CSVLogger": lambda: fit(callbacks.CSVLogger(FOLDER / "log.csv")),
    "BackupAndRestore": lambda: fit(callbacks.BackupAndRestore(FOLDER, save_freq=1)),
    "BackupAndRestore, below": lambda: fit(callbacks.BackupAndRestore(FOLDER / "backup")),
    "TensorBoard": lambda: fit(callbacks.TensorBoard(FOLDER / "logs", update_freq=1)),
    "summaries": write_summaries,
    "profile": profile,
    "cache": lambda: list(tf.data.Dataset.range(5).cache(str(FOLDER / "cache"))),
    "dataset": lambda: tf.data.Dataset.range(5).save(str(FOLDER / "dataset")),
    "a.tfrecord": write_record,
}


def outcome(way: Callable[[], Any]) -> dict[str, Any]:
    """What comes of it; nobody hears of a second error."""
    raised, said = None, io.StringIO()
    handler = logging.StreamHandler(said)
    logging.getLogger("tapeflow").addHandler(handler)
    with warnings.catch_warnings(record=True) as told, redirect_stderr(said):
        warnings.simplefilter("default")
        try:
            way()
        except (OSError, tf.errors.OpError) as error:
            raised = f"{type(error).__name__}: {error}"
            if error.__context__ is not None and error.__cause__ is None and not error.__suppress_context__:
                raised += f" while handling {error.__context__!r}"
    logging.getLogger("tapeflow").removeHandler(handler)
    return {"raised": raised, "told": [str(each.message) for each in told], "said": said.getvalue()}


if __name__ == "__main__":
    print(json.dumps({name: outcome(way) for name, way in WAYS.items()}))
