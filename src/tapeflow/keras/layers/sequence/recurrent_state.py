"""The states that a stateful recurrent layer keeps from batch to batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.sketch import init_scope
from tapeflow.engine.values import nest
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.sequence.recurrent_cell import zero_states


class StateOwner(Layer):
    """Keeps states in Variables, which are no weights: no optimizer, file or `get_weights` sees them."""

    _hidden: ClassVar[frozenset[str]] = Layer._hidden | {"_states"}
    cell: Any
    time_major: bool
    _states: Any = None

    @property
    def states(self) -> list[Any]:
        """The states kept from the last batch, as Variables; None for each before there are any."""
        if self._states is not None:
            return self._states
        size = self.cell.state_size
        return [None] * (len(size) if isinstance(size, (list, tuple)) else 1)

    @states.setter
    def states(self, states: Sequence[Variable]) -> None:
        self._states = states

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("states", "_states"):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def _batch_size(self) -> int:
        spec = nest.flatten(self.input_spec)[0] if self.input_spec is not None else None
        shape = None if spec is None else spec.shape
        batch = None if shape is None else shape[1 if self.time_major else 0]
        if batch is None:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
                "tensors: \n- If using a Sequential model, specify the batch size by passing a `batch_input_shape` "
                "argument to your first layer.\n- If using the functional API, specify the batch size by passing "
                "a `batch_shape` argument to your Input layer."
            )
        return batch

    def reset_states(self, states: Sequence[np.ndarray] | None = None) -> None:
        """Set the kept states, to zeros unless others are given."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        batch = self._batch_size()
        if self._states is None:
            with init_scope():
                first = zero_states(self.cell.state_size, None, batch, self.variable_dtype)
                made = nest.map_structure(lambda s: tf.Variable(s, trainable=False), first)
            self.states = list(made) if isinstance(made, (list, tuple)) else [made]
        kept = nest.flatten(self._states)
        if states is None:
            values = [np.zeros(tuple(v.shape), v.dtype.as_numpy_dtype) for v in kept]
        else:
            values = nest.flatten(states)
        if len(values) != len(kept):
            raise ValueError(
                f"Layer {self.name} expects {len(kept)} states, but it received {len(values)} state values. "
                f"States received: {states}"
            )
        for i, (variable, value) in enumerate(zip(kept, values, strict=True)):
            if tuple(np.shape(value)) != tuple(variable.shape):
                raise ValueError(
                    f"State {i} is incompatible with layer {self.name}: expected shape="
                    f"{tuple(variable.shape)} but found shape={tuple(np.shape(value))}"
                )
            variable.assign(value)

    reset_state = reset_states

    def _kept_states(self, initial: Any, dtype: DType) -> list[Any]:
        """The kept states; the given ones instead while those are all zero, as at the start."""
        kept = nest.map_structure(lambda v: tf.cast(v, dtype), self.states)
        if initial is None:
            return kept
        has_run = tf.reduce_any(tf.stack([tf.reduce_any(s != 0) for s in nest.flatten(kept)]))
        return nest.map_structure(lambda old, new: tf.where(has_run, old, new), kept, initial)

    def _keep_states(self, states: list[Tensor]) -> None:
        for variable, value in zip(nest.flatten(self.states), nest.flatten(states), strict=True):
            variable.assign(tf.cast(value, variable.dtype))
