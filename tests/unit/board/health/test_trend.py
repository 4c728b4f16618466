"""A series folded as it grows is the same, whatever the pieces it came in."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow.board.health.trend import MOST, Trend


def folded(values: np.ndarray, pieces: int = 1, steps: np.ndarray | None = None) -> Trend:
    trend = Trend()
    steps = np.arange(len(values)) if steps is None else steps
    for part in np.array_split(np.arange(len(values)), pieces):
        trend.add(steps[part], values[part])
    return trend


def test_short_series_are_kept_as_they_are() -> None:
    trend = folded(np.array([3.0, 2.0, 1.0]))
    assert trend.means.tolist() == [3, 2, 1]
    assert trend.steps.tolist() == [0, 1, 2]


@pytest.mark.parametrize("count", [513, 1024, 1025, 10_000, 100_003])
def test_long_ones_are_means(count: int) -> None:
    values = np.random.default_rng(0).normal(size=count).cumsum()
    whole, parts = folded(values), folded(values, 97)
    for trend in (whole, parts):
        width = trend._width
        assert MOST // 2 <= len(trend.means) <= MOST
        usual = values[: len(trend.means) * width].reshape(-1, width).mean(axis=1)
        np.testing.assert_allclose(trend.means, usual, atol=1e-9)
        assert trend.steps.tolist() == list(range(0, len(usual) * width, width))
    assert parts.count == count


def test_values_that_are_not_finite() -> None:
    nan = np.nan
    values = np.array([1, nan, nan, 2, np.inf, -np.inf, nan])
    for pieces in (1, 3, 7):
        trend = folded(values, pieces)
        assert (trend.bad_since, trend.bad_streak, trend.bad_total) == (4, 3, 5)
        assert (trend.worst_since, trend.worst_streak) == (4, 3)
        assert trend.means.tolist() == [1, 2]


def test_zeros_at_the_end() -> None:
    for pieces in (1, 2, 6):
        trend = folded(np.array([0.0, 1, 0, 0, 0, 0]), pieces)
        assert (trend.zeros, trend.zeros_since) == (4, 2)


def test_what_a_resumed_training_repeats_is_forgotten() -> None:
    steps = np.array([0, 1, 2, 3, 4, 2, 3, 4, 5])
    values = np.array([9.0, 8, 7, 6, 5, 1, 1, 1, 1])
    for pieces in (1, 4):
        trend = folded(values, pieces, steps)
        assert trend.means.tolist() == [9, 8, 1, 1, 1, 1]
        assert trend.steps.tolist() == [0, 1, 2, 3, 4, 5]
        assert trend.count == 6
