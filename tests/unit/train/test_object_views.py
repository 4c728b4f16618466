"""Views of objects and checkpoints, and state of the user's own in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf


class Count(tf.train.experimental.PythonState):
    """A number, as text."""

    def __init__(self, value: int = 0) -> None:
        self.value = value

    def serialize(self) -> str:
        return f"ü{self.value}"

    def deserialize(self, string_value: bytes) -> None:
        self.value = int(string_value.decode()[1:])


def made(value: int) -> Any:
    return tf.train.Checkpoint(count=Count(value), step=tf.Variable(value), parts=[tf.Variable(1.0)])


def test_state_of_the_users_own_is_saved_and_restored(tmp_path: Path) -> None:
    path = made(5).save(tmp_path / "c")
    other = made(0)
    other.restore(path).assert_consumed()
    assert (other.count.value, int(other.step)) == (5, 5)
    with pytest.raises(NotImplementedError, match="expected a method `serialize"):
        tf.train.experimental.PythonState().serialize()
    with pytest.raises(NotImplementedError, match="expected a method `deserialize"):
        tf.train.experimental.PythonState().deserialize(b"")


def test_views(tmp_path: Path) -> None:
    checkpoint = made(5)
    view = tf.train.CheckpointView(checkpoint.save(tmp_path / "c"))
    names = view.children(0)
    assert sorted(names) == ["count", "parts", "save_counter", "step"]
    assert view.children(names["parts"]) == {"0": max(view.descendants())}
    assert sorted(view.descendants()) == list(range(6))
    found = view.match(checkpoint)
    assert found[names["step"]] is checkpoint.step
    smaller: Any = tf.train.Checkpoint(step=tf.Variable(1), other=tf.Variable(2))
    matched, missing, extra = view.diff(tf.train.TrackableView(smaller))
    assert set(matched) == {0, names["step"]}
    assert names["count"] in missing
    assert [x is smaller.other for x in extra] == [True]


def test_what_an_object_leads_to() -> None:
    checkpoint = made(1)
    view = tf.train.TrackableView(checkpoint)
    assert view.root is checkpoint
    assert sorted(view.children(checkpoint)) == ["count", "parts", "step"]
    assert any(x is checkpoint.parts[0] for x in view.descendants())
