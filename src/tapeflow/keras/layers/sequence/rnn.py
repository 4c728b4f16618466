"""`RNN`: a cell run over the timesteps of a sequence, and what `LSTM`, `GRU` and `SimpleRNN` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape, WindowSizes
from tapeflow.keras.graph.inference import shapes_of
from tapeflow.keras.layers.base.call_signature import signature_of
from tapeflow.keras.layers.base.inner_build import build_inside
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.sequence.recurrence import rnn
from tapeflow.keras.layers.sequence.recurrent_cell import RecurrentCell, dims, zero_states
from tapeflow.keras.layers.sequence.recurrent_state import StateOwner
from tapeflow.keras.layers.sequence.stacked_rnn_cells import StackedRNNCells
from tapeflow.ops.ragged.padded import to_masked_tensor


class RNN(StateOwner):
    """Run a cell over the timesteps of a sequence.

    Args:
        cell: a cell: an object with `call(inputs, states) -> (output, new_states)`, `state_size`, and
            perhaps `output_size` and `get_initial_state`. A list of cells is a stack of them.
        return_sequences: give the outputs of all timesteps, not only the last.
        return_state: give the last states too.
        go_backwards: go from the last timestep to the first.
        stateful: begin each batch with the states that the last one ended with.
        unroll: a program without a loop; for short sequences.
        time_major: inputs and outputs are (time, batch, ...).
        zero_output_for_mask: give zeros for masked timesteps instead of the last output.
        **kwargs: see `Layer`.

    Call arguments:
        inputs: (batch, time, ...), or a list of it and the initial states.
        mask: (batch, time): a timestep where it is False carries the states over.
        initial_state: the states to begin with; zeros unless given.
        constants: tensors that the cell gets at every timestep.

    >>> cells = [tf.keras.layers.LSTMCell(3), tf.keras.layers.LSTMCell(5)]
    >>> tf.keras.layers.RNN(cells)(tf.zeros((2, 4, 1))).shape
    TensorShape([2, 5])
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not callable(getattr(cell, "call", None)):
            raise ValueError(f"Argument `cell` should have a `call` method. The RNN was passed: cell={cell}")
        if getattr(cell, "state_size", None) is None:
            raise ValueError(
                "The RNN cell should have a `state_size` attribute (tuple of integers, one integer per RNN state). "
                f"Received: cell={cell}"
            )
        if "input_length" in kwargs or "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self._num_constants = 0

    def build(self, input_shape: InputShape) -> None:
        shapes = shapes_of(_first_of(input_shape))
        batch_axis = 1 if self.time_major else 0
        self.input_spec = [self._spec_of(s.shape, batch_axis) for s in nest.flatten(shapes)]
        if isinstance(self.cell, Layer):
            steps = nest.map_structure(lambda s: _without_time(s.shape, self.time_major), shapes)
            build_inside(self.cell, steps)
        if self.stateful:
            self.reset_states()
        self.built = True

    def _spec_of(self, shape: tuple[int | None, ...], batch_axis: int) -> InputSpec:
        sizes = list(shape)
        sizes[1 - batch_axis] = None
        if not self.stateful:
            sizes[batch_axis] = None
        return InputSpec(shape=tuple(sizes))

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: Sequence[Tensor] | None = None,
        constants: Sequence[Tensor] | None = None,
        **kwargs: Any,
    ) -> Any:
        inputs, initial_state, constants = split_inputs(inputs, initial_state, constants, self._num_constants)
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        if constants is not None:
            self._num_constants = len(constants)
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Tensor | tf.RaggedTensor,
        mask: TensorLike | None = None,
        training: bool | None = None,
        initial_state: Sequence[Tensor] | None = None,
        constants: Sequence[TensorLike] | None = None,
    ) -> Any:
        if mask is not None:
            mask = nest.flatten(mask)[0]
        if isinstance(inputs, tf.RaggedTensor):
            given = {} if constants is None else {"constants": constants}
            return self._over_rows(inputs, mask, training=training, initial_state=initial_state, **given)
        is_fused = getattr(self.cell, "is_fused", False) and not constants
        states = self._first_states(inputs, initial_state, is_fused)
        if is_fused:
            outputs, states = self.cell.run(
                inputs,
                states,
                mask,
                training,
                is_time_major=self.time_major,
                is_reversed=self.go_backwards,
                keeps_outputs=self.return_sequences,
                zeroes_masked=self.zero_output_for_mask,
                is_unrolled=self.unroll,
            )
        else:
            outputs, states = self._stepped(inputs, states, mask, training, constants)
        if self.stateful:
            self._keep_states(states)
        if not self.return_state:
            return outputs
        return [*(outputs if isinstance(outputs, (list, tuple)) else [outputs]), *states]

    def _over_rows(self, inputs: Any, mask: Any, **kwargs: Any) -> Any:
        """The call on sequences of several lengths, filled up and masked; outputs are cut to their lengths again."""
        if mask is not None:
            raise ValueError(
                f"The mask that was passed in was {mask} and cannot be applied to RaggedTensor inputs. Please make "
                "sure that there is no mask passed in by upstream layers."
            )
        if self.unroll:
            raise ValueError(
                "The input received contains RaggedTensors and does not support unrolling. Disable unrolling by "
                "passing `unroll=False` in the RNN Layer constructor."
            )
        lengths = inputs.row_lengths()
        dense, is_there = to_masked_tensor(inputs)
        found = self.call(dense, mask=is_there, **kwargs)
        if not self.return_sequences:
            return found
        outputs = found[0] if self.return_state else found
        if self.go_backwards:  # what was computed first stands at the end of what was filled up
            outputs = tf.reverse(outputs, [1])
        outputs = tf.RaggedTensor.from_tensor(outputs, lengths=lengths)
        if self.go_backwards:
            outputs = tf.reverse(outputs, [1])
        return [outputs, *found[1:]] if self.return_state else outputs

    def _first_states(self, inputs: Tensor, initial_state: Any, is_fused: bool) -> Any:
        """The states to begin with, in a list; None for the zeros that a fused cell makes itself."""
        dtype = nest.flatten(inputs)[0].dtype
        if initial_state is not None:
            initial_state = nest.map_structure(lambda s: tf.cast(s, dtype), list(initial_state))
            count = len(self.states)
            if len(initial_state) != count:
                raise ValueError(
                    f"Layer has {count} states but was passed {len(initial_state)} initial states. Received: "
                    f"initial_state={initial_state}"
                )
            self._check_states(initial_state)
        if self.stateful:
            return self._kept_states(initial_state, dtype)
        if initial_state is None and not (is_fused and isinstance(self.cell, RecurrentCell)):
            return self.get_initial_state(inputs)
        return initial_state

    def _check_states(self, states: Any) -> None:
        sizes = [dims(s) for s in flat_sizes(self.cell.state_size)]
        found = [tuple(s.shape)[1:] for s in nest.flatten(states)]
        if found != sizes:
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. Received "
                f"`state_spec`={[tuple(s.shape) for s in nest.flatten(states)]}; however `cell.state_size` is "
                f"{self.cell.state_size}"
            )

    def get_initial_state(self, inputs: Tensor) -> list[Any]:
        """The states to begin with where none are given."""
        first = nest.flatten(inputs)[0]
        batch = first.shape[1 if self.time_major else 0]
        make = getattr(self.cell, "get_initial_state", None)
        if make is None:
            found = zero_states(self.cell.state_size, None, batch, first.dtype)
        else:
            accepted = signature_of(getattr(make, "__func__", make)).names
            given = {"inputs": None, "batch_size": batch, "dtype": first.dtype}
            found = make(**{k: v for k, v in given.items() if k in accepted})
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def _stepped(
        self,
        inputs: Tensor,
        states: list[Tensor],
        mask: TensorLike | None,
        training: bool | None,
        constants: Any,
    ) -> tuple[Any, list[Any]]:
        """The cell called at every timestep."""
        cell = self.cell
        names = signature_of(type(cell).call)
        kwargs = {"training": training} if "training" in names.names or names.has_kwargs else {}
        called = cell if callable(cell) else cell.call
        constants = list(constants or [])
        if constants and not ("constants" in names.names or names.has_kwargs):
            raise ValueError(f"RNN cell {cell} does not support constants. Received: constants={constants}")
        first = nest.flatten(inputs)[0]
        for drawing in cells_in(cell):
            drawing.draw_dropout(first.shape[1 if self.time_major else 0], first.dtype, training)
        count = len(constants)

        def step(row: Tensor, carried: tuple[Tensor, ...]) -> Any:
            given = {**kwargs, "constants": list(carried[-count:])} if count else kwargs
            before = list(carried[:-count]) if count else list(carried)
            return called(row, before, **given)

        last, outputs, after = rnn(
            step,
            inputs,
            states,
            go_backwards=self.go_backwards,
            mask=mask,
            constants=constants,
            unroll=self.unroll,
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
            return_all_outputs=self.return_sequences,
        )
        for drawing in cells_in(cell):
            drawing.reset_dropout_mask()
        return outputs if self.return_sequences else last, list(after)

    def compute_mask(self, inputs: Tensor, mask: TensorLike | None = None) -> Any:
        mask = nest.flatten(mask)[0]
        of_outputs = mask if self.return_sequences else None
        return [of_outputs, *[None] * len(self.states)] if self.return_state else of_outputs

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        shape = _first_of(input_shape)
        shape = tuple(shape) if _is_shape(shape) else tuple(nest.flatten(shape)[0])
        batch, time = (shape[1], shape[0]) if self.time_major else (shape[0], shape[1])
        leading = (batch,)
        if self.return_sequences:
            leading = (time, batch) if self.time_major else (batch, time)
        sizes = flat_sizes(self.cell.state_size)
        given = getattr(self.cell, "output_size", None)
        outputs = [
            tf.TensorShape((*leading, *dims(s))) for s in (sizes[:1] if given is None else flat_sizes(given))
        ]
        if not self.return_state:
            return outputs[0] if len(outputs) == 1 else outputs
        return [*outputs, *[tf.TensorShape((batch, *dims(s))) for s in sizes]]

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "time_major": self.time_major,
            "cell": tf.keras.layers.serialize(self.cell),
        }
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = True
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        config = dict(config)
        cell = tf.keras.layers.deserialize(config.pop("cell"), custom_objects=custom_objects)
        constants = config.pop("num_constants", 0)
        layer = cls(cell, **config)
        layer._num_constants = constants
        return layer


