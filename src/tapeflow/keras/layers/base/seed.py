"""`SeedGenerator`: the source of a layer's random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.random import Counter, counter_for, counter_in_use
from tapeflow.engine.values.tensor import Tensor


class SeedGenerator:
    """A seed and a count: each draw gives another key, the same ones after every start from the seed.

    Args:
        seed: an integer; without one it is drawn from the generator that `tf.random.set_seed` and
            `tf.keras.utils.set_random_seed` reset, so that a seeded program repeats itself.
        name: ignored.
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise ValueError(
                f"Argument `seed` must be an integer. Received: seed={seed!r}. Pass an integer, or None for one "
                "drawn from the global generator."
            )
        self.seed = None if seed is None else int(seed)
        self.counter = Counter(self._first_seed())

    def _first_seed(self) -> int:
        if self.seed is not None:
            return self.seed
        high, low = counter_for(None).next_words()
        return (high << 32) | low

    def next_key(self) -> Tensor:
        """A key for one draw: a uint32 tensor of two elements."""
        return counter_in_use(self.counter).next_key()

    def next(self, ordered: bool = True) -> Tensor:
        """A key for one draw, under Keras 3's name."""
        return self.next_key()

    def get_config(self) -> dict[str, Any]:
        """The arguments to make an equal one."""
        return {"seed": self.seed}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """An equal one."""
        return cls(**config)
