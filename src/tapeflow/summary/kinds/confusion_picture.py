"""A confusion matrix as a picture: for boards that do not draw it themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.summary.kinds.drawing import INK, PALE, PAPER, fitted, font, shades
from tapeflow.summary.kinds.images import png

_MOST_PIXELS = 4096  # of a side of the matrix
_LINE, _GAP = 18, 6
_LONGEST_NAME = 160
_LEAST_CELL = 10  # pixels that a number takes
_GRID = (222, 226, 230)


def confusion_strings(counts: np.ndarray, class_names: Sequence[str] | None = None) -> np.ndarray:
    """What an image summary of a confusion matrix holds."""
    picture = confusion_picture(counts, class_names)
    height, width, _ = picture.shape
    return np.array([str(width).encode(), str(height).encode(), png(picture)], dtype=object)


def confusion_picture(counts: np.ndarray, class_names: Sequence[str] | None = None) -> np.ndarray:
    """Pixels of shape `[height, width, 3]`: a row for each true class, a column for each predicted one.

    The shade of a cell is its share of the row, so a rare class shows as clearly as a common one; the number is
    the count, and the share below it where there is room. Up to 290 classes every name is written, and every
    count that fits its cell.
    """
    from PIL import Image, ImageDraw  # start-up

    classes = len(counts)
    cell = int(np.clip(640 // max(classes, 1), 14, 64))
    cell = max(min(cell, _MOST_PIXELS // max(classes, 1)), 1)
    letters = int(np.clip(cell * 0.8, 11, 14))
    names = list(class_names or map(str, range(classes)))
    names = [fitted(str(name), letters, _LONGEST_NAME) for name in names]
    margin = int(max([font(letters, n).getlength(n) for n in names], default=0)) + 2 * _GAP
    side = cell * classes
    left, top = margin + _LINE, 2 * _LINE + _GAP + margin
    picture = Image.new("RGB", (max(left + side, 240) + 2 * _GAP, top + side + 2 * _GAP), PAPER)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    picture.paste(Image.fromarray(np.kron(shades(shares), np.ones((cell, cell, 1), np.uint8))), (left, top))
    draw = ImageDraw.Draw(picture)
    total, hits = int(counts.sum()), int(np.trace(counts))
    title = f"{hits:,} of {total:,} right" + (f" ({hits / total:.1%})" if total else "")
    draw.text((_GAP, _GAP), title, INK, font(14))
    draw.text((left + side / 2, _LINE + 2 * _GAP), "predicted", PALE, font(12), anchor="mm")
    _draw_sideways(picture, (2, top + side // 2), "true", PALE, 12, is_centred=True)
    for at in range(0, side + 1, cell) if cell > 3 else ():
        draw.line((left, top + at, left + side, top + at), _GRID)
        draw.line((left + at, top, left + at, top + side), _GRID)
    every = -(-(letters + 1) // cell)  # where rows are lower than letters, some names are left out
    for i in range(0, classes, every):
        at = i * cell + cell / 2
        draw.text((left - _GAP, top + at), names[i], INK, font(letters, names[i]), anchor="rm")
        _draw_sideways(picture, (left + int(at) - letters // 2 - 1, top - _GAP), names[i], INK, letters)
    _draw_numbers(draw, counts, shares, cell, left, top)
    return np.asarray(picture)


def _draw_numbers(draw: Any, counts: np.ndarray, shares: np.ndarray, cell: int, left: int, top: int) -> None:
    if cell < _LEAST_CELL:
        return
    size = int(np.clip(cell * 0.42, 8, 15))
    is_roomy = cell >= 40
    numbers, small = font(size), font(max(size - 5, 9))
    for i, j in zip(*np.nonzero(counts), strict=True):
        text = shortened(int(counts[i, j]))
        if numbers.getlength(text) > cell - 1:
            continue
        colour = PAPER if shares[i, j] > 0.5 else INK
        x, y = left + j * cell + cell / 2, top + i * cell + cell / 2
        draw.text((x, y - (cell / 8 if is_roomy else 0)), text, colour, numbers, anchor="mm")
        if is_roomy:
            draw.text((x, y + cell / 4), f"{shares[i, j]:.0%}", colour, small, anchor="mm")


def shortened(count: int) -> str:
    """A count in at most four characters up to a million.

    >>> shortened(999), shortened(12345), shortened(2_500_000)
    ('999', '12k', '2.5M')
    """
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            found = count / size
            return f"{found:.1f}{letter}" if found < 9.95 else f"{found:.0f}{letter}"
    return str(count)


def _draw_sideways(
    picture: Any, at: tuple[int, int], text: str, colour: tuple[int, ...], size: int, is_centred: bool = False
) -> None:
    """Text that runs upwards from a place, or is centred on it."""
    from PIL import Image, ImageDraw  # start-up

    if not text:
        return
    letters = font(size, text)
    length = int(letters.getlength(text)) + 1
    strip = Image.new("L", (length, size + 4))
    ImageDraw.Draw(strip).text((0, 0), text, 255, letters)
    strip = strip.rotate(90, expand=True)
    x, y = at
    picture.paste(colour, (x, y - (length // 2 if is_centred else length)), strip)
