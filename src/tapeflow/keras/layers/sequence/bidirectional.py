"""`Bidirectional`: a recurrent layer run forwards, and another backwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.call_signature import signature_of
from tapeflow.keras.layers.base.inner_build import build_inside
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.general.wrapper import Wrapper
from tapeflow.keras.layers.sequence.rnn import split_inputs

_MERGE_MODES = ("sum", "mul", "ave", "concat", None)


class Bidirectional(Wrapper):
    """Run a recurrent layer over the sequence, a copy over its reverse, and merge their outputs.

    Args:
        layer: a recurrent layer; two are made from its config.
        merge_mode: how to join the outputs: 'concat', 'sum', 'mul', 'ave', or None for a list of both.
        weights: first values of the weights, those of the forward layer first.
        backward_layer: the layer for the way back, with `go_backwards=True`; made from `layer` unless given.
        **kwargs: see `Layer`.

    Call arguments are those of the layer; of `initial_state` the first half is the forward layer's.

    >>> tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(3))(tf.zeros((2, 5, 4))).shape
    TensorShape([2, 6])
    """

    # Not run itself: the two layers made from it are.
    _hidden: ClassVar[frozenset[str]] = Wrapper._hidden | {"layer"}

    def __init__(
        self,
        layer: Layer,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Please initialize `Bidirectional` layer with a `tf.keras.layers.Layer` instance. Received: {layer}"
            )
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(
                f"`backward_layer` need to be a `tf.keras.layers.Layer` instance. Received: {backward_layer}"
            )
        if merge_mode not in _MERGE_MODES:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(layer, **kwargs)
        given: Any = layer
        self.forward_layer: Any = _copied(given, given.go_backwards)
        self._backward_config = None
        if backward_layer is None:
            self.backward_layer: Any = _copied(given, not given.go_backwards)
        else:
            self._backward_config = tf.keras.layers.serialize(backward_layer)
            self.backward_layer = backward_layer
        self.forward_layer._name = f"forward_{self.forward_layer.name}"
        self.backward_layer._name = f"backward_{self.backward_layer.name}"
        self._check_layers()
        for made in (self.forward_layer, self.backward_layer):
            if getattr(made, "zero_output_for_mask", None) is not None:
                made.zero_output_for_mask = made.return_sequences
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = weights[:half]
            self.backward_layer._initial_weights = weights[half:]
        self.merge_mode = merge_mode
        self.stateful = layer.stateful
        self.return_sequences = given.return_sequences
        self.return_state = given.return_state
        self.supports_masking = True
        self._trainable = kwargs.get("trainable", layer.trainable)
        self._num_constants = 0
        self.input_spec = layer.input_spec

    def _check_layers(self) -> None:
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value."
                f"forward_layer.go_backwards = {forward.go_backwards},"
                f"backward_layer.go_backwards = {backward.go_backwards}"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(forward, name) != getattr(backward, name):
                raise ValueError(
                    f'Forward layer and backward layer are expected to have the same value for attribute "{name}", '
                    f'got "{getattr(forward, name)}" for forward layer and "{getattr(backward, name)}" for backward '
                    "layer"
                )

    def build(self, input_shape: Any = None) -> None:
        build_inside(self.forward_layer, input_shape)
        build_inside(self.backward_layer, input_shape)
        self.built = True

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: Sequence[Tensor] | None = None,
        constants: Sequence[Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        inputs, initial_state, constants = split_inputs(inputs, initial_state, constants, self._num_constants)
        if initial_state is not None:
            if len(initial_state) % 2:
                raise ValueError(
                    "When passing `initial_state` to a Bidirectional RNN, the state should be a list containing the "
                    f"states of the underlying RNNs. Received: {initial_state}"
                )
            kwargs["initial_state"] = initial_state
        if constants is not None:
            self._num_constants = len(constants)
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Tensor,
        training: bool | None = None,
        mask: TensorLike | None = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        names = signature_of(type(self.forward_layer).call).names
        given = {"training": training, "mask": mask, "constants": constants}
        kwargs = {k: v for k, v in given.items() if k in names and (k == "training" or v is not None)}
        half = len(initial_state or ()) // 2
        states = (
            [{}, {}]
            if not half
            else [{"initial_state": s} for s in (initial_state[:half], initial_state[half:])]
        )
        y = self.forward_layer(inputs, **states[0], **kwargs)
        y_back = self.backward_layer(inputs, **states[1], **kwargs)
        last: list[Any] = []
        if self.return_state:
            (y, *last), (y_back, *last_back) = y, y_back
            last += last_back
        if self.return_sequences:
            y_back = tf.reverse(y_back, [0 if getattr(self.forward_layer, "time_major", False) else 1])
        outputs = self._merged(y, y_back)
        if not self.return_state:
            return outputs
        return [*(outputs if self.merge_mode is None else [outputs]), *last]

    def _merged(self, y: Tensor, y_back: Tensor) -> Any:
        if self.merge_mode is None:
            return [y, y_back]
        if self.merge_mode == "concat":
            return tf.concat([y, y_back], axis=-1)
        if self.merge_mode == "mul":
            return y * y_back
        return y + y_back if self.merge_mode == "sum" else (y + y_back) / 2

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        found = self.forward_layer.compute_output_shape(input_shape)
        states: list[Any] = []
        if self.return_state:
            found, *states = found
        if self.merge_mode is None:
            outputs = [found, found]
        else:
            last = found[-1] * 2 if self.merge_mode == "concat" else found[-1]
            outputs = [tf.TensorShape((*tuple(found)[:-1], last))]
        every = [*outputs, *states, *states]
        return every[0] if len(every) == 1 else every

    def compute_mask(self, inputs: Tensor, mask: TensorLike | None = None) -> Any:
        mask = mask[0] if isinstance(mask, list) else mask
        found = mask if self.return_sequences else None
        masks = [found] if self.merge_mode is not None else [found, found]
        if self.return_state:
            masks += [None] * (2 * len(self.forward_layer.states))
        return masks[0] if len(masks) == 1 else masks

    def reset_states(self, states: Sequence[Tensor] | None = None) -> None:
        """Set the states of both layers, to zeros unless others are given, the forward layer's first."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if states is None:
            self.forward_layer.reset_states()
            self.backward_layer.reset_states()
            return
        if not isinstance(states, (list, tuple)):
            raise ValueError(
                f"Unrecognized value for `states`. Expected `states` to be list or tuple. Received: {states}"
            )
        half = len(states) // 2
        self.forward_layer.reset_states(states[:half])
        self.backward_layer.reset_states(states[half:])

    reset_state = reset_states

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._backward_config is not None:
            config["backward_layer"] = self._backward_config
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        config = dict(config)
        constants = config.pop("num_constants", 0)
        backward = config.pop("backward_layer", None)
        if backward is not None:
            config["backward_layer"] = tf.keras.layers.deserialize(backward, custom_objects=custom_objects)
        layer = super().from_config(config, custom_objects)
        layer._num_constants = constants
        return layer


def _copied(layer: Layer, go_backwards: bool) -> Any:
    """A layer with the same config, and weights of its own; a user's cell classes need not be registered."""
    config = {**layer.get_config(), "go_backwards": go_backwards}
    cell = getattr(layer, "cell", None)
    kinds = {type(c).__name__: type(c) for c in (cell, *getattr(cell, "cells", ())) if c is not None}
    with tf.keras.utils.custom_object_scope(kinds):
        return type(layer).from_config(config)
