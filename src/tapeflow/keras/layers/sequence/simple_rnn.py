"""`SimpleRNN`: a fully connected layer whose output comes back as input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from tapeflow.keras.layers.sequence.recurrent_cell import RecurrentCell, gated
from tapeflow.keras.layers.sequence.rnn import CellLayer, split_arguments


class SimpleRNNCell(RecurrentCell):
    """One timestep of `SimpleRNN`: `activation(inputs @ kernel + state @ recurrent_kernel + bias)`."""

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            None,
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

    def call(self, inputs: TensorLike, states: Sequence[Tensor], training: bool | None = None) -> Any:
        h = states[0] if isinstance(states, (list, tuple)) else states
        drop, state_drop = self._masks_for(inputs, training)
        z = gated(inputs, self.kernel, drop) + gated(h, self.recurrent_kernel, state_drop)
        h = self.activation(z if self.bias is None else z + self.bias)
        return h, [h] if isinstance(states, (list, tuple)) else h

    fused_call = call

    def _kind(self) -> str:
        return "simple"

    def cell_config(self) -> dict[str, Any]:
        config = super().cell_config()
        del config["recurrent_activation"], config["implementation"]
        return config


class SimpleRNN(CellLayer):
    """A fully connected recurrent layer: its output is fed back at the next timestep.

    Args:
        units: the size of the output and of the state.
        activation: of the output.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: what to add to
            the losses.
        kernel_constraint, recurrent_constraint, bias_constraint: a function applied to the weights after each update.
        dropout, recurrent_dropout: shares of the input and of the state dropped in training.
        **kwargs: see `RNN` and `Layer`.

    >>> tf.keras.layers.SimpleRNN(4)(tf.zeros((2, 10, 8))).shape
    TensorShape([2, 4])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
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
        **kwargs: Any,
    ) -> None:
        cell = SimpleRNNCell(
            units,
            activation,
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
            name="simple_rnn_cell",
            **split_arguments(kwargs),
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
