"""Names that are there to be mentioned."""

from __future__ import annotations

import pytest

from tapeflow.engine.absent import absent


def test_an_absent_name_can_be_mentioned_and_not_used() -> None:
    thing = absent("tf.tpu.Thing", "Use another.")
    assert not isinstance(3, thing)
    assert issubclass(type("Mine", (thing,), {}), thing)
    assert thing.Part.__name__ == "Part"
    assert not hasattr(thing, "__wrapped__")
    with pytest.raises(NotImplementedError, match=r"tf.tpu.Thing.Part is not part of TapeFlow. Use another."):
        thing.Part()
