"""`AbstractRNNCell`: cells of the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


class Minimal(L.AbstractRNNCell):
    """The cell of the guide to recurrent networks."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        self.units = units
        super().__init__(**kwargs)

    @property
    def state_size(self) -> int:
        return self.units

    @property
    def output_size(self) -> int:
        return self.units

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="kernel")
        super().build(input_shape)

    def call(self, inputs: Any, states: Any) -> Any:
        output = tf.keras.backend.dot(inputs, self.kernel) + 0.5 * states[0]
        return output, output


def test_a_cell_of_the_users_own() -> None:
    outputs = L.RNN(Minimal(2))(tf.ones((3, 2, 4)))
    np.testing.assert_allclose(outputs.numpy(), np.full((3, 2), 6.0))
    assert Minimal(2).get_initial_state(batch_size=3, dtype=tf.float32).shape == (3, 2)


def test_what_a_cell_must_have() -> None:
    cell = L.AbstractRNNCell()
    with pytest.raises(NotImplementedError, match="expected a property `state_size`"):
        _ = cell.state_size
    with pytest.raises(NotImplementedError, match="expected a property `output_size`"):
        _ = cell.output_size
    with pytest.raises(NotImplementedError, match="expected a method `call"):
        cell.call(None, None)
