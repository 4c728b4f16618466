"""Schedules of constant pieces."""

from __future__ import annotations

import pytest

from tapeflow.keras.optimizers import schedules


def test_boundaries_and_values_must_fit() -> None:
    with pytest.raises(ValueError, match="length of boundaries should be 1 less than the length of values"):
        schedules.PiecewiseConstantDecay([1, 2], [0.1, 0.2])
