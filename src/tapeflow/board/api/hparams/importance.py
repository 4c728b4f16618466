"""Which hparams matter for a metric: permutation importance in a small forest, with rank correlation beside it.

The forest (extremely randomised trees, each grown on a bootstrap sample) learns to predict the *rank* of a session by
the metric from its hparams: among ranks no diverged session with a loss of 1e30 outweighs the others. Each tree is
asked about the sessions it has not seen, once as they are and once with the values of one hparam shuffled among them;
how much worse it then predicts, as a share of the spread of ranks, is what that hparam is worth to it. What only looks
related, or names each session (a seed, a path), is worth nothing there, as it does not help with sessions not seen.
The same sessions give the same answer: random numbers come from a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tapeflow.board.api.hparams.notes import NOTES
from tapeflow.board.api.hparams.schema import HParamColumn, HParamImportance, ImportanceAnswer
from tapeflow.board.notes import joined
from tapeflow.board.schema import Note

LEAST_SESSIONS = 10
MOST_SESSIONS = 1000
MOST_HPARAMS = 60
_TREES = 30
_MOST_DEPTH = 10
_LEAST_SPLIT = 6
_TRIES = 2  # thresholds tried of each hparam
_SEED = 20_240_817


class _Feature(NamedTuple):
    """An hparam as numbers: ranks, or the numbers of its categories; a missing value is one of its own."""

    codes: np.ndarray
    categories: int  # 0 for ranks


class _Tree(NamedTuple):
    """A tree as columns: what each node asks, where its children are, and what it predicts."""

    features: np.ndarray  # -1 for a leaf
    limits: np.ndarray
    subsets: np.ndarray  # where in `pool` the node's categories begin; -1 for a node that asks for a number
    pool: np.ndarray  # whether a category goes left
    lefts: np.ndarray  # the right child is the next
    values: np.ndarray


def importance_of(hparams: Sequence[HParamColumn], metric: Sequence[float | str | None]) -> ImportanceAnswer:
    """Which hparams matter for a metric.

    Args:
        hparams: the columns of hparams.
        metric: the value of each session; those without one, or NaN, are left out.
    """
    target = np.array([math.nan if value is None else float(value) for value in metric])
    rows = np.flatnonzero(~np.isnan(target))[:MOST_SESSIONS]
    ranks = _ranks(target[rows])
    answers: list[HParamImportance] = []
    features: dict[int, _Feature] = {}
    for number, column in enumerate(hparams):
        feature = _feature(column, rows)
        is_constant = len(np.unique(feature.codes)) < 2
        correlation = None if is_constant else _correlation(feature, ranks)
        answers.append(
            {
                "name": column["name"],
                "display_name": column["display_name"],
                "kind": column["kind"],
                "is_constant": is_constant,
                "importance": None,
                "error": None,
                "correlation": correlation,
            }
        )
        if not is_constant:
            features[number] = feature
    notes = _notes(len(rows), features, ranks)
    explained = None
    if not notes:
        by_correlation = sorted(features, key=lambda i: -abs(answers[i]["correlation"] or 0.0))
        chosen = sorted(by_correlation[:MOST_HPARAMS])
        explained, means, errors = _forest([features[i] for i in chosen], ranks)
        for i, mean, error in zip(chosen, means.tolist(), errors.tolist(), strict=True):
            answers[i]["importance"], answers[i]["error"] = max(mean, 0.0), error
    answers.sort(
        key=lambda one: (-(one["importance"] or 0.0), one["is_constant"], -abs(one["correlation"] or 0.0))
    )
    return {
        "sessions": len(rows),
        "explained": explained,
        "reason": joined(notes),
        "notes": notes,
        "hparams": answers,
    }


def _notes(sessions: int, features: dict[int, _Feature], ranks: np.ndarray) -> list[Note]:
    """Why nothing can be said, if so."""
    if sessions < LEAST_SESSIONS:
        return [NOTES("few", least=LEAST_SESSIONS, n=sessions)]
    if not features:
        return [NOTES("alike")]
    return [] if ranks.any() else [NOTES("flat")]


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 0 on, equal values sharing the mean of theirs, about their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2.0 - 1.0)[places]
    return ranks - ranks.mean() if len(ranks) else ranks


def _feature(column: HParamColumn, rows: np.ndarray) -> _Feature:
    values = [column["values"][row] for row in rows.tolist()]
    if column["kind"] == "number":
        found = np.array([math.nan if value is None else float(value) for value in values])
        codes = _ranks(np.nan_to_num(found, nan=-math.inf, posinf=math.inf, neginf=-1.7e308))
        return _Feature(codes, 0)
    known = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return _Feature(np.array([known[value] for value in values], np.float64), len(known))


def _correlation(feature: _Feature, ranks: np.ndarray) -> float | None:
    """Spearman's for numbers; else the correlation ratio: how much the means of categories spread."""
    spread = float(ranks @ ranks)
    if not spread:
        return None
    if not feature.categories:
        return float(feature.codes @ ranks / math.sqrt(float(feature.codes @ feature.codes) * spread))
    codes = feature.codes.astype(np.intp)
    counts = np.bincount(codes, minlength=feature.categories)
    sums = np.bincount(codes, ranks, feature.categories)
    between = float((sums * sums / np.maximum(counts, 1)).sum()) / spread
    # What categories of chance would explain is taken off: of n sessions each with its own nothing is left.
    free = len(ranks) - feature.categories
    return math.sqrt(max(1.0 - (1.0 - between) * (len(ranks) - 1) / free, 0.0)) if free > 0 else None


