"""`Sequential`: a stack of layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import CustomObjects, InputShape
from tapeflow.keras.graph.inference import shapes_of
from tapeflow.keras.graph.keras_tensor import is_keras_tensor
from tapeflow.keras.layers.base.call_context import call_context
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.naming import unique_name
from tapeflow.keras.layers.general.input_layer import Input, InputLayer
from tapeflow.keras.layers.serialization import deserialize
from tapeflow.keras.models.functional import Functional
from tapeflow.keras.models.kinds import AnySequential
from tapeflow.keras.models.model import Model
from tapeflow.keras.saving.registry import serialize_keras_object


class Sequential(Functional, AnySequential):
    """A stack of layers: each receives the output of the layer before it.

    It is built when its input shape is known: from an `Input` or a first layer with `input_shape`, or
    else when it is first called.

    Args:
        layers: the layers.
        name: its name.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
    >>> model(tf.zeros((2, 4))).shape
    TensorShape([2, 1])
    """

    _hidden: ClassVar[frozenset[str]] = Functional._hidden | {"_graph_layers"}

    def __init__(self, layers: Any = None, name: str | None = None, trainable: bool = True) -> None:
        Model.__init__(self, name=name, trainable=trainable)
        self._stack: list[Any] = []
        self._graph_shape: Any = None
        self.inputs: Any = None
        self.outputs: Any = None
        self._casts_inputs = False
        self.supports_masking = True
        if layers is not None:
            names: set[str] = set()
            for layer in layers if isinstance(layers, (list, tuple)) else [layers]:
                self._add(layer, names)
            self._rebuild()

    def add(self, layer: Layer) -> None:
        """Put a layer on top."""
        self._add(layer, {other.name for other in self._stack})
        if self.built and self.outputs and isinstance(self._stack[0], InputLayer):
            self._staged_steps.forget()
            self._connect(self.inputs[0], self._stack[-1:], self.outputs[0])
        else:
            self._rebuild()

    def _add(self, layer: Any, names: set[str]) -> None:
        """Append a layer; `names` are those of the layers so far."""
        if is_keras_tensor(layer):
            layer = layer.node.layer
        if callable(layer) and isinstance(layer, tf.Module) and not isinstance(layer, Layer):
            layer = tf.keras.layers.Lambda(layer, name=unique_name(layer.name))
        if not isinstance(layer, Layer):
            raise TypeError(
                f"The added layer must be an instance of class Layer. Received: layer={layer} of type {type(layer)}."
            )
        if not self._stack and not isinstance(layer, InputLayer):
            shape = _own_input_shape(layer)
            if shape is not None:
                dtype = layer.dtype if not isinstance(layer, Functional) else layer.inputs[0].dtype
                first = Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input")
                self._stack.append(first.node.layer)  # pyright: ignore[reportOptionalMemberAccess]
                names.add(self._stack[0].name)
        if layer.name in names:
            raise ValueError(
                "All layers added to a Sequential model should have unique names. Name "
                f'"{layer.name}" is already the name of a layer in this model. Update the `name` argument to pass a '
                "unique name."
            )
        self._stack.append(layer)
        names.add(layer.name)

    def pop(self) -> None:
        """Take the last layer off."""
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        self._stack.pop()
        if len(self._stack) == 1 and isinstance(self._stack[0], InputLayer):
            self._stack.clear()
        self.built = False
        self._rebuild()

    def _rebuild(self) -> None:
        """Make the graph anew, if the input's shape is known."""
        self._staged_steps.forget()
        self._fitting_spec = None
        if len(self._stack) > 1 and isinstance(self._stack[0], InputLayer):
            self._connect(self._stack[0]._inbound_nodes[0].outputs, self._stack[1:])
        else:
            self.built = False
            self.input_spec = self.inputs = self.outputs = self.output_names = None

    def _connect(self, first: Any, layers: list[Any], last: Any = None) -> None:
        """Make the graph from its first symbol; or go on with `layers` after the last one so far."""
        symbol = first if last is None else last
        if last is None:
            self._disconnect()
        # The names of weights begin with the stack's layers, whatever layer is calling it now.
        around, call_context.layers = call_context.layers, []
        try:
            for layer in layers:
                symbol = layer(symbol)
                if nest.is_nested(symbol):
                    raise ValueError(
                        "All layers in a Sequential model should have a single output tensor. For multi-output "
                        "layers, use the functional API."
                    )
        finally:
            call_context.layers = around
        masks = self.supports_masking
        self._init_graph(first, symbol)
        self.supports_masking = masks
        self._graph_shape = tuple(first.shape)

    def _disconnect(self) -> None:
        """Let the layers forget the graph made before."""
        for node in vars(self).get("_calls", ()):
            nodes = node.layer._inbound_nodes
            nodes[:] = [n for n in nodes if n is not node]

    def build(self, input_shape: InputShape | None = None) -> None:
        """Make the weights for inputs of this shape."""
        if not self._stack or isinstance(self._stack[0], InputLayer):
            if self._stack and not self.built:
                self._rebuild()
            return
        if input_shape is None:
            raise ValueError(
                "You must provide an `input_shape` argument: Sequential.build got None. Pass for example "
                "build((None, 32))."
            )
        shapes = shapes_of(input_shape)
        if nest.is_nested(shapes):
            self._build_on_several(shapes)
        else:
            self._connect_for(tuple(input_shape), tf.keras.config.floatx())

    def _build_on_several(self, shapes: Any) -> None:
        """Make the weights for a first layer that takes several inputs: there is no graph of one input to make."""
        symbols = nest.map_structure(lambda shape: Input(batch_shape=shape.shape), shapes)
        for layer in self._stack:
            symbols = layer(symbols)
        self.built = True
        self._build_input_shape = nest.map_structure(lambda shape: shape.shape, shapes)

    def _build_for(self, inputs: Any) -> None:
        if not self._stack or nest.is_nested(inputs):
            self.built = True
            self._build_input_shape = nest.map_structure(lambda x: tuple(x.shape), inputs)
            return
        shape = tuple(inputs.shape)
        outermost = call_context.layers[0] if call_context.layers else self
        if shape and isinstance(outermost, Model) and outermost._staged_steps.meets_batches:
            shape = (None, *shape[1:])
        self._connect_for(shape, inputs.dtype)
        self._build_input_shape = shape

    def _connect_for(self, shape: tuple[int | None, ...], dtype: DTypeLike) -> None:
        first = Input(batch_shape=shape, dtype=dtype, name=f"{self._stack[0].name}_input")
        self._connect(first, self._stack)

    def _fit_to(self, inputs: TensorLike) -> None:
        # A stack without an Input takes whatever its layers take; its graph is there to be looked at.
        if self.built and self._stack and not isinstance(self._stack[0], InputLayer):
            if type(inputs) is Tensor:
                self._relax(tuple(inputs.shape), inputs.dtype)
                self._fitting_spec = inputs.spec
            return
        super()._fit_to(inputs)

    def _relax(self, shape: tuple[int | None, ...], dtype: DTypeLike) -> None:
        """Leave open in the graph the dimensions that differ from those it was made for."""
        known = self._graph_shape
        if known is None or len(known) != len(shape):
            return
        relaxed = tuple(old if old == new else None for old, new in zip(known, shape, strict=True))
        if relaxed != known:
            self._connect_for(relaxed, dtype)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Call the layers one after the other."""
        if mask is not None and not isinstance(inputs, Symbolic):
            inputs._keras_mask = mask
        if self._stack and isinstance(self._stack[0], InputLayer):
            return super().call(inputs)
        for layer in self._stack:
            inputs = layer(inputs)
        return inputs

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        """The shape of the last layer's output for inputs of this shape."""
        for layer in self.layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    def compute_mask(self, inputs: Tensor, mask: Tensor | None = None) -> Any:
        """The mask of the last layer, which the output already has."""
        return

    @property
    def layers(self) -> list[Any]:
        """The layers, without the Input."""
        return [layer for layer in self._stack if not isinstance(layer, InputLayer)]

    @property
    def weights(self) -> list[Any]:
        """All weights, layer by layer."""
        if not self.built and self._stack and not any(layer.built for layer in self.layers):
            raise ValueError(
                f"Weights for model {self.name!r} have not yet been created. Weights are created when the model is "
                "first called on inputs or `build()` is called with an `input_shape`."
            )
        return super().weights

    def get_config(self) -> dict[str, Any]:
        layers = [serialize_keras_object(layer) for layer in self._stack]
        config: dict[str, Any] = {"name": self.name, "layers": layers}
        if not (self._stack and isinstance(self._stack[0], InputLayer)):
            shape = self._known_input_shape
            if shape is not None:
                config["build_input_shape"] = shape
        return config

    @property
    def _known_input_shape(self) -> Any:
        """The shape that the weights were made for, or the structure of several; None before."""
        return self._graph_shape or vars(self).get("_build_input_shape")

    @classmethod
    def from_config(cls, config: str | Mapping[str, Any], custom_objects: CustomObjects = None) -> Self:
        layers = config["layers"] if isinstance(config, dict) else config
        name = config.get("name") if isinstance(config, dict) else None
        model = cls(name=name)
        names: set[str] = set()
        for layer in layers:
            model._add(deserialize(layer, custom_objects=custom_objects), names)
        model._rebuild()
        shape = config.get("build_input_shape") if isinstance(config, dict) else None
        if not model.built and shape:
            model.build(shape)
        return model


def _own_input_shape(layer: Layer) -> tuple[int | None, ...] | None:
    """The input shape that a layer brings with it."""
    if isinstance(layer, Functional) and layer.built and layer.inputs:
        return tuple(layer.inputs[0].shape) if len(layer.inputs) == 1 else None
    return vars(layer).get("_batch_input_shape")
