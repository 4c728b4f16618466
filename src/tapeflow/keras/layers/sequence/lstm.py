"""`LSTM`: long short-term memory, with a carry beside the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from tapeflow.keras.layers.sequence.recurrent_cell import RecurrentCell, gated
from tapeflow.keras.layers.sequence.rnn import CellLayer, FromCell, split_arguments


class LSTMCell(RecurrentCell):
    """One timestep of `LSTM`. The gates are concatenated in the weights: input, forget, new, output.

    Args:
        unit_forget_bias: begin with a bias of 1 for the forget gate.
    """

    gates = 4
    state_names = ("h", "c")

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
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
        self.unit_forget_bias = unit_forget_bias

    def _first_bias(self) -> Callable[..., Any]:
        if not self.unit_forget_bias:
            return self.bias_initializer

        def first(shape: object, dtype: DTypeLike | None = None) -> Tensor:
            units, ones = (self.units,), tf.ones((self.units,), dtype)
            given = self.bias_initializer
            return tf.concat([given(units, dtype=dtype), ones, given((2 * self.units,), dtype=dtype)], 0)

        return first

    def call(self, inputs: TensorLike, states: Sequence[Tensor], training: bool | None = None) -> Any:
        h, c = states
        drop, state_drop = self._masks_for(inputs, training)
        z = gated(inputs, self.kernel, drop) + gated(h, self.recurrent_kernel, state_drop)
        if self.bias is not None:
            z = z + self.bias
        c, o = self._compute_carry_and_output_fused(tf.split(z, 4, axis=-1), c)
        h = o * self.activation(c)
        return h, [h, c]

    fused_call = call

    def _compute_carry_and_output_fused(self, z: Any, c_tm1: Any) -> tuple[Any, Any]:
        """The new carry and the output gate, from what goes into the four gates, for cells derived from this one."""
        i, f, new, o = z
        c = self.recurrent_activation(f) * c_tm1 + self.recurrent_activation(i) * self.activation(new)
        return c, self.recurrent_activation(o)

    def _kind(self) -> str:
        return "lstm"

    def cell_config(self) -> dict[str, Any]:
        return {**super().cell_config(), "unit_forget_bias": self.unit_forget_bias}


class LSTM(CellLayer):
    """Long short-term memory, over the timesteps of a sequence.

    Args:
        units: the size of the output, of the state and of the carry.
        activation, recurrent_activation: of the new carry and the output, and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer: initializers of the weights.
        unit_forget_bias: begin with a bias of 1 for the forget gate.
        kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: what to add to
            the losses.
        kernel_constraint, recurrent_constraint, bias_constraint: a function applied to the weights after each update.
        dropout, recurrent_dropout: shares of the input and of the state dropped in training.
        **kwargs: see `RNN` and `Layer`.

    >>> tf.keras.layers.LSTM(4)(tf.zeros((2, 10, 8))).shape
    TensorShape([2, 4])
    """

    _knows_output_shape: ClassVar[bool] = True
    recurrent_activation = FromCell()
    unit_forget_bias = FromCell()
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
        unit_forget_bias: bool = True,
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
        time_major: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        cell = LSTMCell(
            units,
            activation,
            recurrent_activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            unit_forget_bias,
            kernel_regularizer,
            recurrent_regularizer,
            bias_regularizer,
            kernel_constraint,
            recurrent_constraint,
            bias_constraint,
            dropout,
            recurrent_dropout,
            name="lstm_cell",
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
