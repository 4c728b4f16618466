"""Structures without their sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.shapes.skeleton import Fixed, filled, split


def parted(value: Any) -> tuple[Any, list[int]]:
    sizes: list[int] = []
    return split(value, sizes), sizes


def test_numbers_are_taken_out_in_order() -> None:
    value = {"shape": (3, [4, "x"]), "is": True, "rate": 0.5, "array": np.arange(2), "at": Fixed(9)}
    skeleton, sizes = parted(value)
    assert sizes == [3, 4]
    hash(skeleton)
    assert skeleton == parted({**value, "shape": (7, [8, "x"])})[0]
    for other in (
        {"rate": 0.25},
        {"is": False},
        {"array": np.arange(3)},
        {"at": Fixed(8)},
        {"shape": (3, 4)},
    ):
        assert skeleton != parted({**value, **other})[0]


def test_others_take_their_place() -> None:
    value = {"shape": (3, [4, "x"]), "is": True}
    assert filled(value, iter([5, 6])) == {"shape": (5, [6, "x"]), "is": True}
    spec = spec_of((2, 3), tf.float32)
    assert parted(spec)[1] == [2, 3]
    assert filled(spec, iter([4, 5])).shape == (4, 5)
    assert filled(spec, iter([4, 5])).np_dtype == np.float32
