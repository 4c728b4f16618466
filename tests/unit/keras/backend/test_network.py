"""Layers of networks as functions."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.keras import backend as K


def test_volumes_are_pooled() -> None:
    assert K.pool3d(tf.ones((1, 4, 4, 4, 2)), (2, 2, 2), (2, 2, 2)).shape == (1, 2, 2, 2, 2)
