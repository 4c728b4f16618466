"""Windows over time, as a dataset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

utils = tf.keras.utils


def test_windows_over_time() -> None:
    data = np.arange(20.0)
    dataset = utils.timeseries_dataset_from_array(
        data, data * 10, 4, sequence_stride=3, sampling_rate=2, batch_size=2
    )
    found = [
        (w.tolist(), float(t)) for ws, ts in dataset for w, t in zip(ws.numpy(), ts.numpy(), strict=True)
    ]
    assert found == [([s, s + 2, s + 4, s + 6], s * 10) for s in (0.0, 3.0, 6.0, 9.0, 12.0)]
    part = utils.timeseries_dataset_from_array(data, None, 3, start_index=5, end_index=9, batch_size=None)
    assert [w.numpy().tolist() for w in part] == [[5, 6, 7], [6, 7, 8]]
    shuffled = utils.timeseries_dataset_from_array(data, data, 3, shuffle=True, seed=1, batch_size=32)
    windows, targets = next(iter(shuffled))
    np.testing.assert_array_equal(windows[:, 0], targets)
    assert sorted(targets.numpy().tolist()) == list(range(18))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: utils.timeseries_dataset_from_array([1, 2], None, 5), ValueError, "sequence_length above 0"),
        (
            lambda: utils.timeseries_dataset_from_array(np.arange(9), None, 2, end_index=20),
            ValueError,
            "start_index below end_index",
        ),
    ],
)  # fmt: skip
def test_wrong_windows_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()
