"""Datasets that `fit` makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

U = tf.keras.utils


def test_a_dataset_that_fit_makes() -> None:
    contexts = []

    def made(context: Any) -> Any:
        contexts.append(context)
        size = context.get_per_replica_batch_size(4)
        return (
            tf.data.Dataset.from_tensors((np.ones(2, "float32"), np.ones(1, "float32"))).repeat().batch(size)
        )

    model: Any = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    creator = U.experimental.DatasetCreator(made)
    assert len(model.fit(creator, epochs=2, steps_per_epoch=3, verbose=0).history["loss"]) == 2
    assert [c.num_replicas_in_sync for c in contexts] == [1]
    with pytest.raises(TypeError, match="must be a `callable`"):
        U.experimental.DatasetCreator(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="must return a Dataset"):
        U.experimental.DatasetCreator(lambda context: [1])(None)  # pyright: ignore[reportArgumentType]
