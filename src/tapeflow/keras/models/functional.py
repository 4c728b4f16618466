"""`Functional`: a model that is a graph of layer calls between symbolic inputs and outputs."""

from __future__ import annotations

import copy
import functools
from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import CustomObjects, InputShape
from tapeflow.keras.graph.inference import inferred_shape
from tapeflow.keras.graph.keras_tensor import KerasTensor, is_keras_tensor
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.naming import snake_case, unique_name
from tapeflow.keras.layers.general.input_layer import Input
from tapeflow.keras.models.endpoints import AddLoss, AddMetric
from tapeflow.keras.models.graph_config import graph_config, graph_from_config
from tapeflow.keras.models.kinds import AnyFunctional
from tapeflow.keras.models.model import Model
from tapeflow.keras.models.plan import Network, Plan, walk


class Functional(Model, AnyFunctional):
    """A model defined by its symbolic inputs and outputs. `tf.keras.Model(inputs, outputs)` makes it."""

    scopes_names: bool = False
    _hidden: ClassVar[frozenset[str]] = Model._hidden | {
        *("inputs", "outputs", "_nested_inputs", "_nested_outputs"),
        *("_calls", "input_names", "input_spec"),
    }

    def __init__(
        self, inputs: Tensor, outputs: Any, name: str | None = None, trainable: bool = True, **kwargs: Any
    ) -> None:
        for key in kwargs:
            raise TypeError("Keyword argument not understood:", key)
        kind = "model" if type(self) is Functional else snake_case(type(self).__name__)
        super().__init__(name=name or unique_name(kind), trainable=True)
        self._init_graph(inputs, outputs)
        if not trainable:
            self.trainable = False

    def _init_graph(self, inputs: Tensor, outputs: Any) -> None:
        """Take on the graph between these inputs and outputs."""
        if isinstance(outputs, list) and len(outputs) == 1:
            outputs = outputs[0]
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        for role, symbols in (("inputs", inputs), ("outputs", outputs)):
            for symbol in nest.flatten(symbols):
                if not is_keras_tensor(symbol):
                    raise ValueError(
                        f"{role.capitalize()[:-1]} tensors of a Functional model must be the output of a `Layer` (thus "
                        f"holding past layer metadata). Found: {symbol!r}. Start from tf.keras.Input(...)."
                    )
        if any(x.node is not None and not x.node.is_input for x in nest.flatten(inputs)):
            inputs, outputs = _begun_anew(inputs, outputs)
        self._nested_inputs = inputs
        self._nested_outputs = outputs
        self.inputs: list[KerasTensor] = nest.flatten(inputs)
        self.outputs: list[KerasTensor] = nest.flatten(outputs)
        if len({id(x) for x in self.inputs}) < len(self.inputs):
            raise ValueError(
                "The list of inputs passed to the model contains the same input multiple times. All inputs should "
                f"only appear once. Received inputs={self.inputs}"
            )
        network = Network(self.inputs, self.outputs)
        self._calls, self._graph_layers = network.calls, network.layers
        _check_names(network.layers)
        self._plan = Plan(self._calls, self.inputs, self.outputs)
        self.input_names = [x.node.layer.name for x in self.inputs if x.node is not None]
        self.output_names = _distinct([x.node.layer.name for x in self.outputs if x.node is not None])
        self._casts_inputs = False  # its layers do
        self.built = True
        self.supports_masking = False
        if not isinstance(inputs, dict):
            self.input_spec = [
                InputSpec(shape=(None, *x.shape[1:]), allow_last_axis_squeeze=True, name=name)
                for x, name in zip(self.inputs, self.input_names, strict=True)
            ]

    @property
    def _input_layers(self) -> list[Any]:
        """The layers that its inputs are of, which packages ask for."""
        return [x.node.layer for x in self.inputs if x.node is not None]

    @property
    def _output_layers(self) -> list[Any]:
        """The layers that its outputs are of."""
        return [x.node.layer for x in self.outputs if x.node is not None]

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None) -> Any:
        """Make the graph's calls on real tensors."""
        values = _fitted(self, inputs)
        if mask is not None:
            for value, input_mask in zip(values, nest.flatten(mask), strict=False):
                if input_mask is not None:
                    value._keras_mask = input_mask
        results = self._plan.run(values)
        if self._nested_outputs is self.outputs[0]:
            return results[0]
        return nest.pack_sequence_as(self._nested_outputs, results)

    def known_outputs(self, inputs: TensorLike) -> Any:
        """Its own outputs, for inputs like its own: no layer need be called again to know their shapes."""
        own, given = nest.flatten(self._nested_inputs), nest.flatten(inputs)
        alike = [
            type(g) is type(o) and (g.shape, g.dtype) == (o.shape, o.dtype)
            for g, o in zip(given, own, strict=False)
        ]
        is_same = len(given) == len(own) and type(inputs) is type(self._nested_inputs) and all(alike)
        return self._nested_outputs if is_same and type(self).call is Functional.call else None

    def _modules(self) -> list[Any]:
        ends = [x.node.layer for x in (*(self.inputs or ()), *(self.outputs or ())) if x.node is not None]
        return [*ends, *super()._modules()]  # as Keras has them

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        """The shape of the output for inputs of this shape."""
        return inferred_shape(self, input_shape)

    @property
    def _feed_inputs(self) -> list[Any]:
        """The symbolic inputs in a list, as packages that evaluate inner layers ask for them."""
        return nest.flatten(self._nested_inputs)

    @property
    def _feed_input_names(self) -> list[str]:
        """The names of the inputs."""
        return list(self.input_names)

    @property
    def input(self) -> Any:
        """The symbolic inputs."""
        return self._nested_inputs

    @property
    def output(self) -> Any:
        """The symbolic outputs."""
        return self._nested_outputs

    @property
    def input_shape(self) -> Any:
        """The shape of the input; several if there are several."""
        return nest.map_structure(lambda x: tuple(x.shape), self._nested_inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output; several if there are several."""
        return nest.map_structure(lambda x: tuple(x.shape), self._nested_outputs)

    def _add_symbolic_loss(self, loss: Any) -> None:
        self._extend(AddLoss(name=unique_name("add_loss")), loss)

    def _add_symbolic_metric(self, value: Any, name: str | None) -> None:
        self._extend(
            AddMetric(metric_name=name or unique_name("metric"), name=unique_name("add_metric")), value
        )

    def _extend(self, layer: Layer, symbol: KerasTensor) -> None:
        """Add a layer whose output nobody takes to the graph."""
        ends = [*self._plan.extra, layer(symbol)]
        network = Network(self.inputs, [*self.outputs, *ends])
        self._calls = network.calls
        known = {id(x) for x in self._graph_layers}
        self._graph_layers = [*self._graph_layers, *[x for x in network.layers if id(x) not in known]]
        self._plan = Plan(self._calls, self.inputs, self.outputs, ends)
        self._staged_steps.forget()

    def __deepcopy__(self, memo: dict[int, Any]) -> Functional:
        """A copy with a graph of its own. Its symbols come first, or each would lead on to the one before it."""
        nodes = [x.node for x in self.inputs] + self._calls if self.inputs else []
        symbols = [x for n in nodes if n is not None for x in nest.flatten(n.outputs) if is_keras_tensor(x)]
        memo.update({id(x): x.without_history() for x in symbols})
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        vars(copied).update(copy.deepcopy(vars(self), memo))
        for symbol in symbols:
            twin = memo[id(symbol)]
            twin.node, twin.samples = memo[id(symbol.node)], symbol.samples
        return copied

    def get_config(self) -> dict[str, Any]:
        return graph_config(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Self:
        return graph_model(cls, config, custom_objects)


def graph_model(cls: Any, config: dict[str, Any], custom_objects: CustomObjects = None) -> Any:
    """A model of a class made of inputs and outputs, from what `Functional.get_config` gave."""
    inputs, outputs, layers = graph_from_config(config, custom_objects)
    frozen = {} if config.get("trainable", True) else {"trainable": False}
    model = cls(inputs=inputs, outputs=outputs, name=config.get("name"), **frozen)
    model._graph_layers = [*model._graph_layers, *[x for x in layers if x not in model._graph_layers]]
    return model


def _check_names(layers: list[Layer]) -> None:
    seen: set[str] = set()
    for layer in layers:
        if layer.name in seen:
            raise ValueError(
                f'The name "{layer.name}" is used {sum(x.name == layer.name for x in layers)} times in the model. All '
                "layer names should be unique."
            )
        seen.add(layer.name)


def _fitted(model: Functional, inputs: Any) -> list[Any]:
    """The inputs in the order, rank and dtype of a model's."""
    if isinstance(inputs, dict) and not isinstance(model._nested_inputs, dict):
        missing = [n for n in model.input_names if n not in inputs]
        if missing:
            raise ValueError(
                f'Missing data for input "{missing[0]}". You passed a data dictionary with keys {list(inputs)}. '
                f"Expected the following keys: {model.input_names}"
            )
        flat = [inputs[n] for n in model.input_names]
    elif isinstance(inputs, dict) and isinstance(model._nested_inputs, dict):
        flat = nest.flatten({k: inputs[k] for k in model._nested_inputs})
    else:
        flat = nest.flatten(inputs)
    if len(flat) != len(model.inputs):
        raise ValueError(
            f'Layer "{model.name}" expects {len(model.inputs)} input(s), but it received {len(flat)} input tensors. '
            f"Inputs received: {inputs}"
        )
    return [_conformed(x, symbol) for x, symbol in zip(flat, model.inputs, strict=True)]


def _begun_anew(inputs: Tensor, outputs: Any) -> tuple[Any, Any]:
    """Inputs and outputs of a model that begins in the middle of a graph: its calls made again on new Inputs."""
    symbols = {
        id(x): x if x.node is None or x.node.is_input else _input_like(x) for x in nest.flatten(inputs)
    }

    def renewed(leaf: object) -> Any:
        return symbols.get(id(leaf), leaf)

    for node in walk(nest.flatten(inputs), nest.flatten(outputs), {}):
        if not node.is_input:
            args, kwargs = nest.map_structure(renewed, (node.args, node.kwargs))
            results = nest.flatten(node.layer(*args, **kwargs))
            symbols.update(
                {id(old): new for old, new in zip(nest.flatten(node.outputs), results, strict=False)}
            )
    return nest.map_structure(renewed, inputs), nest.map_structure(renewed, outputs)


def _input_like(symbol: KerasTensor) -> KerasTensor:
    return Input(type_spec=symbol.type_spec)


def _conformed(value: object, symbol: KerasTensor) -> Any:
    """A value in the rank and dtype of a model's input; a last axis of one is added or left out."""
    if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)):
        return value if value.dtype is symbol.dtype else tf.cast(value, symbol.dtype)
    tensor = value if type(value) is Tensor else tf.convert_to_tensor(value)
    rank, wanted = len(tensor.spec.shape), len(symbol.shape)
    if rank == wanted + 1 and tensor.spec.shape[-1] == 1:
        tensor = tf.squeeze(tensor, -1)
    elif rank == wanted - 1 and symbol.shape[-1] == 1:
        tensor = tf.expand_dims(tensor, -1)
    if tensor.spec.dtype is not symbol.dtype:
        mask = getattr(tensor, "_keras_mask", None)
        tensor = tf.cast(tensor, symbol.dtype)
        if mask is not None:
            tensor._keras_mask = mask
    return tensor


def _distinct(names: list[str]) -> list[str]:
    """Names of outputs, with numbers where one layer gives several."""
    counts: dict[str, int] = {}
    distinct = []
    for name in names:
        count = counts.get(name, 0)
        counts[name] = count + 1
        distinct.append(f"{name}_{count}" if count else name)
    return distinct


@functools.cache
def functional_class(cls: type) -> type:
    """A user's Model class as a functional one, for `super().__init__(inputs=..., outputs=...)`."""
    if issubclass(cls, Functional):
        return cls
    return type(cls.__name__, (cls, Functional), {"__module__": cls.__module__, "__doc__": cls.__doc__})
