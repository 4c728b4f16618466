"""`Dense`: every output is a weighted sum of all inputs."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.recording.symbolic import DispatchTarget
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    InputShape,
    RegularizerLike,
)
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.ops.nn.dense import dense_op, project_op


class Dense(Layer):
    """A fully connected layer: `activation(inputs @ kernel + bias)` over the last axis.

    Args:
        units: the size of the output's last axis.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        activity_regularizer: a penalty on the output, added to the losses.
        kernel_constraint, bias_constraint: functions applied to them after each update.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Dense(3)(tf.zeros((2, 4))).shape
    TensorShape([2, 3])
    """

    _knows_output_shape: ClassVar[bool] = True
    # Of the class until it is built, so that a subclass may have properties of these names.
    kernel: Any = None
    bias: Any = None

    def __init__(
        self,
        units: int,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units) if not isinstance(units, int) else units
        if self.units < 1:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: units={units}"
            )
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: InputShape) -> None:
        size = tf.TensorShape(input_shape)[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                f"received: {tuple(input_shape)}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=(size, self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        if isinstance(inputs, DispatchTarget):
            return self._of_composite(inputs)
        if inputs.spec.dtype.name != self._policy.compute_dtype:  # integers: others are cast already
            inputs = tf.cast(inputs, self._policy.compute_dtype)
        outputs = (
            project_op(inputs, self.kernel) if self.bias is None else dense_op(inputs, self.kernel, self.bias)
        )
        return outputs if self.activation in (None, activations.linear) else self.activation(outputs)

    def _of_composite(self, inputs: Any) -> Any:
        """What it makes of a ragged tensor's innermost rows, and of a sparse matrix."""
        if isinstance(inputs, tf.RaggedTensor):
            if inputs.shape[-1] is None:
                raise ValueError(
                    "Dense layer only supports RaggedTensors when the innermost dimension is non-ragged. Received: "
                    f"inputs.shape={inputs.shape}."
                )
            return inputs.mapped(self.call)
        if inputs.dtype.name != self.compute_dtype:
            inputs = tf.cast(inputs, self.compute_dtype)
        outputs = tf.sparse.sparse_dense_matmul(inputs, self.kernel)
        outputs = outputs if self.bias is None else outputs + self.bias
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape((*tuple(input_shape)[:-1], self.units))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }
