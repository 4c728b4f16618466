"""`Layer`: a callable with weights. What every layer and model is."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.autograph.callees import converted
from tapeflow.engine.devices import placement
from tapeflow.engine.devices.layout import lay_out_op
from tapeflow.engine.recording.name_scope import variable_prefix
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.recording.trace import state as recorder
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.keras import regularizers
from tapeflow.keras.annotations import InputShape, RegularizerLike
from tapeflow.keras.graph.inference import inferred_shape
from tapeflow.keras.layers.base.call_context import call_context
from tapeflow.keras.layers.base.call_errors import name_layer
from tapeflow.keras.layers.base.call_signature import signature_of
from tapeflow.keras.layers.base.init_arguments import make_layer, noted_arguments
from tapeflow.keras.layers.base.input_spec import check_inputs
from tapeflow.keras.layers.base.inputs import as_tensors, cast_floating
from tapeflow.keras.layers.base.layer_history import LayerHistory
from tapeflow.keras.layers.base.loss_owner import LossOwner, begin_outermost_call
from tapeflow.keras.layers.base.naming import own_names, snake_case, unique_name
from tapeflow.keras.layers.base.weight_owner import default_policy, policy_config
from tapeflow.keras.mixed_precision.autocast import autocast_scope

_INPUT_ARGUMENTS = ("input_dim", "input_shape", "batch_input_shape", "batch_size", "weights", "autocast")


class Layer(LossOwner, LayerHistory):
    """The base class of layers: create weights in `build`, compute in `call`.

    Args:
        trainable: whether the weights are to be trained.
        name: its name; derived from the class by default.
        dtype: a dtype, or a mixed-precision policy; the global policy by default.
        activity_regularizer: a penalty on the layer's output, added to the losses.
        **kwargs: `input_shape`, `batch_input_shape`, `input_dim` and `batch_size` for a Sequential's first
            layer, `weights` for first values.

    >>> class Scale(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", shape=(), initializer="ones")
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> Scale()(tf.constant([1.0, 2.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """

    # Set in the body of a class whose compute_output_shape says exactly what `call` does with one
    # argument; subclasses do not inherit the promise.
    _knows_output_shape: ClassVar[bool] = False
    _given: Any  # what __init__ was called with, for the default get_config

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        layer = super().__new__(cls)
        object.__setattr__(layer, "_given", (args, kwargs))
        return layer

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        dynamic: bool = False,
        *,
        activity_regularizer: RegularizerLike = None,
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in _INPUT_ARGUMENTS:
                raise TypeError("Keyword argument not understood:", key)
        object.__setattr__(self, "_given", (self._given[0], dict(self._given[1])))
        if name is None:
            name = unique_name(snake_case(type(self).__name__))
        LossOwner.__init__(self, name, trainable, default_policy(dtype))
        self.built = False
        self.stateful = False
        self.input_spec: Any = None
        self.supports_masking = type(self).compute_mask is not Layer.compute_mask
        self._dynamic = dynamic
        self._casts_inputs = bool(kwargs.get("autocast", True))
        self._fitting_spec: Spec | None = None
        self._activity_regularizer = regularizers.get(activity_regularizer)
        self._initial_weights = kwargs.get("weights")
        self._inbound_nodes: list[Any] = []
        shape = _batch_input_shape(kwargs)
        if shape is not None:
            self._batch_input_shape = shape

    # What subclasses write

    def build(self, input_shape: InputShape) -> None:
        """Make the weights; called once, before the first `call`, with the shape of its input."""
        self.built = True

    def call(self, inputs: Tensor, *args: Any, **kwargs: Any) -> Any:
        """The computation of the layer."""
        return inputs

    def compute_mask(self, inputs: Tensor, mask: Tensor | None = None) -> Any:
        """The mask of the output; the input's for layers that support masking."""
        if not self.supports_masking:
            if any(m is not None for m in nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}"
                )
            return None
        return mask

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        """The output shape for an input of this shape, inferred by sketching the call."""
        self._build_for_shape(input_shape)
        return inferred_shape(self, input_shape)

    def compute_output_signature(self, input_signature: TensorSpec) -> Any:
        """The TensorSpec of the output for an input of this TensorSpec."""
        shape = self.compute_output_shape(nest.map_structure(lambda s: s.shape, input_signature))
        dtype = self.compute_dtype or nest.flatten(input_signature)[0].dtype
        return nest.map_structure(lambda s: tf.TensorSpec(s, dtype), shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make an equal layer.

        A class of yours need not write it if `__init__` takes plain values: those are noted.
        """
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        config["dtype"] = policy_config(self._policy)
        if "_batch_input_shape" in vars(self):
            config["batch_input_shape"] = self._batch_input_shape
        if type(self).get_config is Layer.get_config:
            config.update(noted_arguments(self))
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer from what `get_config` gave."""
        return make_layer(cls, config)

    # The call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "_own_weights" not in vars(self):
            raise RuntimeError(
                f"You must call `super().__init__()` in the layer constructor ({type(self).__name__})."
            )
        signature = signature_of(type(self).call)
        if not args:
            args = signature.first_by_name(type(self).__name__, kwargs)
        inputs = args[0]
        if type(inputs) is not Tensor or len(args) > 1 or kwargs:
            for leaf in nest.flatten((args, kwargs)):
                if isinstance(leaf, Symbolic):
                    return self._symbolic_call(args, kwargs)
            if type(inputs) is not Tensor:
                inputs = as_tensors(inputs)
        if self._casts_inputs:
            inputs = cast_floating(inputs, self._policy.compute_dtype)
        context = call_context
        outer_training = context.training
        context.training = signature.resolve_training(args, kwargs, outer_training)
        mask = None
        if self.supports_masking or signature.takes_mask:
            mask = signature.resolve_mask(inputs, args, kwargs)
        if not context.layers:
            begin_outermost_call(self)
        context.layers.append(self)
        recording = recorder.recording
        if recording is not None:
            recording.enter_scope(self.name)
        is_recorded = recording is not None or recorder.trace.is_body
        call = converted(self.call) if is_recorded else self.call
        try:
            if type(inputs) is not Tensor or inputs.spec is not self._fitting_spec:
                self._fit_to(inputs)
            try:
                if self._policy.compute_dtype == self._policy.variable_dtype:
                    outputs = call(inputs, *args[1:], **kwargs)
                else:
                    with autocast_scope(self._policy.compute_dtype if self._casts_inputs else None):
                        outputs = call(inputs, *args[1:], **kwargs)
            except Exception as error:
                name_layer(error, self, (inputs, *args[1:]), kwargs)
                raise
            if self._activity_regularizer is not None:
                _regularize_activity(self, outputs)
            if placement.current is not None and placement.current.output_axes is not None:
                outputs = _laid_out(outputs, placement.current, placement.current.output_axes)
        finally:
            context.layers.pop()
            context.training = outer_training
            if recording is not None:
                recording.leave_scope()
        if (self.supports_masking and mask is not None) or type(self).compute_mask is not Layer.compute_mask:
            _set_masks(self, inputs, outputs, mask)
        return outputs

    def _fit_to(self, inputs: TensorLike) -> None:
        """Check inputs of a shape not seen in the last call, and build if that has not happened."""
        if self.input_spec is not None:
            check_inputs(self.input_spec, inputs, self.name)
        if not self.built:
            self._infer_dtype(inputs)
            self._build_for(inputs)
            if self.input_spec is not None:
                check_inputs(self.input_spec, inputs, self.name)
        self._fitting_spec = inputs.spec if type(inputs) is Tensor else None

    def _infer_dtype(self, inputs: Any) -> None:
        """Compute in the dtype of the first input, under the policy `_infer`."""
        if self._policy.compute_dtype is None:
            dtypes = [x.dtype for x in nest.flatten(inputs) if hasattr(x, "dtype")]
            if dtypes:
                self._policy = default_policy(tf.as_dtype(dtypes[0]))

    def _build_for(self, inputs: TensorLike) -> None:
        """Call `build` with the shapes of inputs, real or symbolic."""
        shapes = nest.map_structure(lambda x: getattr(x, "shape", None), inputs)
        is_single = not isinstance(inputs, (list, tuple, dict))
        self._build_for_shape(tf.TensorShape(shapes) if is_single and shapes is not None else shapes)

    def _build_for_shape(self, input_shape: Any) -> None:
        """Call `build`, unless that has happened."""
        if self.built:
            return
        with tf.init_scope():
            self.build(input_shape)
        self.built = True
        self._build_input_shape = input_shape
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _symbolic_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call in the definition of a functional model: what it will give, as symbols."""
        from tapeflow.keras.graph.call_node import CallNode  # cycle

        call_context.layers.append(self)
        try:
            if self.input_spec is not None:
                check_inputs(self.input_spec, args[0], self.name)
            if self._dynamic and type(self).compute_output_shape is Layer.compute_output_shape:
                raise NotImplementedError(
                    "Please run in eager mode or implement the `compute_output_shape` method on your layer "
                    f"({type(self).__name__}). It was made with dynamic=True, so a functional model cannot find its "
                    "output's shape."
                )
            if not self.built:
                self._infer_dtype(args[0])
                with own_names():  # what it makes is named as in a call that is recorded
                    self._build_for(args[0])
        finally:
            call_context.layers.pop()
        return CallNode(self, args, kwargs).outputs

    @property
    def _expects_training_arg(self) -> bool:
        """Whether `call` takes `training`; packages that call models of others ask."""
        return signature_of(type(self).call).takes_training

    @property
    def _expects_mask_arg(self) -> bool:
        """Whether `call` takes `mask`."""
        return signature_of(type(self).call).takes_mask

    @property
    def knows_output_shape(self) -> bool:
        """Whether `compute_output_shape` can stand for a call with one argument."""
        return "_knows_output_shape" in vars(type(self)) and not self.gives_sparse

    @property
    def gives_sparse(self) -> bool:
        """Whether it is one of those layers that give a sparse tensor if they are told to, and was told to."""
        return type(self).__module__.startswith("tapeflow.") and getattr(self, "sparse", False)

    def known_outputs(self, inputs: TensorLike) -> Any:
        """Symbolic outputs of a call on symbolic inputs, if they exist already."""
        return None

    def made_results(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Symbolic outputs of a call, if the arguments alone determine them."""
        return None

    # What it computes in

    @property
    def name(self) -> str:
        """The layer's name, unique in its model."""
        return self._name

    @property
    def dtype(self) -> str | None:
        """The dtype of the weights."""
        return self._policy.variable_dtype

    variable_dtype = dtype

    @property
    def compute_dtype(self) -> str | None:
        """The dtype of the arithmetic, to which floating inputs are cast."""
        return self._policy.compute_dtype

    @property
    def _compute_dtype(self) -> str | None:
        """The same, by the name that packages with cells of their own know."""
        return self.compute_dtype

    @property
    def dtype_policy(self) -> Any:
        """The mixed-precision policy."""
        return self._policy

    @property
    def dynamic(self) -> bool:
        """Whether it, or a layer below it, was made with `dynamic=True`, which needs nothing here."""
        return any(layer._dynamic for layer in self._below())  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def activity_regularizer(self) -> Any:
        """What is added to the losses for the output."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: RegularizerLike) -> None:
        self._activity_regularizer = regularizers.get(regularizer)

    @property
    def updates(self) -> list[Any]:
        """Empty: assignments in `call` need no collecting."""
        return []

    def add_update(self, updates: Any) -> None:
        """Nothing to do: an assignment made in `call` is part of the step."""

    def finalize_state(self) -> None:
        """For preprocessing layers, after `adapt`."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _regularize_activity(layer: Layer, outputs: Tensor) -> None:
    for output in nest.flatten(outputs):
        loss = layer._activity_regularizer(output)
        # By sample, so that the size of the batch does not set the strength.
        layer.add_loss(loss / tf.cast(tf.shape(output)[0], loss.dtype))


def _set_masks(layer: Layer, inputs: Tensor, outputs: TensorLike, mask: Tensor | None) -> None:
    """Give the outputs of a call their masks, unless they have them."""
    flat = nest.flatten(outputs)
    if not flat or all(getattr(x, "_keras_mask", None) is not None for x in flat):
        return
    masks = layer.compute_mask(inputs, mask)
    if masks is None:
        return
    for output, output_mask in zip(flat, nest.flatten(masks), strict=False):
        if output_mask is not None and isinstance(output, Tensor):
            output._keras_mask = output_mask


def _laid_out(outputs: Any, placed: placement.Placement, output_axes: placement.OutputAxes) -> Any:
    """The outputs of the layer in progress in the parts that its distribution gives to devices."""
    if type(outputs) is not Tensor:
        return outputs
    path = f"{variable_prefix()}output"
    axes = output_axes(path)
    if axes is None:
        return outputs
    layout = placed.layout(path, axes, outputs._node.spec.shape)
    return lay_out_op(outputs, sharding=layout.sharding)


def _batch_input_shape(given: dict[str, Any]) -> tuple[int | None, ...] | None:
    """The shape that a Sequential's first layer was told its input has."""
    if given.get("batch_input_shape") is not None:
        return tuple(given["batch_input_shape"])
    shape = given.get("input_shape")
    if shape is None and given.get("input_dim") is not None:
        shape = (given["input_dim"],)
    if shape is None:
        return None
    return (given.get("batch_size"), *((shape,) if isinstance(shape, int) else tuple(shape)))
