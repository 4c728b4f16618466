"""What the built-in recurrent cells share: their weights' settings, dropout, and the run over a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from tapeflow.keras.layers.base.call_context import call_context
from tapeflow.keras.layers.stochastic.dropout import RandomLayer
from tapeflow.ops.nn.recurrent import ACTIVATIONS, Sequence, recurrent_op
from tapeflow.ops.random.noise import dropout_op

_WEIGHTS = ("kernel", "recurrent", "bias")
# What nobody needs here, but old configs have.
_IGNORED = ("enable_caching_device", "return_runtime")


class RecurrentCell(RandomLayer):
    """One timestep of a recurrent layer: `call(inputs, states) -> (output, new_states)`.

    Args:
        units: the size of the output and of each state.
        activation, recurrent_activation: functions or their names.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: penalties on them, added to the losses.
        kernel_constraint, recurrent_constraint, bias_constraint: functions applied to them after each update.
        dropout: the share of the inputs that is dropped in training, the same at every timestep.
        recurrent_dropout: the share of the state that is dropped in training.
        implementation: 1 draws a dropout mask for each gate, 2 one for all; 1 with recurrent dropout.
        **kwargs: see `Layer`.
    """

    gates: ClassVar[int] = 1
    state_names: ClassVar[tuple[str, ...]] = ("h",)
    # The `call` that `run` stands for; a subclass with another runs step by step.
    fused_call: ClassVar[Any] = None

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
        implementation: int = 2,
        **kwargs: Any,
    ) -> None:
        if units <= 0:
            raise ValueError(
                f"Received an invalid value for argument `units`, expected a positive integer, got {units}."
            )
        super().__init__(**{k: v for k, v in kwargs.items() if k not in _IGNORED})
        self.units = int(units)
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.implementation = 1 if self.recurrent_dropout or implementation == 0 else implementation
        self.output_size = self.units
        self.supports_masking = False
        self.bias: Any = None
        self._drops: tuple[Any, Any, Any] | None = None

    @property
    def state_size(self) -> Any:
        """The size of the state; a list of sizes if there are several."""
        return self.units if len(self.state_names) == 1 else [self.units] * len(self.state_names)

    # Weights

    def build(self, input_shape: Any) -> None:
        size = tuple(input_shape)[-1]
        width = self.units * self.gates
        self.kernel = self._weight("kernel", (size, width), self.kernel_initializer)
        self.recurrent_kernel = self._weight("recurrent", (self.units, width), self.recurrent_initializer)
        if self.use_bias:
            self.bias = self._weight("bias", self._bias_shape(), self._first_bias())
        self.built = True

    def _weight(self, kind: str, shape: tuple[int, ...], initializer: InitializerLike) -> Variable:
        return self.add_weight(
            "recurrent_kernel" if kind == "recurrent" else kind,
            shape=shape,
            initializer=initializer,
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def _bias_shape(self) -> tuple[int, ...]:
        return (self.units * self.gates,)

    def _first_bias(self) -> Any:
        return self.bias_initializer

    def get_initial_state(
        self, inputs: Tensor | None = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> list[Tensor]:
        """Zeros for every state."""
        return zero_states(self.state_size, inputs, batch_size, dtype)

    # Dropout

    def draw_dropout(self, batch: int, dtype: DTypeLike, training: bool | None) -> None:
        """Draw the masks of one sequence: every step until `reset_dropout_mask` has these."""
        rates = (self.dropout, self.recurrent_dropout) if training else (0.0, 0.0)
        count = self.gates if self.implementation == 1 and self.gates > 1 else None
        sizes = (self.kernel.shape[0], self.units)
        masks = [self._mask(rate, count, batch, size, dtype) for rate, size in zip(rates, sizes, strict=True)]
        self._drops = (self._call_in_progress(), *masks)

    def _mask(self, rate: float, count: int | None, batch: int, size: Any, dtype: DTypeLike) -> Any:
        if not 0 < rate < 1:
            return None
        shape = (batch, size) if count is None else (count, batch, size)
        return dropout_op(tf.ones(shape, dtype), self.seed_generator.next_key(), rate=rate, noise_shape=shape)

    def _masks_for(self, inputs: Any, training: bool | None) -> tuple[Any, Any]:
        """The masks for one step: those of the sequence, or of the outermost call in progress."""
        if not training or not (self.dropout or self.recurrent_dropout):
            return None, None
        if self._drops is None or self._drops[0] != self._call_in_progress():
            self.draw_dropout(inputs.shape[0], inputs.dtype, training)
        return self._drops[1:] if self._drops is not None else (None, None)

    def get_dropout_mask_for_cell(self, inputs: Tensor, training: bool, count: int = 1) -> Any:
        """The factors of the inputs, for cells derived from this one: a list if `count` is more than 1.

        None where nothing is dropped; ones outside training.
        """
        return _factors(self.dropout, self._masks_for(inputs, training)[0], inputs, count)

    def get_recurrent_dropout_mask_for_cell(self, inputs: Tensor, training: bool, count: int = 1) -> Any:
        """The same for the state, which is given here as `inputs`."""
        return _factors(self.recurrent_dropout, self._masks_for(inputs, training)[1], inputs, count)

    def _call_in_progress(self) -> int:
        return call_context.layers[0]._called_as if call_context.layers else -1

    def reset_dropout_mask(self) -> None:
        """Forget the masks, so that the next step draws others."""
        self._drops = None

    reset_recurrent_dropout_mask = reset_dropout_mask

    # A whole sequence at once

    @property
    def is_fused(self) -> bool:
        """Whether `run` can stand for calls at every timestep."""
        names = (self.activation, self.recurrent_activation)
        return type(self).call is type(self).fused_call and all(_kernel_name(f) is not None for f in names)

    def _kind(self) -> str:
        """What the kernel calls this cell."""
        raise NotImplementedError

    def run(
        self,
        inputs: Any,
        states: list[Tensor] | None,
        mask: TensorLike,
        training: bool | None,
        **options: bool,
    ) -> tuple[Any, list[Any]]:
        """The outputs and last states of a sequence.

        Args:
            inputs: the sequence.
            states: the initial states, in a list; None for zeros.
            mask: which timesteps count; None for all.
            training: whether to drop out.
            **options: see `tapeflow.ops.nn.recurrent.Sequence`.
        """
        given: dict[str, Any] = {} if self.bias is None else {"bias": self.bias}
        if states is not None:
            given.update(zip(self.state_names, states, strict=True))
        if mask is not None:
            given["mask"] = mask
        if training and (self.dropout or self.recurrent_dropout):
            self.draw_dropout(inputs.shape[1 if options.get("is_time_major") else 0], inputs.dtype, training)
            _, drop, state_drop = self._drops or (0, None, None)
            self.reset_dropout_mask()
            given.update({} if drop is None else {"input_drop": drop})
            given.update({} if state_drop is None else {"state_drop": state_drop})
        plan = Sequence(
            self._kind(),
            _kernel_name(self.activation) or "",
            _kernel_name(self.recurrent_activation) or "",
            tuple(given),
            **options,
        )
        outputs, *last = recurrent_op(inputs, self.kernel, self.recurrent_kernel, *given.values(), plan=plan)
        return outputs, last

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **self.cell_config()}
        return {**config, "seed": self.seed} if self.seed is not None else config

    def cell_config(self) -> dict[str, Any]:
        """The arguments that a layer of this cell also accepts."""
        config: dict[str, Any] = {
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "recurrent_activation": activations.serialize(self.recurrent_activation),
            "use_bias": self.use_bias,
        }
        for kind in _WEIGHTS:
            config[f"{kind}_initializer"] = initializers.serialize(getattr(self, f"{kind}_initializer"))
            config[f"{kind}_regularizer"] = regularizers.serialize(getattr(self, f"{kind}_regularizer"))
            config[f"{kind}_constraint"] = constraints.serialize(getattr(self, f"{kind}_constraint"))
        config["dropout"] = self.dropout
        config["recurrent_dropout"] = self.recurrent_dropout
        config["implementation"] = self.implementation
        return config


def zero_states(state_size: list[TensorShape], inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros in the structure of a cell's `state_size`, for a batch."""
    if inputs is not None:
        batch_size, dtype = inputs.shape[0], inputs.dtype
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state. Received: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def zeros(size: TensorShape) -> Tensor:
        return tf.zeros((batch_size, *dims(size)), dtype)

    return nest.map_structure(zeros, state_size)


