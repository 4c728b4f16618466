"""The picture of a confusion matrix: shades, names and numbers, for few and for many classes."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow.summary.kinds.confusion_picture import confusion_picture, shortened
from tapeflow.summary.kinds.drawing import fitted, font, shades


@pytest.mark.parametrize("classes", [0, 1, 3, 10, 130, 700])
def test_sizes_stay_in_bounds(classes: int) -> None:
    picture = confusion_picture(np.eye(classes, dtype=np.int64))
    assert picture.dtype == np.uint8
    assert max(picture.shape) < 4700
    assert classes < 2 or min(picture.shape[:2]) >= classes  # a pixel for each at the least


def test_a_cell_is_as_dark_as_its_share_of_the_row() -> None:
    few = confusion_picture(np.array([[9, 1], [1, 1]]))
    many = confusion_picture(np.array([[900, 100], [50, 50]]))
    dark = few.min(axis=2) < 100
    assert dark.any()
    assert few.shape == many.shape
    assert abs(float(few.mean()) - float(many.mean())) < 3  # the numbers differ, the shades do not


def test_long_and_foreign_names_fit() -> None:
    picture = confusion_picture(np.eye(3, dtype=np.int64), ["x" * 500, "größe", "猫"])
    assert picture.shape[1] < 600


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (9949, "9.9k"),
        (12345, "12k"),
        (2_500_000, "2.5M"),
        (10**10, "10G"),
    ],
)
def test_counts_are_short(count: int, text: str) -> None:
    assert shortened(count) == text


def test_shades_run_from_white_to_dark() -> None:
    found = shades(np.array([0.0, 0.5, 1.0])).astype(int).sum(axis=1)
    assert found[0] == 3 * 255
    assert found[0] > found[1] > found[2]


def test_texts_are_cut_with_dots() -> None:
    assert fitted("cat", 12, 100) == "cat"
    cut = fitted("a long name of a class", 12, 60)
    assert cut.endswith("…")
    assert font(12).getlength(cut) <= 60
    assert fitted("cat", 12, 1) == ""
