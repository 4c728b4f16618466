"""`AbstractRNNCell`: the base class of cells that users write for `RNN`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.sequence.recurrent_cell import zero_states


class AbstractRNNCell(Layer):
    """One timestep of a recurrent layer; a subclass defines the computation and the size of the states.

    >>> class Sums(tf.keras.layers.AbstractRNNCell):
    ...     state_size = output_size = 3
    ...
    ...     def call(self, inputs, states):
    ...         total = states[0] + inputs
    ...         return total, [total]
    >>> tf.keras.layers.RNN(Sums())(tf.ones((1, 5, 3))).numpy()
    array([[5., 5., 5.]], dtype=float32)
    """

    def call(self, inputs: TensorLike, states: Sequence[Tensor]) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The output of a timestep and the new states, of its input and the old states."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method `call(inputs, states)`; it has none."
        )

    @property
    def state_size(self) -> Any:
        """The size of the state, or a list of sizes."""
        raise NotImplementedError(f"{type(self).__name__} expected a property `state_size`; it has none.")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError(f"{type(self).__name__} expected a property `output_size`; it has none.")

    def get_initial_state(
        self, inputs: Tensor | None = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Tensor:
        """Zeros for every state."""
        return zero_states(self.state_size, inputs, batch_size, dtype)