def _forest(features: list[_Feature], target: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """How much of the spread is predicted of rows not seen; for each feature what is lost without it, and its error."""
    rng = np.random.default_rng(_SEED)
    table = np.stack([feature.codes for feature in features], axis=1)
    categories = np.array([feature.categories for feature in features])
    count, spread = len(target), float(target @ target) / len(target)
    sums, seen = np.zeros(count), np.zeros(count)
    losses = []
    for _ in range(_TREES):
        drawn = rng.integers(0, count, count)
        unseen = np.setdiff1d(np.arange(count), drawn)
        if not len(unseen):
            continue
        tree = _grow(table, categories, target, drawn, rng)
        rows = table[unseen]
        predicted = _predict(tree, rows)
        sums[unseen] += predicted
        seen[unseen] += 1
        error = np.mean((target[unseen] - predicted) ** 2)
        loss = np.zeros(len(features))
        for feature in np.unique(tree.features[tree.features >= 0]).tolist():
            shuffled = rows.copy()
            shuffled[:, feature] = rng.permutation(rows[:, feature])
            loss[feature] = np.mean((target[unseen] - _predict(tree, shuffled)) ** 2) - error
        losses.append(loss / spread)
    known = seen > 0
    missed = float(np.mean((target[known] - sums[known] / seen[known]) ** 2))
    found = np.array(losses)
    return 1.0 - missed / spread, found.mean(axis=0), found.std(axis=0) / math.sqrt(len(found))


def _grow(
    table: np.ndarray, categories: np.ndarray, target: np.ndarray, drawn: np.ndarray, rng: np.random.Generator
) -> _Tree:
    """A tree of random splits, of which each node takes the one that leaves the least spread."""
    features, limits, lefts, values = [-1], [0.0], [0], [0.0]
    subsets, pool = [-1], [np.zeros(0, bool)]
    waiting = [(0, drawn, 0)]
    least = max(
        _LEAST_SPLIT, len(drawn) // 40
    )  # finer leaves cost time and change nothing in the order of hparams
    while waiting:
        node, rows, depth = waiting.pop()
        y = target[rows]
        values[node] = float(y.mean())
        if depth == _MOST_DEPTH or len(rows) < least or np.ptp(y) == 0:
            continue
        split = _split(table[rows], categories, y - values[node], rng)
        if split is None:
            continue
        feature, limit, subset, goes_left = split
        features[node], limits[node], lefts[node] = feature, limit, len(features)
        if subset is not None:
            subsets[node] = sum(map(len, pool))
            pool.append(subset)
        for part in (rows[goes_left], rows[~goes_left]):
            waiting.append((len(features), part, depth + 1))
            features.append(-1)
            limits.append(0.0)
            lefts.append(0)
            values.append(0.0)
            subsets.append(-1)
    return _Tree(
        np.array(features),
        np.array(limits),
        np.array(subsets),
        np.concatenate(pool),
        np.array(lefts),
        np.array(values),
    )


def _split(
    rows: np.ndarray, categories: np.ndarray, y: np.ndarray, rng: np.random.Generator
) -> tuple[int, float, np.ndarray | None, np.ndarray] | None:
    """Feature, limit or subset of categories, and which rows go left; None if nothing parts these rows."""
    places = rows
    orders: dict[int, np.ndarray] = {}
    if categories.any():
        places = rows.copy()
        for feature in np.flatnonzero(categories).tolist():
            # Categories in an order of chance: a limit then parts them into two sets of chance.
            orders[feature] = order = rng.random(int(categories[feature]))
            places[:, feature] = order[rows[:, feature].astype(np.intp)]
    low, high = places.min(axis=0), places.max(axis=0)
    limits = low + (high - low) * rng.random((_TRIES, len(low)))
    is_left = places[None] < limits[:, None, :]
    counts = is_left.sum(axis=1)
    sums = y @ is_left.astype(np.float64)
    room = counts * (len(y) - counts)
    gains = np.where(room > 0, sums * sums / np.maximum(room, 1), -1.0)
    best = int(np.argmax(gains))
    if gains.flat[best] <= 0:
        return None
    attempt, feature = divmod(best, len(low))
    limit = float(limits[attempt, feature])
    subset = orders[feature] < limit if feature in orders else None
    return feature, limit, subset, is_left[attempt, :, feature]


def _predict(tree: _Tree, rows: np.ndarray) -> np.ndarray:
    nodes = np.zeros(len(rows), np.intp)
    for _ in range(_MOST_DEPTH):
        features = tree.features[nodes]
        inner = np.flatnonzero(features >= 0)
        if not len(inner):
            break
        values = rows[inner, features[inner]]
        goes_left = values < tree.limits[nodes[inner]]
        subsets = tree.subsets[nodes[inner]]
        named = np.flatnonzero(subsets >= 0)
        goes_left[named] = tree.pool[subsets[named] + values[named].astype(np.intp)]
        nodes[inner] = tree.lefts[nodes[inner]] + ~goes_left
    return tree.values[nodes]
