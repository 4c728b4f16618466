"""What no curve shows, after every epoch: pictures, matrices, points, tables, a film and a sound."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.demo.digits import NAMES, Digits

_GRID = 36
_SOUND_HZ = 8000
_COLORS = np.array(
    [
        (31, 119, 180),
        (255, 127, 14),
        (44, 160, 44),
        (214, 39, 40),
        (148, 103, 189),
        (140, 86, 75),
        (227, 119, 194),
        (127, 127, 127),
        (188, 189, 34),
        (23, 190, 207),
    ],
    np.uint8,
)


class Pictures(tf.keras.callbacks.Callback):
    """Logs what the model makes of digits it has not seen, to a writer.

    Args:
        digits: the test digits are looked at.
        writer: where it goes.
    """

    def __init__(self, digits: Digits, writer: tf.summary.SummaryWriter) -> None:
        super().__init__()
        self._digits = digits
        self._writer = writer
        self._films: list[np.ndarray] = []
        self._losses: list[float] = []

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Make the model that ends at the features."""
        layers = [self.model.get_layer(name).output for name in ("features", "scores")]
        self._parts = tf.keras.Model(self.model.inputs, layers)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Look at all test digits once and log them in every way there is."""
        images, labels = self._digits.x_test, self._digits.y_test
        features, scores = self._parts.predict(images, batch_size=len(images), verbose=0)
        chances = tf.nn.softmax(scores).numpy()
        guesses = chances.argmax(axis=1)
        self._films.append(_filters(self.model.get_layer("filters")))
        self._losses.append(float((logs or {}).get("loss", 0.0)))
        pixels = images[..., None] / 16
        with self._writer.as_default(step=epoch):
            tf.summary.image_grid(
                "guesses", pixels[:_GRID], labels[:_GRID], NAMES, predictions=chances[:_GRID]
            )
            tf.summary.confusion_matrix("confusion", labels, guesses, NAMES)
            tf.summary.pr_curve("is it an eight", labels == 8, chances[:, 8])
            tf.summary.table("scores", _scores(labels, guesses))
            tf.summary.embedding(
                "features",
                features,
                labels=[NAMES[label] for label in labels],
                images=pixels,
                metadata={"guess": [NAMES[guess] for guess in guesses], "right": guesses == labels},
            )
            tf.summary.mesh("features in space", _in_space(features), colors=_COLORS[labels])

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Log what takes all epochs: the filters as a film, the loss as a sound."""
        with self._writer.as_default(step=len(self._films)):
            tf.summary.video("filters while they learn", np.stack(self._films), fps=3)
            tf.summary.audio("the loss, to be heard", _melody(self._losses)[None, :, None], _SOUND_HZ)
        self._writer.flush()


def _filters(layer: Any) -> np.ndarray:
    """The 3x3 filters of a layer side by side, enlarged: black is least, white is largest."""
    kernels = layer.get_weights()[0][:, :, 0, :]
    row = np.pad(kernels, ((1, 1), (1, 1), (0, 0)), constant_values=kernels.min())
    row = row.transpose(2, 0, 1).reshape(4, -1, 5, 5).transpose(0, 2, 1, 3).reshape(20, -1)
    scaled = (row - row.min()) / max(float(np.ptp(row)), 1e-6)
    return np.kron(scaled, np.ones((8, 8)))[..., None].astype(np.float32)


def _scores(labels: np.ndarray, guesses: np.ndarray) -> list[dict[str, Any]]:
    """How well each digit is told from the others."""
    rows = []
    for digit, name in enumerate(NAMES):
        is_digit, is_guessed = labels == digit, guesses == digit
        right = int((is_digit & is_guessed).sum())
        rows.append(
            {
                "digit": name,
                "there are": int(is_digit.sum()),
                "found": f"{right / max(int(is_digit.sum()), 1):.1%}",
                "found rightly": f"{right / max(int(is_guessed.sum()), 1):.1%}",
            }
        )
    return rows


def _in_space(features: np.ndarray) -> np.ndarray:
    """The features along the three directions in which they differ most."""
    centred = features - features.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:3]
    return (centred @ directions.T).astype(np.float32)


def _melody(losses: list[float]) -> np.ndarray:
    """A tone for each epoch: the lower the loss, the deeper."""
    logs = np.log(np.maximum(losses, 1e-4))
    heights = (logs - logs.min()) / max(float(np.ptp(logs)), 1e-6)
    pitches = np.repeat(220 * 2 ** (2 * heights), _SOUND_HZ // 4)
    fading = np.tile(np.linspace(1, 0, _SOUND_HZ // 4) ** 2, len(losses))
    return (0.5 * fading * np.sin(2 * np.pi * np.cumsum(pitches) / _SOUND_HZ)).astype(np.float32)
