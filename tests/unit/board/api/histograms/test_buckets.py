from __future__ import annotations

import numpy as np
import pytest

from tapeflow.board.api.histograms import buckets
from tapeflow.board.api.histograms.buckets import BASIS_POINTS, buckets_of, histogram_blob, percentiles
from tapeflow.summary.event_files.values import Value


def test_what_is_no_histogram_has_no_buckets() -> None:
    for array in (np.zeros(3), np.zeros((2, 4)), np.array([["a", "b", "c"]], dtype=object), np.array(1.0)):
        assert buckets_of(array).shape == (0, 3)


def test_what_is_no_bucket_is_left_out_and_the_others_are_put_in_order() -> None:
    nan, inf = float("nan"), float("inf")
    found = buckets_of(
        np.array(
            [[2, 3, 5], [nan, 1, 1], [0, inf, 1], [-inf, 0, 1], [1, 0, 1], [0, 1, -1], [0, 1, nan], [0, 1, 4]]
        )
    )
    assert found.tolist() == [[0, 1, 4], [2, 3, 5]]


def test_very_many_buckets_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "MOST_BUCKETS", 4)
    edges = np.arange(10.0)
    found = buckets_of(np.stack([edges, edges + 1, np.ones(10)], axis=1))
    assert found.tolist() == [[0, 3, 3], [3, 6, 3], [6, 9, 3], [9, 10, 1]]


def test_percentiles_of_one_and_of_several() -> None:
    even = np.array([[0.0, 1.0, 10.0], [1.0, 2.0, 10.0]])
    expected = BASIS_POINTS / 5000
    np.testing.assert_allclose(percentiles(even), expected)
    both = percentiles(np.stack([even, even * [1, 1, 0]]))
    np.testing.assert_allclose(both, [expected, np.full(9, 2.0)])
    assert percentiles(np.zeros((0, 3))).tolist() == [0.0] * 9


def test_a_single_value() -> None:
    blob = histogram_blob(Value("h", np.array([[3.0, 3.0, 7.0]], np.float32), "histograms", b"", ""))
    assert blob == {"buckets": [[3.0, 3.0, 7.0]], "percentiles": [3.0] * 9}
