"""Text and colours for the pictures that are drawn here, with Pillow alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

INK, PALE, PAPER, RIGHT, WRONG = (33, 37, 41), (134, 142, 150), (255, 255, 255), (25, 113, 54), (201, 42, 42)
"""Colours of text, of what matters less, of the ground, of what is right and what is wrong."""

# From white to a dark blue, evenly in lightness, so that twice as much looks twice as dark: in 256 steps.
_SHADES = np.array(
    [(255, 255, 255), (222, 235, 247), (158, 202, 225), (66, 146, 198), (8, 81, 156), (8, 48, 107)], np.uint8
)
_STEPS = np.stack(
    [np.interp(np.linspace(0, 1, 256), np.linspace(0, 1, len(_SHADES)), shade) for shade in _SHADES.T], axis=1
).astype(np.uint8)
# Fonts that systems have, for letters that Pillow's own font lacks.
_WIDE_FONTS = (
    *("NotoSansCJK-Regular.ttc", "wqy-microhei.ttc", "DroidSansFallbackFull.ttf"),
    *("msyh.ttc", "PingFang.ttc", "Arial Unicode.ttf", "NotoSans-Regular.ttf", "DejaVuSans.ttf"),
)


def shades(shares: np.ndarray) -> np.ndarray:
    """Colours of numbers from 0 (white) to 1 (dark blue), as uint8 along a new last dimension."""
    return _STEPS[(shares * 255 + 0.5).astype(np.uint8)]


def font(size: int, text: str = "") -> Any:
    """A font of a size in pixels that has the letters of a text, as far as there is one."""
    return _font(size, any(ord(letter) > 0x24F for letter in text))


@lru_cache(maxsize=64)
def _font(size: int, is_wide: bool) -> Any:
    from PIL import ImageFont  # start-up

    for name in _WIDE_FONTS if is_wide else ():
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def fitted(text: str, size: int, width: float) -> str:
    """As much of a text as fits into a width, with dots for the rest."""
    letters = font(size, text)
    if letters.getlength(text) <= width:
        return text
    while text and letters.getlength(text + "…") > width:
        text = text[:-1]
    return text + "…" if text else ""
