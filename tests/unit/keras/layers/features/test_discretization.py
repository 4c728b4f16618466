"""Discretization: boundaries that are learned, and saved."""

from __future__ import annotations

import numpy as np

import tapeflow as tf

layers = tf.keras.layers


def test_boundaries_are_learned_saved_and_forgotten() -> None:
    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(9.0))
    assert bins.bin_boundaries == [2.0, 5.0]
    halves = layers.Discretization(num_bins=2)
    halves.adapt([1.0, 2.0, 3.0])
    assert halves.bin_boundaries == [1.5]
    again = layers.Discretization.from_config(bins.get_config())
    np.testing.assert_array_equal(again([0.0, 4.0, 8.0]), bins([0.0, 4.0, 8.0]))
    bins.reset_state()
    assert bins.bin_boundaries == []
