"""TensorFlow's own initializers draw anew at every call."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.initializers import fresh


@pytest.mark.parametrize("kind", [fresh.random_normal_initializer, fresh.random_uniform_initializer])
def test_new_values_at_every_call(kind: Any) -> None:
    initializer = kind()
    tf.random.set_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = initializer((3, 3)).numpy(), initializer((3, 3)).numpy()
    assert (first != second).any()
    tf.random.set_seed(1)
    np.testing.assert_array_equal(initializer((3, 3)).numpy(), first)


@pytest.mark.parametrize("kind", [fresh.random_normal_initializer, fresh.random_uniform_initializer])
def test_a_seed_fixes_them(kind: Any) -> None:
    initializer = kind(seed=4)
    np.testing.assert_array_equal(initializer((3, 3)).numpy(), initializer((3, 3), "float32").numpy())
    assert kind.from_config(initializer.get_config()).seed == 4


def test_fixed_ones() -> None:
    assert fresh.zeros_initializer()((2,)).numpy().tolist() == [0, 0]
    assert fresh.ones_initializer()((2,), tf.int32).numpy().tolist() == [1, 1]
    assert fresh.constant_initializer(3)((2,)).numpy().tolist() == [3, 3]
