"""Projections that take about a second, in numpy: principal components, axes of the user's own; and neighbours."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tapeflow.board.api.projector.metadata import Column

Metric = Literal["cosine", "euclidean"]

MOST_COMPONENTS = 10
_WIDEST_EXACT = 1024  # dimensions up to which the covariance is decomposed whole
_PART = 1 << 22  # numbers looked at at once
_OVERSAMPLED = 10
_POWERS = 4


class Principal(NamedTuple):
    """Points along the principal axes, one row a component, and what share of the variance each explains."""

    columns: np.ndarray
    variance: np.ndarray


def filled(vectors: np.ndarray) -> np.ndarray:
    """Vectors without anything that is not finite: the mean of its dimension stands in for it."""
    is_finite = np.isfinite(vectors)
    if is_finite.all():
        return vectors
    with np.errstate(invalid="ignore"):
        sums = np.where(is_finite, vectors, 0).sum(0, dtype=np.float64)
    mean = (sums / np.maximum(is_finite.sum(0), 1)).astype(np.float32)
    return np.where(is_finite, vectors, mean)


def principal(vectors: np.ndarray, components: int = MOST_COMPONENTS) -> Principal:
    """The first principal components.

    The covariance is decomposed, which is exact; for more than a thousand dimensions a randomised decomposition
    (Halko et al., with power iterations) finds the first ones without the whole of it.
    """
    points = filled(vectors)
    count, width = points.shape
    components = min(components, width, count)
    mean = points.mean(0, dtype=np.float64)
    centred = points - mean.astype(np.float32)
    total = max(float(sum(np.sum(np.square(c, dtype=np.float64)) for c in _parts(centred))), 1e-300)
    if width <= _WIDEST_EXACT:
        spread = sum(part.astype(np.float64).T @ part.astype(np.float64) for part in _parts(centred))
        values, vectors_ = np.linalg.eigh(spread)
        values, axes = values[::-1][:components], vectors_[:, ::-1][:, :components]
    else:
        axes, values = _randomised(centred, components)
    # Of the two directions of an axis the one that the largest entry points to: the same at every call.
    largest = np.abs(axes).argmax(0)
    axes = axes * np.sign(axes[largest, np.arange(axes.shape[1])])
    return Principal((centred @ axes.astype(np.float32)).T, np.maximum(values, 0) / total)


def _parts(points: np.ndarray) -> list[np.ndarray]:
    rows = max(_PART // points.shape[1], 1)
    return [points[i : i + rows] for i in range(0, len(points), rows)]


def _randomised(centred: np.ndarray, components: int) -> tuple[np.ndarray, np.ndarray]:
    start = np.random.default_rng(0).standard_normal(
        (centred.shape[1], components + _OVERSAMPLED), np.float32
    )
    found = centred @ start
    for _ in range(_POWERS):
        found = centred @ np.linalg.qr(centred.T @ np.linalg.qr(found)[0])[0]
    basis = np.linalg.qr(found)[0]
    _, singular, rows = np.linalg.svd(basis.T @ centred, full_matrices=False)
    return rows[:components].T, np.square(singular[:components].astype(np.float64))


class NoMatch(LookupError):
    """No label fits what an end of an axis is to be."""

    def __init__(self, column: str, label: str) -> None:
        super().__init__(f"no label of {column!r} is or contains {label!r}")
        self.column, self.label = column, label


def along(
    vectors: np.ndarray, column: Column, horizontal: tuple[str, str], vertical: tuple[str, str]
) -> np.ndarray:
    """Points along two axes, each from the centre of one group of points to that of another.

    Args:
        vectors: the points.
        column: the labels that name the groups.
        horizontal: what the labels at the left are, and those at the right: a whole label, or else a part of some.
        vertical: the same for below and above.

    Raises:
        NoMatch: there are no such labels.
    """
    points = filled(vectors)
    found = np.empty((2, len(points)), np.float32)
    for row, (first, second) in enumerate((horizontal, vertical)):
        low, high = (points[_named(column, text)].mean(0, dtype=np.float64) for text in (first, second))
        axis = high - low
        axis /= max(float(np.linalg.norm(axis)), 1e-30)
        found[row] = points @ axis.astype(np.float32) - np.float32((low + high) @ axis / 2)
    return found


def _named(column: Column, text: str) -> np.ndarray:
    """Which points have a label, or one with this text in it, whatever its case."""
    exact = [i for i, value in enumerate(column.values) if value == text]
    part = text.casefold()
    codes = exact or [i for i, value in enumerate(column.values) if part and part in value.casefold()]
    if not codes:
        raise NoMatch(column.name, text)
    return np.isin(column.codes, codes)


def neighbors(vectors: np.ndarray, index: int, count: int, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """The nearest points of a point, the nearest first, and how far they are."""
    point = filled(vectors[index : index + 1])[0]
    found = []
    for part in _parts(vectors):
        if metric == "euclidean":
            found.append(np.sqrt(np.square(part - point).sum(1)))
        else:
            norms = np.linalg.norm(part, axis=1) * np.linalg.norm(point)
            found.append(1 - (part @ point) / np.maximum(norms, 1e-30))
    far = np.concatenate(found).astype(np.float32)
    far[~np.isfinite(far)] = np.inf
    far[index] = np.inf
    count = min(count, len(far) - 1)
    nearest = np.argpartition(far, count - 1)[:count] if count > 0 else np.zeros(0, np.int64)
    nearest = nearest[np.argsort(far[nearest], kind="stable")]
    nearest = nearest[np.isfinite(far[nearest])]
    return nearest, far[nearest]
