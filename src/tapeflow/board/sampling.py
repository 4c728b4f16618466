"""The points of a series that a plot of some width needs.

The least and the largest value of every pixel, and those that MinMaxLTTB finds to shape the line. Both know finite
numbers only, so NaN and infinities are kept beside them: one of each kind in every pixel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from tsdownsample import MinMaxDownsampler, MinMaxLTTBDownsampler

from tapeflow.board.column_messages import Points
from tapeflow.board.schema import Axis
from tapeflow.board.series import SCALAR_COLUMNS, Series

POINTS_A_PIXEL = 4
_MOST_PIXELS = 100_000
_FEWEST_PIXELS = 8
_WEIGHS_NOTHING = 1e-18
_extremes, _shaping = MinMaxDownsampler(), MinMaxLTTBDownsampler()


class Window(NamedTuple):
    """Which part of which axis, for how wide a plot; 0 pixels for every point. With smoothing, how strong it is."""

    axis: Axis = "step"
    begin: float | None = None
    end: float | None = None
    pixels: int = 0
    smoothing: float = 0.0


class Cut(NamedTuple):
    """Points, sorted by the axis; how many the window holds; whether all of them are here.

    With smoothing, the points have a fourth column.
    """

    points: Points
    total: int
    is_raw: bool


def cut(series: Series, window: Window, start_time: float) -> Cut:
    """What a plot of the window needs of a series, with a point on either side of the window."""
    columns = series.columns
    count = columns.count
    by = "steps" if window.axis == "step" else "wall_times"
    points = tuple(columns[name][:count] for name in SCALAR_COLUMNS)
    order = series.order(by, count)
    if order is not None:
        points = tuple(column[order] for column in points)
    position = points[0] if by == "steps" else points[1]
    shift = start_time if window.axis == "relative" else 0.0
    first, last = 0, count
    if window.begin is not None:
        first = int(np.searchsorted(position, window.begin + shift, "left"))
    if window.end is not None:
        last = int(np.searchsorted(position, window.end + shift, "right"))
    last = max(first, last)
    if window.smoothing:
        points = (*points, smooth(points[2], window.smoothing))
    chosen = slice(max(first - 1, 0), min(last + 1, count))
    points = tuple(column[chosen] for column in points)
    kept = thin(position[chosen], points[2], window.pixels)
    if kept is None:
        return Cut(points, last - first, True)
    return Cut(tuple(column[kept] for column in points), last - first, False)


def smooth(values: np.ndarray, weight: float) -> np.ndarray:
    """The debiased exponential moving average of finite values; others stay what they are.

    The sum of the last 2k values, weighted, is that of the last k and of the k before them: so it takes few passes,
    until what is further back weighs nothing.
    """
    found = values.copy()
    is_finite = np.isfinite(values)
    average = values[is_finite] * (1 - weight)
    reach = 1
    while reach < len(average) and weight**reach > _WEIGHS_NOTHING:
        later = average[reach:] + weight**reach * average[:-reach]
        average[reach:] = later
        reach *= 2
    found[is_finite] = average / (1 - weight ** np.arange(1, len(average) + 1))
    return found


def thin(position: np.ndarray, values: np.ndarray, pixels: int) -> np.ndarray | None:
    """Which points to keep, or None for all."""
    most = POINTS_A_PIXEL * min(max(pixels, _FEWEST_PIXELS), _MOST_PIXELS)
    if not pixels or len(values) <= most:
        return None
    is_finite = np.isfinite(values)
    if is_finite.all():
        kept = _shape(position, values, most)
    else:
        finite = np.flatnonzero(is_finite)
        kept = finite if len(finite) <= most else finite[_shape(position[finite], values[finite], most)]
        kept = np.concatenate([kept, _odd(position, values, np.flatnonzero(~is_finite), pixels)])
    return np.unique(np.concatenate([[0], kept, [len(values) - 1]]))


def _shape(position: np.ndarray, values: np.ndarray, most: int) -> np.ndarray:
    """The extremes of every pixel, and what MinMaxLTTB finds."""
    x = position.astype(np.float64)
    if not (np.isfinite(x[0]) and np.isfinite(x[-1])) or x[0] == x[-1]:
        x = np.arange(len(x), dtype=np.float64)  # no axis to divide: by number instead
    half = most // 4 * 2
    y = np.ascontiguousarray(values)
    return np.concatenate([d.downsample(x, y, n_out=half).astype(np.int64) for d in (_extremes, _shaping)])


def _odd(position: np.ndarray, values: np.ndarray, places: np.ndarray, pixels: int) -> np.ndarray:
    """Of NaN, Inf and -Inf, the first in each pixel."""
    x = position if np.isfinite(position[[0, -1]]).all() else np.arange(len(position))
    span = float(x[-1] - x[0]) or 1.0
    pixel = ((x[places] - x[0]) * (pixels / span)).astype(np.int64)
    odd = values[places]
    kind = np.where(np.isnan(odd), 0, np.where(odd > 0, 1, 2))
    _, first = np.unique(pixel * 3 + kind, return_index=True)
    return places[first]
