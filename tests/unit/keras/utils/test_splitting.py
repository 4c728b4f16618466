"""`split_dataset`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

utils = tf.keras.utils


def test_split_dataset() -> None:
    left, right = utils.split_dataset(np.arange(10), left_size=0.7)
    assert [[int(x) for x in part] for part in (left, right)] == [list(range(7)), [7, 8, 9]]
    batched = tf.data.Dataset.from_tensor_slices((np.arange(10), np.arange(10) * 2)).batch(3)
    left, right = utils.split_dataset(batched, left_size=4, right_size=2)
    assert [[p.numpy().tolist() for p in batch] for batch in left] == [[[0, 1, 2], [0, 2, 4]], [[3], [6]]]
    assert [[p.numpy().tolist() for p in batch] for batch in right] == [[[8, 9], [16, 18]]]
    mixed, _ = utils.split_dataset((np.arange(6), np.arange(6)), right_size=2, shuffle=True, seed=4)
    assert sorted(int(a) for a, b in mixed if int(a) == int(b)) != []


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: utils.split_dataset(np.arange(9)), ValueError, "at least one of them"),
        (lambda: utils.split_dataset(np.arange(9), 20), ValueError, "between 0 and 9"),
        (lambda: utils.split_dataset(np.arange(9), "1"), TypeError, "left_size to be a number"),
        (lambda: utils.split_dataset(np.arange(9), 8, 8), ValueError, "two parts of 9 elements"),
        (lambda: utils.split_dataset(3, 0.5), TypeError, "expected a tf.data.Dataset"),
    ],
)  # fmt: skip
def test_wrong_sizes_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()
