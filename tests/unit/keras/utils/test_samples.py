"""Batches as x, y and sample weights."""

from __future__ import annotations

import pytest

from tapeflow.keras import utils


def test_batches() -> None:
    assert utils.unpack_x_y_sample_weight(5) == (5, None, None)
    assert utils.unpack_x_y_sample_weight([5]) == (5, None, None)
    assert utils.unpack_x_y_sample_weight((1, 2, 3)) == (1, 2, 3)
    assert utils.pack_x_y_sample_weight(1) == 1
    assert utils.pack_x_y_sample_weight([1, 2]) == ([1, 2],)
    assert utils.pack_x_y_sample_weight(1, 2) == (1, 2)
    assert utils.pack_x_y_sample_weight(1, 2, 3) == (1, 2, 3)


def test_more_than_three_parts_raise() -> None:
    with pytest.raises(ValueError, match="Data is expected to be in format `x`"):
        utils.unpack_x_y_sample_weight((1, 2, 3, 4))