def dims(size: int | list[int] | TensorShape) -> tuple[int, ...]:
    """A size, a number or a TensorShape, as a shape."""
    return (size,) if isinstance(size, int) else tuple(int(d or 0) for d in tf.TensorShape(size))


def _kernel_name(function: Callable[..., Any]) -> str | None:
    """What the kernel calls an activation; None if it does not know it."""
    name = getattr(function, "__name__", None)
    if name not in ACTIVATIONS:
        return None
    return name if function is getattr(activations, name) or function is getattr(tf, name, None) else None


def gated(x: Any, kernel: Any, mask: Any) -> Any:
    """`x @ kernel` with `x` dropped out; by a mask for each gate if `mask` has a leading axis."""
    if mask is None:
        return x @ kernel
    if len(mask.shape) == 2:
        return (x * mask) @ kernel
    parts = tf.split(kernel, mask.shape[0], axis=1)
    return tf.concat([(x * mask[i]) @ part for i, part in enumerate(parts)], axis=-1)


def _factors(rate: float, mask: Tensor, inputs: Tensor, count: int) -> Any:
    """A mask as derived cells take it: one for each gate, or one alone."""
    if rate == 0:
        return None
    if mask is None:
        mask = tf.ones_like(inputs)
    masks = tf.unstack(mask) if len(mask.shape) > len(inputs.shape) else [mask] * count
    return masks if count > 1 else masks[0]
