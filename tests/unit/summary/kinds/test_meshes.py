"""`mesh`: parts, types and what is read back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow import summary
from tapeflow.summary.event_files import encoding
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.meshes import read_meshes

POINTS = np.random.default_rng(0).normal(size=(4, 3))


def test_parts_are_put_together_again(writer: FileWriter) -> None:
    with writer.as_default():
        for step in range(2):
            summary.mesh("a", POINTS + step, [[0, 1, 2]], POINTS * 0 + 0.5, {"x": 1}, step, "about")
        summary.mesh("b", POINTS[None], step=0)
        summary.scalar("c", 1.0, step=0)
    first, second = read_meshes(summary.read(writer.logdir))
    assert (first.name, first.config, first.description) == ("a", {"x": 1}, "about")
    assert set(first.parts) == {"vertices", "faces", "colors"}
    assert first.parts["vertices"].steps.tolist() == [0, 1]
    np.testing.assert_array_equal(first.parts["vertices"].values[1], (POINTS + 1)[None].astype(np.float32))
    assert first.parts["faces"].values[0].dtype == np.int32
    assert np.unique(first.parts["colors"].values[0]).tolist() == [128]
    assert (second.name, set(second.parts), second.config) == ("b", {"vertices"}, {})


@pytest.mark.parametrize(
    ("colors", "written"),
    [([[255, 0, 3]], [255, 0, 3]), ([[1.0, 0.0, 0.2]], [255, 0, 51]), ([[200.0, 0.0, 3.0]], [200, 0, 3])],
    ids=["integers", "shares", "floats"],
)
def test_colours(writer: FileWriter, colors: Any, written: list[int]) -> None:
    with writer.as_default():
        summary.mesh("m", [[0, 0, 0]], colors=colors, step=0)
    (found,) = read_meshes(summary.read(writer.logdir))
    assert found.parts["colors"].values[0].tolist() == [[written]]


def test_wrong_arguments_raise(writer: FileWriter) -> None:
    with writer.as_default(), pytest.raises(ValueError, match=r"vertices of shape .* got shape \(4, 2\)"):
        summary.mesh("m", POINTS[:, :2], step=0)


def test_parts_of_no_known_kind_are_passed_over(writer: FileWriter) -> None:
    with writer.as_default():
        for i, content in enumerate((b"\xff", b"\x18\x63", b"\x18\x01\x2a\x01{")):
            metadata = encoding.metadata("mesh", content)
            summary.write(f"m{i}", POINTS, step=0, metadata=metadata)
    assert read_meshes(summary.read(writer.logdir)) == []
