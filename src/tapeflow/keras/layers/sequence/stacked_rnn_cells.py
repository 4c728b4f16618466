"""`StackedRNNCells`: several cells as one, each fed by the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.call_signature import signature_of
from tapeflow.keras.layers.base.inner_build import build_inside
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.sequence.recurrent_cell import RecurrentCell, dims, zero_states


class StackedRNNCells(Layer):
    """A stack of cells that is a cell itself.

    Args:
        cells: the cells, from the input to the output.
        reverse_state_order: list the states from the last cell to the first, as Keras 1 did.
        **kwargs: see `Layer`.
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        for cell in cells:
            if not callable(getattr(cell, "call", None)):
                raise ValueError(
                    f"All cells must have a `call` method. Received cell without a `call` method: {cell}"
                )
            if getattr(cell, "state_size", None) is None:
                raise ValueError(
                    f"All cells must have a `state_size` attribute. Received cell without a `state_size`: {cell}"
                )
        self.cells = list(cells)
        self.reverse_state_order = reverse_state_order

    def _in_state_order(self, items: Any) -> tuple[Any, ...]:
        return tuple(items)[::-1] if self.reverse_state_order else tuple(items)

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The sizes of the cells' states."""
        return self._in_state_order(c.state_size for c in self.cells)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return _output_size(self.cells[-1])

    def get_initial_state(
        self, inputs: Tensor | None = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> tuple[Any, ...]:
        """The states each cell begins with."""
        found = []
        for cell in self.cells:
            make = getattr(cell, "get_initial_state", None)
            if make is None:
                found.append(zero_states(cell.state_size, inputs, batch_size, dtype))
            else:
                found.append(make(inputs=inputs, batch_size=batch_size, dtype=dtype))
        return self._in_state_order(found)

    def build(self, input_shape: InputShape) -> None:
        shape = tuple(input_shape[0] if isinstance(input_shape, list) else input_shape)
        for cell in self.cells:
            if isinstance(cell, Layer):
                build_inside(cell, shape)
            shape = (shape[0], *dims(_output_size(cell)))
        self.built = True

    def call(
        self,
        inputs: TensorLike,
        states: Sequence[Tensor],
        constants: Sequence[TensorLike] | None = None,
        training: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        new: list[Any] = []
        for cell, before in zip(self.cells, self._in_state_order(states), strict=True):
            names = signature_of(type(cell).call)
            given = {"training": training, "constants": constants}
            accepted = {
                k: v for k, v in given.items() if k in names.names and (k == "training" or v is not None)
            }
            called: Any = cell if callable(cell) else cell.call
            inputs, after = called(
                inputs, before if isinstance(before, (list, tuple)) else [before], **accepted
            )
            new.append(
                nest.pack_sequence_as(before, nest.flatten(after))
                if nest.is_nested(before)
                else nest.flatten(after)[0]
            )
        return inputs, self._in_state_order(new)

    @property
    def is_fused(self) -> bool:
        """Whether `run` can stand for calls at every timestep."""
        return all(isinstance(c, RecurrentCell) and c.is_fused for c in self.cells)

    def run(
        self,
        inputs: Tensor,
        states: Sequence[Tensor],
        mask: TensorLike,
        training: bool | None,
        **options: bool,
    ) -> tuple[Any, list[Any]]:
        """The outputs and last states of a sequence: the cells run over it one after the other.

        A step that is masked gives the next cell another input than it would step by step, which the mask
        keeps from mattering.
        """
        found: list[Any] = []
        between = {**options, "keeps_outputs": True, "zeroes_masked": False}
        for cell, before in zip(self.cells, self._in_state_order(states), strict=True):
            used = options if cell is self.cells[-1] else between
            given = list(before) if isinstance(before, (list, tuple)) else [before]
            inputs, after = cell.run(inputs, given, mask, training, **used)
            found.append(after if isinstance(before, (list, tuple)) else after[0])
            if options.get("is_reversed"):  # what comes out is in the order of the run already
                if mask is not None and cell is self.cells[0]:
                    mask = tf.reverse(mask, [0 if options.get("is_time_major") else 1])
                options, between = {**options, "is_reversed": False}, {**between, "is_reversed": False}
        return inputs, list(self._in_state_order(found))

    def get_config(self) -> dict[str, Any]:
        cells = [tf.keras.layers.serialize(cell) for cell in self.cells]
        config = {**super().get_config(), "cells": cells}
        return {**config, "reverse_state_order": True} if self.reverse_state_order else config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        config = dict(config)
        cells = [tf.keras.layers.deserialize(c, custom_objects=custom_objects) for c in config.pop("cells")]
        return cls(cells, **config)


def _output_size(cell: Any) -> Any:
    found = getattr(cell, "output_size", None)
    if found is not None:
        return found
    size = cell.state_size
    return size[0] if isinstance(size, (list, tuple)) else size
