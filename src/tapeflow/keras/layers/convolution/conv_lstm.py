"""`ConvLSTM1D`, `ConvLSTM2D`, `ConvLSTM3D`: long short-term memory whose products are convolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.engine.values.annotations import Shape, TensorLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
    WindowSizes,
)
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.convolution.window_args import (
    parts_of,
    read_data_format,
    read_padding,
    read_sizes,
    shape_from,
    slid_lengths,
)
from tapeflow.keras.layers.sequence.rnn import RNN
from tapeflow.keras.layers.stochastic.dropout import RandomLayer
from tapeflow.ops.random.noise import dropout_op

_PARTS = ("kernel", "recurrent", "bias")
_FORMATS = {
    "channels_last": {1: "NWC", 2: "NHWC", 3: "NDHWC"},
    "channels_first": {1: "NCW", 2: "NCHW", 3: "NCDHW"},
}


class ConvLSTMCell(RandomLayer):
    """One timestep of a `ConvLSTM`. The gates lie side by side in the weights: input, forget, new, output."""

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes,
        padding: str,
        data_format: str | None,
        dilation_rate: WindowSizes,
        activation: ActivationLike,
        recurrent_activation: ActivationLike,
        use_bias: bool,
        unit_forget_bias: bool,
        dropout: float,
        recurrent_dropout: float,
        settings: dict[str, Any],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if filters <= 0:
            raise ValueError(
                f"Received an invalid value for `filters`, expected a positive integer. Received: filters={filters}"
            )
        self.rank, self.filters = rank, filters
        self.kernel_size = read_sizes(kernel_size, rank, "kernel_size")
        self.strides = read_sizes(strides, rank, "strides")
        self.padding = read_padding(padding, allow_causal=False)
        self.data_format = read_data_format(data_format)
        self.dilation_rate = read_sizes(dilation_rate, rank, "dilation_rate")
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias, self.unit_forget_bias = use_bias, unit_forget_bias
        self.dropout, self.recurrent_dropout = (
            min(1.0, max(0.0, dropout)),
            min(1.0, max(0.0, recurrent_dropout)),
        )
        for part in _PARTS:
            setattr(self, f"{part}_initializer", initializers.get(settings[f"{part}_initializer"]))
            setattr(self, f"{part}_regularizer", regularizers.get(settings[f"{part}_regularizer"]))
            setattr(self, f"{part}_constraint", constraints.get(settings[f"{part}_constraint"]))
        self.bias: Any = None
        self.masks: tuple[Any, Any] = (None, None)
        self._state_shape: Any = filters

    @property
    def state_size(self) -> list[Any]:
        """The shape of the state and of the carry; before it is built, their channels alone."""
        return [self._state_shape, self._state_shape]

    def state_shape(self, input_shape: InputShape) -> tuple[int | None, ...]:
        """The shape of a state, for inputs of one timestep."""
        _, spatial, _ = parts_of(input_shape, self.rank, self.data_format)
        lengths = slid_lengths(spatial, self.kernel_size, self.strides, self.padding, self.dilation_rate)
        return shape_from((), lengths, self.filters, self.data_format)

    def build(self, input_shape: InputShape) -> None:
        channels = parts_of(input_shape, self.rank, self.data_format)[2]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs (last axis) should be defined. Found None. Full input shape "
                f"received: input_shape={tuple(input_shape)}"
            )
        self.kernel = self._weight("kernel", "kernel", (*self.kernel_size, channels, 4 * self.filters))
        self.recurrent_kernel = self._weight(
            "recurrent_kernel", "recurrent", (*self.kernel_size, self.filters, 4 * self.filters)
        )
        if self.use_bias:
            self.bias = self._weight("bias", "bias", (4 * self.filters,), self._first_bias)
        shape = self.state_shape(input_shape)
        self._state_shape = tf.TensorShape(shape)
        self.built = True

    def _weight(
        self, name: str, part: str, shape: tuple[int, ...], initializer: InitializerLike = None
    ) -> Variable:
        return self.add_weight(
            name,
            shape=shape,
            initializer=initializer or getattr(self, f"{part}_initializer"),
            regularizer=getattr(self, f"{part}_regularizer"),
            constraint=getattr(self, f"{part}_constraint"),
        )

    def _first_bias(self, shape: Shape, dtype: DType | None = None) -> Tensor:
        given = getattr(self, "bias_initializer")  # noqa: B009 - one of three made by name
        if not self.unit_forget_bias:
            return given(shape, dtype=dtype)
        filters = (self.filters,)
        parts = [
            given(filters, dtype=dtype),
            tf.ones(filters, dtype),
            given((2 * self.filters,), dtype=dtype),
        ]
        return tf.concat(parts, 0)

    def draw_masks(self, inputs: Tensor, states: Sequence[Tensor], training: bool | None) -> None:
        """Choose what to drop, the same at every timestep; a choice for each gate."""
        self.masks = (
            self._mask(inputs[:, 0], self.dropout, training),
            self._mask(states[0], self.recurrent_dropout, training),
        )

    def _mask(self, like: Tensor, rate: float, training: bool | None) -> Tensor | None:
        if not training or not rate:
            return None
        shape = (4, *like.shape)
        return dropout_op(
            tf.ones(shape, like.dtype), self.seed_generator.next_key(), rate=rate, noise_shape=shape
        )

    def _convolved(self, x: Tensor, kernel: Variable, mask: Tensor | None, **window: Any) -> list[Any]:
        """What each gate gets of a convolution, its inputs dropped by its own mask."""
        axis = -1 if self.data_format == "channels_last" else 1
        window["data_format"] = _FORMATS[self.data_format][self.rank]
        if mask is None:
            return tf.split(tf.nn.convolution(x, kernel, **window), 4, axis=axis)
        kernels = tf.split(kernel, 4, axis=-1)
        return [tf.nn.convolution(x * mask[i], k, **window) for i, k in enumerate(kernels)]

    def call(self, inputs: Tensor, states: Sequence[Tensor], training: bool | None = None) -> Any:
        h, c = states
        given = self._convolved(
            inputs,
            self.kernel,
            self.masks[0],
            strides=list(self.strides),
            padding=self.padding.upper(),
            dilations=list(self.dilation_rate),
        )
        kept = self._convolved(
            h, self.recurrent_kernel, self.masks[1], strides=[1] * self.rank, padding="SAME"
        )
        if self.bias is not None:
            shape = (-1,) if self.data_format == "channels_last" else (-1, *[1] * self.rank)
            given = [g + tf.reshape(b, shape) for g, b in zip(given, tf.split(self.bias, 4), strict=True)]
        i, f, new, o = [a + b for a, b in zip(given, kept, strict=True)]
        c = self.recurrent_activation(f) * c + self.recurrent_activation(i) * self.activation(new)
        h = self.recurrent_activation(o) * self.activation(c)
        return h, [h, c]

    def settings(self) -> dict[str, Any]:
        """The arguments it was made with, as a layer's config has them."""
        families = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}
        return {
            **{k: getattr(self, k) for k in ("filters", "kernel_size", "strides", "padding", "data_format")},
            "dilation_rate": self.dilation_rate,
            "activation": activations.serialize(self.activation),
            "recurrent_activation": activations.serialize(self.recurrent_activation),
            **{k: getattr(self, k) for k in ("use_bias", "unit_forget_bias", "dropout", "recurrent_dropout")},
            **{
                f"{part}_{kind}": family.serialize(getattr(self, f"{part}_{kind}"))
                for part in _PARTS
                for kind, family in families.items()
            },
        }