class FromCell:
    """An attribute of a layer that is its cell's."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: type) -> Any:
        return self if layer is None else getattr(layer.cell, self._name)


class CellLayer(RNN):
    """An `RNN` of one built-in cell, whose arguments are the layer's own."""

    units = FromCell()
    activation = FromCell()
    use_bias = FromCell()
    kernel_initializer = FromCell()
    recurrent_initializer = FromCell()
    bias_initializer = FromCell()
    kernel_regularizer = FromCell()
    recurrent_regularizer = FromCell()
    bias_regularizer = FromCell()
    kernel_constraint = FromCell()
    recurrent_constraint = FromCell()
    bias_constraint = FromCell()
    dropout = FromCell()
    recurrent_dropout = FromCell()

    def __init__(self, cell: RecurrentCell, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self.input_spec = [InputSpec(ndim=3)]

    @property
    def knows_output_shape(self) -> bool:
        return super().knows_output_shape and not self.return_state

    def call(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        inputs: Tensor,
        mask: TensorLike | None = None,
        training: bool | None = None,
        initial_state: Sequence[Tensor] | None = None,
    ) -> Any:
        return super().call(inputs, mask=mask, training=training, initial_state=initial_state)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        config["activity_regularizer"] = tf.keras.regularizers.serialize(self.activity_regularizer)
        if self.cell.seed is not None:
            config["seed"] = self.cell.seed
        return {**config, **self.cell.cell_config()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return cls(**config)


def split_arguments(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of the cell alone, and those of both, out of a layer's."""
    cell = {k: kwargs.pop(k) for k in ("implementation", "seed", "enable_caching_device") if k in kwargs}
    kwargs.pop("return_runtime", None)
    kwargs.pop("use_cudnn", None)
    return {**cell, **{k: kwargs[k] for k in ("dtype", "trainable") if k in kwargs}}


def split_inputs(
    inputs: TensorLike,
    states: Sequence[Tensor] | None,
    constants: Sequence[Tensor] | None,
    num_constants: int,
) -> tuple[Any, Any, Any]:
    """Inputs, initial states and constants; the latter may come in a list with the inputs."""
    if isinstance(inputs, list) and inputs and not isinstance(inputs[0], (int, float, list)):
        if num_constants:
            inputs, constants = inputs[:-num_constants], inputs[-num_constants:]
        if len(inputs) > 1:
            states = inputs[1:]
        inputs = inputs[0]
    return inputs, _listed(states), _listed(constants)


def _listed(value: object) -> list[Any] | None:
    return (
        value
        if value is None or isinstance(value, list)
        else list(value)
        if isinstance(value, tuple)
        else [value]
    )


def cells_in(cell: Any) -> list[RecurrentCell]:
    """The built-in cells that a cell is or holds."""
    return [c for c in getattr(cell, "cells", [cell]) if isinstance(c, RecurrentCell)]


def flat_sizes(size: WindowSizes) -> list[Any]:
    """The sizes in a cell's `state_size`, each a number or a shape."""
    if isinstance(size, (list, tuple)):
        return [s for part in size for s in flat_sizes(part)]
    return [size]


def _is_shape(value: Any) -> bool:
    return isinstance(value, tf.TensorShape) or all(d is None or isinstance(d, int) for d in value)


def _first_of(shape: ShapeLike) -> Any:
    """The shape of the sequence, where those of states come in a list with it."""
    return shape[0] if isinstance(shape, list) and not _is_shape(shape) else shape


def _without_time(shape: tuple[int | None, ...], is_time_major: bool) -> tuple[int | None, ...]:
    return shape[1:] if is_time_major else (shape[0], *shape[2:])
