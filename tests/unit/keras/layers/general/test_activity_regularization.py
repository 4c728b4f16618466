"""ActivityRegularization."""

from __future__ import annotations

import tapeflow as tf


def test_the_loss_is_by_sample() -> None:
    layer = tf.keras.layers.ActivityRegularization(l1=0.5, l2=0.25)
    x = tf.constant([[1.0, -2.0], [3.0, 0.0]])
    assert layer(x) is x
    (loss,) = layer.losses
    assert abs(float(loss) - (0.5 * 6 + 0.25 * 14) / 2) < 1e-6