class ConvLSTM(RNN):
    """Long short-term memory over a sequence of images, or of lines or volumes.

    Args:
        filters: the channels of the output, of the state and of the carry.
        kernel_size, strides, padding, data_format, dilation_rate: of the convolution of the inputs.
        activation, recurrent_activation: of the new carry and the output, and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer: initializers of the weights.
        unit_forget_bias: begin with a bias of 1 for the forget gate.
        kernel_regularizer, recurrent_regularizer, bias_regularizer, activity_regularizer: what to add to the losses.
        kernel_constraint, recurrent_constraint, bias_constraint: a function applied to the weights after each update.
        return_sequences, return_state, go_backwards, stateful: see `RNN`.
        dropout, recurrent_dropout: shares of the input and of the state dropped in training.
        **kwargs: see `Layer`.
    """

    rank: ClassVar[int] = 2

    def __init__(
        self,
        filters: int,
        kernel_size: WindowSizes,
        strides: WindowSizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: WindowSizes = 1,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "hard_sigmoid",
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
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        settings = {
            "kernel_initializer": kernel_initializer,
            "recurrent_initializer": recurrent_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "recurrent_regularizer": recurrent_regularizer,
            "bias_regularizer": bias_regularizer,
            "kernel_constraint": kernel_constraint,
            "recurrent_constraint": recurrent_constraint,
            "bias_constraint": bias_constraint,
        }
        cell = ConvLSTMCell(
            self.rank,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            recurrent_activation,
            use_bias,
            unit_forget_bias,
            dropout,
            recurrent_dropout,
            settings,
            seed=kwargs.pop("seed", None),
            **{k: kwargs[k] for k in ("dtype", "trainable") if k in kwargs},
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.input_spec = [InputSpec(ndim=self.rank + 3)]

    def build(self, input_shape: InputShape) -> None:
        shape = tuple(input_shape)
        self.cell._build_for_shape((shape[0], *shape[2:]))  # its weights' names begin with the layer's alone
        super().build(input_shape)

    def get_initial_state(self, inputs: Tensor) -> list[Any]:
        shape = self.cell.state_shape((inputs.shape[0], *tuple(inputs.shape)[2:]))
        return [tf.zeros((inputs.shape[0], *shape), inputs.dtype) for _ in range(2)]

    def _check_states(self, states: list[Tensor]) -> None:
        """Nothing: the step itself finds states of a wrong shape."""

    def _stepped(
        self,
        inputs: Tensor,
        states: list[Tensor],
        mask: TensorLike | None,
        training: bool | None,
        constants: Any,
    ) -> Any:
        self.cell.draw_masks(inputs, states, training)
        return super()._stepped(inputs, states, mask, training, constants)

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        shape = tuple(input_shape)
        state = self.cell.state_shape((shape[0], *shape[2:]))
        steps = (shape[1],) if self.return_sequences else ()
        outputs = tf.TensorShape((shape[0], *steps, *state))
        if not self.return_state:
            return outputs
        return [outputs, *[tf.TensorShape((shape[0], *state))] * 2]

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name in ("cell", "unroll", "time_major"):
            del config[name]
        config["activity_regularizer"] = regularizers.serialize(self.activity_regularizer)
        if self.cell.seed is not None:
            config["seed"] = self.cell.seed
        return {**config, **self.cell.settings()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        return cls(**config)


class ConvLSTM1D(ConvLSTM):
    """`ConvLSTM` over lines: inputs are (batch, time, length, channels)."""

    rank = 1


class ConvLSTM2D(ConvLSTM):
    """`ConvLSTM` over images: inputs are (batch, time, rows, columns, channels).

    >>> tf.keras.layers.ConvLSTM2D(3, 2)(tf.zeros((1, 4, 5, 5, 2))).shape
    TensorShape([1, 4, 4, 3])
    """


class ConvLSTM3D(ConvLSTM):
    """`ConvLSTM` over volumes: inputs are (batch, time, depth, rows, columns, channels)."""

    rank = 3
