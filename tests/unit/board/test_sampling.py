from __future__ import annotations

import numpy as np
import pytest

from tapeflow.board.sampling import Window, cut, smooth
from tapeflow.board.series import Series


def series_of(values: np.ndarray, steps: np.ndarray | None = None, times: np.ndarray | None = None) -> Series:
    series = Series("x", is_scalar=True)
    count = len(values)
    series.columns.append(
        {
            "steps": np.arange(count) if steps is None else steps,
            "wall_times": 100.0 + np.arange(count) if times is None else times,
            "values": values,
        }
    )
    return series


def test_few_points_come_as_they_are() -> None:
    found = cut(series_of(np.arange(40.0)), Window(pixels=10), 0.0)
    assert found.is_raw
    assert found.points[2].tolist() == list(range(40))


def test_a_spike_of_one_step_among_a_million_is_kept() -> None:
    values = np.sin(np.arange(1_000_000) / 1000)
    values[654_321], values[111_111] = 5.0, -5.0
    found = cut(series_of(values), Window(pixels=300), 0.0)
    assert not found.is_raw
    assert len(found.points[0]) <= 4 * 300 + 2
    assert {654_321, 111_111} <= set(found.points[0].tolist())
    near = cut(series_of(values), Window("step", 654_300, 654_340, 300), 0.0)
    assert near.is_raw
    assert near.total == 41
    assert near.points[0].tolist() == list(range(654_299, 654_342))  # and one on either side


def test_the_extremes_of_every_pixel_are_kept() -> None:
    values = np.random.default_rng(0).normal(size=100_000)
    found = set(cut(series_of(values), Window(pixels=100), 0.0).points[0].tolist())
    for pixel in np.split(np.arange(100_000), 100):
        assert pixel[0] + values[pixel].argmax() in found
        assert pixel[0] + values[pixel].argmin() in found


def test_nan_and_infinities_are_kept_in_every_pixel() -> None:
    values = np.ones(100_000)
    values[1000:60_000] = np.nan
    values[70_000], values[70_001] = np.inf, -np.inf
    steps, _, kept = cut(series_of(values), Window(pixels=100), 0.0).points
    assert {70_000, 70_001} <= set(steps.tolist())
    assert 59 <= np.isnan(kept).sum() <= 61  # one in each pixel it covers
    assert len(steps) < 700


@pytest.mark.parametrize("what", ["nan", "inf", "same"])
def test_times_that_make_no_axis_do_no_harm(what: str) -> None:
    times = np.full(5000, 7.0)
    if what != "same":
        times[::7] = float(what)
    found = cut(series_of(np.arange(5000.0), times=times), Window("wall", pixels=50), 0.0)
    assert 2 <= len(found.points[0]) <= 202
    values = np.where(np.arange(5000) % 3, 1.0, np.nan)
    assert len(cut(series_of(values, times=times), Window("wall", pixels=50), 0.0).points[0]) <= 402


def test_points_are_sorted_by_the_axis_and_equal_ones_stay_in_order() -> None:
    series = series_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 1, 5, 0]), np.array([9.0, 8.0, 7.0, 6.0]))
    assert cut(series, Window(), 0.0).points[2].tolist() == [4, 2, 1, 3]
    assert cut(series, Window("wall"), 0.0).points[2].tolist() == [4, 3, 2, 1]
    assert cut(series, Window("relative", 1.5, 2.5), 6.0).total == 1
    assert series.last_step == 5


def test_a_window_without_points_has_the_neighbours() -> None:
    series = series_of(np.arange(10.0), np.arange(10) * 10)
    found = cut(series, Window("step", 41, 49, 100), 0.0)
    assert (found.total, found.points[0].tolist()) == (0, [40, 50])
    assert cut(series, Window("step", 60, 20, 100), 0.0).total == 0
    assert len(cut(Series("x", True), Window("step", 1, 2, 100), 0.0).points[0]) == 0


def test_order_is_found_again_when_more_comes() -> None:
    series = series_of(np.array([1.0, 2.0]), np.array([1, 2]))
    assert series.order("steps", 2) is None
    later = {"steps": np.array([0]), "wall_times": np.array([3.0]), "values": np.array([0.0])}
    series.columns.append(later)
    order = series.order("steps", 3)
    assert order is not None
    assert order.tolist() == [2, 0, 1]


@pytest.mark.parametrize("weight", [0.1, 0.6, 0.999])
def test_smoothing_is_the_debiased_average_of_every_point(weight: float) -> None:
    values = np.random.default_rng(0).normal(size=3000)
    values[[5, 1000]] = np.nan, np.inf
    expected, average = values.copy(), 0.0
    for count, i in enumerate(np.flatnonzero(np.isfinite(values)), start=1):
        average = weight * average + (1 - weight) * values[i]
        expected[i] = average / (1 - weight**count)
    np.testing.assert_allclose(smooth(values, weight), expected, rtol=1e-9, atol=1e-12)
    steps, _, kept, smoothed = cut(series_of(values), Window("step", 500, 2500, 20, weight), 0.0).points
    assert len(steps) < 100
    np.testing.assert_allclose(smoothed, expected[steps], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(kept, values[steps])
    assert len(smooth(np.zeros(0), weight)) == 0
