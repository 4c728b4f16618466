"""`fit_generator` and its like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = X.sum(1, keepdims=True)


def batches() -> Iterator[Any]:
    while True:
        yield X, Y


def test_they_do_what_the_methods_without_generator_do() -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="Please use `Model.fit`, which supports generators"):
        history = model.fit_generator(
            batches(), 2, 3, verbose=0, validation_data=batches(), validation_steps=1, workers=1
        )
    assert {k: len(v) for k, v in history.history.items()} == {"loss": 3, "val_loss": 3}
    with pytest.warns(UserWarning, match="Model.evaluate_generator` is deprecated"):
        loss = model.evaluate_generator(batches(), 1)
    assert loss == model.evaluate(X, Y, verbose=0)
    with pytest.warns(UserWarning, match="Model.predict_generator` is deprecated"):
        found = model.predict_generator(batches(), steps=2)
    np.testing.assert_array_equal(found[:6], model.predict(X, verbose=0))


def test_they_take_sequences() -> None:
    class Batches(tf.keras.utils.Sequence):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return X, Y

    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")

    with pytest.warns(UserWarning, match=r"`Model.fit_generator` is deprecated.*use `Model.fit`"):
        assert model.fit_generator(Batches(), 2, verbose=0).epoch == [0]
    with pytest.warns(UserWarning, match="evaluate_generator"):
        assert model.evaluate_generator(Batches(), steps=1) > 0
    with pytest.warns(UserWarning, match="predict_generator"):
        assert model.predict_generator(Batches(), steps=1).shape == (6, 1)
