"""Structures without their sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

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


class Named(NamedTuple):
    """A static with names, as some ops have."""

    kind: str
    size: int


def test_numbers_in_named_tuples() -> None:
    skeleton, sizes = parted((Named("slice", 7), 2))
    assert sizes == [7, 2]
    assert skeleton == parted((Named("slice", 8), 2))[0]
    assert skeleton != parted((Named("mask", 7), 2))[0]
    assert skeleton != parted((("slice", 7), 2))[0]
    assert filled((Named("slice", 7), 2), iter([5, 6])) == (Named("slice", 5), 6)
    assert type(filled(Named("slice", 7), iter([5]))) is Named


@pytest.mark.parametrize(
    "cut", [lambda x: x[:, 1:], lambda x: x[:, -1], lambda x: x[::2, :-3]], ids=["from", "last", "steps"]
)
def test_slices_of_several_sizes_have_one_skeleton(cut: Any) -> None:
    found = [parted(cut(tf.zeros((2, n, 4)))._node.instance.statics)[0] for n in (7, 9)]
    assert found[0] == found[1]


def test_others_take_their_place() -> None:
    value = {"shape": (3, [4, "x"]), "is": True}
    assert filled(value, iter([5, 6])) == {"shape": (5, [6, "x"]), "is": True}
    spec = spec_of((2, 3), tf.float32)
    assert parted(spec)[1] == [2, 3]
    assert filled(spec, iter([4, 5])).shape == (4, 5)
    assert filled(spec, iter([4, 5])).np_dtype == np.float32
