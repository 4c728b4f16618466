"""Python's and numpy's own random numbers, which a user's data may draw from."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def host_random() -> Any:
    """Where they are, as plain values."""
    version, words, gauss = random.getstate()
    python = (version, np.array(words, np.uint32), gauss)  # an array takes far less room in a file
    return {"python": python, "numpy": np.random.get_state(legacy=True)}


def set_host_random(state: Any) -> None:
    """Go on where they were."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words.tolist()), gauss))
    np.random.set_state(state["numpy"])


def is_same_random(state: Any) -> bool:
    """Whether nothing has been drawn since."""
    now = host_random()
    return all(
        now[kind][2:] == state[kind][2:] and np.array_equal(now[kind][1], state[kind][1])
        for kind in ("python", "numpy")
    )
