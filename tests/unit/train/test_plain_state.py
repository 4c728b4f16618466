"""Plain state: what comes out is what went in, type by type."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from tapeflow.train.plain_state import packed, unpacked

STATES = {
    "numbers": {"a": 1, "b": 0.1, "c": True, "d": None, "e": 1 << 90, "f": -0.0, "g": math.inf},
    "keys": {1: "a", (2, 3): "b", "$tuple": "c"},
    "tuples": [(1, (2, [3])), ()],
    "bytes": {"raw": b"\x00\xff", "text": "ä"},
    "numpy": {"n": np.float32(0.1), "i": np.int64(3), "a": np.arange(3, dtype=np.uint16), "s": np.array("x")},
}


def through_json(state: Any) -> Any:
    tensors: dict[str, np.ndarray] = {}
    text = json.dumps(packed(state, tensors, "p"))
    return unpacked(json.loads(text), tensors.__getitem__)


@pytest.mark.parametrize("name", STATES)
def test_comes_back(name: str) -> None:
    found = through_json(STATES[name])
    assert repr(found) == repr(STATES[name])


def test_arrays_of_objects() -> None:
    elements = np.empty(2, object)
    elements[0], elements[1] = (np.zeros(2), 1), (np.ones(2), 2)
    found = through_json({"buffer": elements})["buffer"]
    assert found.dtype == object
    assert found.shape == (2,)
    assert found[1][1] == 2
    assert found[1][0].tolist() == [1.0, 1.0]
    assert math.isnan(through_json([math.nan])[0])


def test_nothing_else() -> None:
    with pytest.raises(
        TypeError, match="expected numbers, texts, arrays and structures of them; got a function"
    ):
        packed({"f": test_comes_back}, {}, "p")
    with pytest.raises(ValueError, match=r"expected a known mark; got '\$code'"):
        unpacked({"$code": "1"}, None)
