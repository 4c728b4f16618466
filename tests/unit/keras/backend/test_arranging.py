"""Loops over rows."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.keras import backend as K


def test_functions_are_mapped_and_folded_over_rows() -> None:
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert K.map_fn(lambda row: row * 2, rows).numpy().tolist() == [[2, 4], [6, 8]]
    assert K.foldl(lambda total, row: total + row, rows).numpy().tolist() == [4, 6]
    assert K.foldr(lambda total, row: total - row, rows).numpy().tolist() == [2, 2]


def test_volumes_are_padded_and_resized() -> None:
    assert K.resize_volumes(tf.ones((1, 2, 2, 2, 1)), 2, 3, 1, "channels_last").shape == (1, 4, 6, 2, 1)
    assert K.spatial_3d_padding(tf.ones((1, 2, 2, 2, 1))).shape == (1, 4, 4, 4, 1)
