"""A training that tests interrupt: `python interrupted_training.py KIND FOLDER`.

It ends by writing its weights and history, every bit of them, to FOLDER/result.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

callbacks, layers = tf.keras.callbacks, tf.keras.layers


class Slow(callbacks.Callback):
    """Gives whoever interrupts the training time to do so, and says when it begins."""

    supports_fused_steps = True

    def on_train_begin(self, logs: Any = None) -> None:
        print("ready", flush=True)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        time.sleep(0.004)


def samples(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    x = random.random((160, *shape), np.float32)
    return x, (x.reshape(160, -1).mean(1) > 0.5).astype(np.int32)


def mlp() -> tuple[Any, dict[str, Any]]:
    x, y = samples(12)
    model = tf.keras.Sequential(
        [layers.Dense(16, activation="relu"), layers.Dropout(0.3), layers.Dense(2, activation="softmax")]
    )
    return model, {"x": x, "y": y, "batch_size": 8, "validation_split": 0.2}


def cnn() -> tuple[Any, dict[str, Any]]:
    x, y = samples(8, 8, 1)
    model = tf.keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(2, activation="softmax"),
        ]
    )

    class Batches(tf.keras.utils.Sequence):
        """Batches in an order that every epoch's end changes, with noise."""

        def __init__(self) -> None:
            super().__init__()
            self.order = np.arange(len(x))

        def __len__(self) -> int:
            return 20

        def __getitem__(self, index: int) -> Any:
            rows = self.order[index * 8 : index * 8 + 8]
            return x[rows] + np.float32(0.1) * np.random.rand(8, 8, 8, 1).astype(np.float32), y[rows]

        def on_epoch_end(self) -> None:
            np.random.shuffle(self.order)

    return model, {"x": Batches(), "validation_data": (x[:20], y[:20])}


def augmented() -> tuple[Any, dict[str, Any]]:
    x, y = samples(8, 8, 1)
    model = tf.keras.Sequential([layers.Flatten(), layers.Dense(8, activation="relu"), layers.Dense(2)])

    def noisy(image: Any, label: Any) -> Any:
        return image + 0.1 * tf.random.normal([8, 8, 1]), label

    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(50).map(noisy).batch(8).prefetch(2)
    held_out = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(160).batch(32)
    return model, {"x": data, "validation_data": held_out}


def main(kind: str, folder: Path) -> None:
    tf.keras.utils.set_random_seed(7)
    model, data = {"mlp": mlp, "cnn": cnn, "augmented": augmented}[kind]()
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=kind == "augmented")
    model.compile("adam", loss, metrics=["accuracy"])
    found = model.fit(
        **data,
        epochs=4,
        verbose=0,
        callbacks=[
            callbacks.BackupAndRestore(folder / "backup", save_freq=3),
            callbacks.EarlyStopping(patience=2, restore_best_weights=True),
            callbacks.ReduceLROnPlateau(patience=1, factor=0.5),
            callbacks.CSVLogger(folder / "log.csv"),
            callbacks.TensorBoard(folder / "logs", update_freq=2, write_graph=False),
            Slow(),
        ],
    )
    bits = hashlib.sha256(b"".join(w.numpy().tobytes() for w in model.weights + model.optimizer.variables))
    (folder / "result").write_text(f"{bits.hexdigest()}\n{found.history!r}\n{found.epoch}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
