"""`PyMetric`: state that is Python's, in `fit` and by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class Labels(tf.keras.metrics.experimental.PyMetric):
    """How many different labels there were."""

    seen: set[float]

    def reset_state(self) -> None:
        self.seen = set()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        self.seen.update(y_true.numpy().ravel().tolist())

    def result(self) -> Any:
        return len(self.seen)


@pytest.mark.filterwarnings("ignore:.*plain Python")
def test_in_fit() -> None:
    model: Any = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse", metrics=[Labels()])
    x, y = np.zeros((6, 2), "float32"), np.array([[0.0], [1], [2], [2], [1], [5]], "float32")
    history = model.fit(x, y, batch_size=2, epochs=2, verbose=0).history
    assert history["labels"] == [4.0, 4.0]
    assert model.evaluate(x[:3], y[:3], verbose=0, return_dict=True)["labels"] == 3.0


def test_by_itself() -> None:
    metric = Labels(name="kinds", dtype="float64")
    assert float(metric([1.0, 2.0], [0.0, 0.0])) == 2.0
    result = metric([3.0], [0.0], sample_weight=[1.0])
    assert (float(result), result.dtype) == (3.0, tf.float64)
    metric.reset_state()
    assert float(metric.result()) == 0.0


def test_must_say_how_it_begins() -> None:
    with pytest.raises(NotImplementedError, match=r"expected a method `reset_state\(self\)`"):
        tf.keras.metrics.experimental.PyMetric()
