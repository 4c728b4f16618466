"""Shapes of results, worked out from examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.op import Instance
from tapeflow.engine.settings import settings


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ops whose kernels are traced to infer a shape; nothing runs meanwhile, which would trace them, too."""
    monkeypatch.setattr(settings, "soft_nodes", settings.hard_nodes)
    found: list[str] = []
    infer = Instance._infer

    def counted(self: Instance, specs: object) -> object:
        found.append(self.op.name)
        return infer(self, specs)

    monkeypatch.setattr(Instance, "_infer", counted)
    return found


def test_few_shapes_are_traced(traced: list[str]) -> None:
    weights = tf.constant(np.ones((3, 5), "float32"))
    for n in range(20, 60):
        x = tf.constant(np.ones((2, n, 3), "float32"))
        y = tf.nn.relu(tf.reshape(tf.matmul(x, weights), (2 * n, 5)))
        assert y.shape == (2 * n, 5)
        assert tf.concat([y, y], 0).shape == (4 * n, 5)
    assert len(traced) < 20, Counter(traced)


def test_shapes_that_do_not_fit_are_refused_as_before() -> None:
    for n in range(3, 9):
        tf.matmul(tf.ones((2, n)), tf.ones((n, 4)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible"):
        tf.matmul(tf.ones((2, 9)), tf.ones((8, 4)))
    for n in range(3, 9):
        assert (tf.ones((n, 4)) + tf.ones((n, 4))).shape == (n, 4)
    assert (tf.ones((9, 4)) + tf.ones((1, 4))).shape == (9, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.ones((9, 4)) + tf.ones((8, 4))
