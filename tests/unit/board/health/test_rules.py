from __future__ import annotations

import numpy as np

from tapeflow.board.health import rules
from tapeflow.board.health.trend import Trend


def judged(values: np.ndarray) -> rules.Finding | None:
    trend = Trend()
    trend.add(np.arange(len(values)), values)
    return rules.scalar_finding("loss", "loss", trend, True)


def climbing(height: float) -> np.ndarray:
    """A loss that falls from 4 to 1 and then creeps up again by so much of what it has gained."""
    t = np.linspace(0, 1, 400)
    rise = 3 * height * np.clip((t - 0.7) / 0.3, 0, 1)
    return 1 + 3 * np.exp(-8 * t) + rise + 0.01 * np.random.default_rng(0).normal(size=400)


def test_a_loss_that_climbs_to_its_end_diverges_before_it_is_back_where_it_began() -> None:
    found = judged(climbing(0.9))
    assert found is not None
    assert found.code == "diverged"
    assert 200 < (found.step or 0) < 320
    assert judged(climbing(0.3)) is None


def test_a_loss_that_comes_down_again_does_not_diverge() -> None:
    t = np.linspace(0, 1, 400)
    hill = 2.5 * np.exp(-((t - 0.8) ** 2) / 0.005)
    assert judged(1 + 3 * np.exp(-8 * t) + hill) is None
