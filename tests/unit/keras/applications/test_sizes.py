"""Widths, padding and sizes of images that several networks share."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.keras.applications.sizes import in_eights, padding_before_stride, rows_of, trained_size


def test_widths_are_in_eights_and_never_a_tenth_less() -> None:
    assert [in_eights(n) for n in (1, 11, 11.2, 12, 32 * 0.35, 1280 * 1.4)] == [8, 16, 16, 16, 16, 1792]


def test_padding_is_one_less_before_an_even_length() -> None:
    assert padding_before_stride(tf.keras.Input((7, 8, 3)), 3) == ((1, 1), (0, 1))
    assert padding_before_stride(tf.keras.Input((None, 9, 3)), 5) == ((1, 2), (2, 2))


def test_sizes_of_images() -> None:
    assert [trained_size(s, (96, 224)) for s in ((96, 96, 3), (96, 80, 3), (64, 64, 3), None)] == [
        *(96, 224, 224, 224)
    ]
    assert (rows_of((50, 60, 3), None), rows_of(None, 224)) == (50, 224)
