"""`GRU`: gated recurrent units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from tapeflow.keras.layers.sequence.recurrent_cell import RecurrentCell, gated
from tapeflow.keras.layers.sequence.rnn import CellLayer, FromCell, split_arguments


class GRUCell(RecurrentCell):
    """One timestep of `GRU`. The gates are concatenated in the weights: update, reset, new.

    Args:
        reset_after: apply the reset gate after the product with the recurrent kernel; there are then two
            biases, for the input's part and for the state's. Otherwise before it.
    """

    gates = 3

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            recurrent_activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            kernel_regularizer,
            recurrent_regularizer,
            bias_regularizer,
            kernel_constraint,
            recurrent_constraint,
            bias_constraint,
            dropout,
            recurrent_dropout,
            **kwargs,
        )
        self.reset_after = reset_after

    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, inputs: TensorLike, states: Sequence[Tensor], training: bool | None = None) -> Any:
        h = states[0] if isinstance(states, (list, tuple)) else states
        drop, state_drop = self._masks_for(inputs, training)
        x = gated(inputs, self.kernel, drop)
        if self.bias is not None:
            x = x + (self.bias[0] if self.reset_after else self.bias)
        x_z, x_r, x_new = tf.split(x, 3, axis=-1)
        if self.reset_after:
            state = gated(h, self.recurrent_kernel, state_drop)
            state = state if self.bias is None else state + self.bias[1]
            h_z, h_r, h_new = tf.split(state, 3, axis=-1)
            new = self.activation(x_new + self.recurrent_activation(x_r + h_r) * h_new)
        else:
            units = 2 * self.units
            of_gates = state_drop if state_drop is None or len(state_drop.shape) == 2 else state_drop[:2]
            of_new = state_drop if state_drop is None or len(state_drop.shape) == 2 else state_drop[2]
            h_z, h_r = tf.split(gated(h, self.recurrent_kernel[:, :units], of_gates), 2, axis=-1)
            reset = self.recurrent_activation(x_r + h_r) * h
            new = self.activation(x_new + gated(reset, self.recurrent_kernel[:, units:], of_new))
        z = self.recurrent_activation(x_z + h_z)
        h = z * h + (1 - z) * new
        return h, [h] if isinstance(states, (list, tuple)) else h

    fused_call = call

    def _kind(self) -> str:
        return "gru" if self.reset_after else "gru_reset_before"

    def cell_config(self) -> dict[str, Any]:
        return {**super().cell_config(), "reset_after": self.reset_after}


class GRU(CellLayer):
    """Gated recurrent units, over the timesteps of a sequence.

    Args:
        units: the size of the output and of the state.
        activation, recurrent_activation: of the new state, and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: what to add to
            the losses.
        kernel_constraint, recurrent_constraint, bias_constraint: a function applied to the weights after each update.
        dropout, recurrent_dropout: shares of the input and of the state dropped in training.
        reset_after: apply the reset gate after the product with the recurrent kernel.
        **kwargs: see `RNN` and `Layer`.

    >>> tf.keras.layers.GRU(4)(tf.zeros((2, 10, 8))).shape
    TensorShape([2, 4])
    """

    _knows_output_shape: ClassVar[bool] = True
    recurrent_activation = FromCell()
    reset_after = FromCell()
    implementation = FromCell()

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        cell = GRUCell(
            units,
            activation,
            recurrent_activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            kernel_regularizer,
            recurrent_regularizer,
            bias_regularizer,
            kernel_constraint,
            recurrent_constraint,
            bias_constraint,
            dropout,
            recurrent_dropout,
            reset_after,
            name="gru_cell",
            **split_arguments(kwargs),
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            time_major=time_major,
            unroll=unroll,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
