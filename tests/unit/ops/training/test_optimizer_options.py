"""What optimizers do around their rules: the same on tensors as on arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.training.optimizer_options import (
    Clip,
    accumulated,
    averaged,
    clipped,
    decay_of,
    is_due,
)

CLIP = Clip(
    lambda g, limit: ("norm", g, limit),
    lambda grads, limit: [("global", g, limit) for g in grads],
    lambda g, low, high: ("value", g, low, high),
)


def bounds(**given: float) -> Any:
    return SimpleNamespace(**{"clipnorm": None, "global_clipnorm": None, "clipvalue": None, **given})


@pytest.mark.parametrize("kind", [np.float32, tf.constant, tf.Variable])
def test_arithmetic_on_arrays_tensors_and_variables(kind: Any) -> None:
    x, y = kind(3.0), kind(5.0)
    total, mean = accumulated(x, y, 4)
    assert (float(total), float(mean)) == (8.0, 2.0)
    assert float(averaged(x, y, 0.75)) == 3.5
    assert float(decay_of(x, 0.5, y)) == 7.5


@pytest.mark.parametrize("kind", [int, tf.constant, tf.Variable])
def test_every_third_step_is_due(kind: Any) -> None:
    assert [bool(is_due(kind(count), 3)) for count in range(6)] == [False, False, True] * 2


def test_the_first_bound_counts() -> None:
    assert clipped(["g"], bounds(clipnorm=1.0, global_clipnorm=2.0, clipvalue=3.0), CLIP) == [
        ("norm", "g", 1.0)
    ]
    assert clipped(["g"], bounds(global_clipnorm=2.0, clipvalue=3.0), CLIP) == [("global", "g", 2.0)]
    assert clipped(["g"], bounds(clipvalue=3.0), CLIP) == [("value", "g", -3.0, 3.0)]
    assert clipped(["g"], bounds(clipnorm=0.0), CLIP) == ["g"]
