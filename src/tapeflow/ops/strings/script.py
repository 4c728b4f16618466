"""`tf.strings.unicode_script`: which script a character belongs to, by the numbers of ICU."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_array
from tapeflow.ops.ragged.tensor import RaggedTensor

_LAST = 0x10FFFF


@cache
def _ranges() -> tuple[np.ndarray, np.ndarray]:
    """Where each run of characters of one script begins, and its number; from Unicode's property `Script`."""
    text = resources.files("tapeflow.ops.strings").joinpath("unicode_scripts.txt").read_text("ascii")
    pairs = [entry.split(":") for entry in text.split()]
    return np.array([int(a, 16) for a, _ in pairs]), np.array([int(b) for _, b in pairs], np.int32)


def unicode_script(input: TensorLike, name: str | None = None) -> Any:
    """The number of the script of each code point, -1 for what is none: 0 common, 8 Cyrillic, 17 Han, 25 Latin, ...

    >>> tf.strings.unicode_script([ord("a"), ord("1"), 0x416]).numpy().tolist()
    [25, 0, 8]
    """
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_scripts(input.flat_values))
    return _scripts(input)


def _scripts(input: TensorLike) -> Tensor:
    points = read_array(input, "tf.strings.unicode_script", "input")
    starts, scripts = _ranges()
    found = scripts[np.searchsorted(starts, np.clip(points, 0, _LAST), side="right") - 1]
    return convert_to_tensor(np.where((points < 0) | (points > _LAST), np.int32(-1), found))
