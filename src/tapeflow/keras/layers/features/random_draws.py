"""`RandomDraws`: how random layers of packages draw, by the names of Keras 2."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.base.seed import SeedGenerator


class RandomDraws:
    """Draws under the names of Keras 2, each with another key."""

    def __init__(self, seed: int | None, keys: SeedGenerator) -> None:
        self._seed, self._keys = seed, keys

    def make_legacy_seed(self) -> int | None:
        """The seed for an op of `tf.random`; None if the layer has none."""
        return self._seed

    def make_seed_for_stateless_op(self) -> Tensor:
        """A seed for one op of `tf.random.stateless_*`."""
        return tf.cast(self._keys.next_key(), tf.int32)

    def random_uniform(
        self,
        shape: ShapeLike,
        minval: float = 0.0,
        maxval: float | None = None,
        dtype: DTypeLike | None = None,
        nonce: Any = None,
    ) -> Tensor:
        """Uniform numbers from `minval` to `maxval`, 1 unless given."""
        wanted = tf.as_dtype(dtype or tf.keras.backend.floatx())
        top = 1 if maxval is None else maxval
        return tf.random.stateless_uniform(shape, self.make_seed_for_stateless_op(), minval, top, wanted)

    def random_normal(
        self,
        shape: ShapeLike,
        mean: float = 0.0,
        stddev: float = 1.0,
        dtype: DTypeLike | None = None,
        nonce: Any = None,
    ) -> Tensor:
        """Normal numbers."""
        wanted = tf.as_dtype(dtype or tf.keras.backend.floatx())
        return tf.random.stateless_normal(shape, self.make_seed_for_stateless_op(), mean, stddev, wanted)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: float = 0.0,
        stddev: float = 1.0,
        dtype: DTypeLike | None = None,
        nonce: Any = None,
    ) -> Tensor:
        """Normal numbers within two standard deviations."""
        wanted = tf.as_dtype(dtype or tf.keras.backend.floatx())
        seed = self.make_seed_for_stateless_op()
        return tf.random.stateless_truncated_normal(shape, seed, mean, stddev, wanted)
