"""TensorFlow's own initializers, such as `tf.random_normal_initializer`.

They are Keras's under other names, with one difference: without a seed they draw new values at every
call, so one of them may serve many weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.keras.initializers.fixed import Constant, Ones, Zeros
from tapeflow.keras.initializers.random import RandomInitializer, RandomNormal, RandomUniform


class _Fresh(RandomInitializer):
    """Forgets the key that was drawn for the last call."""

    def generator(self, kwargs: dict[str, Any]) -> np.random.Generator:
        if self.seed is None:
            self._key = None
            self._used = False
        return super().generator(kwargs)


class random_normal_initializer(_Fresh, RandomNormal):
    """Normally distributed numbers, new ones at every call unless there is a seed."""


class random_uniform_initializer(_Fresh, RandomUniform):
    """Numbers from `minval` up to `maxval`, new ones at every call unless there is a seed."""


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
