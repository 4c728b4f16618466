"""The random choice of dropout: its share, and that elements and draws have nothing to do with each other."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.random import Counter
from tapeflow.ops.random.noise import dropout_op

SIZE = 256


def _kept(seed: int, rate: float = 0.5, count: int = 1) -> np.ndarray:
    counter = Counter(seed)
    x = tf.ones((SIZE, SIZE))
    drawn = [
        dropout_op(x, counter.next_key(), rate=rate, noise_shape=(SIZE, SIZE)).numpy() for _ in range(count)
    ]
    return np.stack(drawn) != 0


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5, 0.9])
def test_the_share_is_the_rate(rate: float) -> None:
    for seed in range(4):
        share = 1 - _kept(seed, rate).mean()
        assert abs(share - rate) < 4.5 * np.sqrt(rate * (1 - rate)) / SIZE


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def test_neighbours_and_draws_are_independent() -> None:
    one, two = _kept(1, count=2)
    bound = 4.5 / SIZE
    assert abs(_correlation(one, two)) < bound
    assert abs(_correlation(one, _kept(2)[0])) < bound
    for shift in (1, 2, 16, 64):
        for axis in (0, 1):
            assert abs(_correlation(one, np.roll(one, shift, axis))) < bound
            assert abs(_correlation(one, np.roll(two, shift, axis))) < bound


def test_rows_and_columns_have_the_spread_of_a_fair_coin() -> None:
    for kept in _kept(3, count=3):
        for axis in (0, 1):
            spread = kept.sum(axis).var() / (SIZE / 4)
            assert 0.65 < spread < 1.4
