"""`LinearModel` and `WideDeepModel`: Keras's ready-made linear models."""

from __future__ import annotations

from typing import Any, Self

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras import activations, initializers, regularizers
from tapeflow.keras.annotations import (
    ActivationLike,
    CustomObjects,
    InitializerLike,
    InputShape,
    RegularizerLike,
)
from tapeflow.keras.layers.base.inner_build import build_inside
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.models.model import Model
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight


class LinearModel(Model):
    """A sum of the features times weights, and a bias; the features may be a list or dict of arrays.

    Args:
        units: how many outputs there are.
        activation: a function or its name; by default none.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: initializers of the weights.
        kernel_regularizer, bias_regularizer: penalties on them, added to the losses.
        **kwargs: see `Layer`.

    >>> model = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    >>> model({"age": tf.constant([[2.0]]), "size": tf.constant([[1.0, 3.0]])}).numpy()
    array([[6.]], dtype=float32)
    """

    def __init__(
        self,
        units: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "zeros",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.dense_layers: list[Any] = []
        self.bias: Any = None

    def build(self, input_shape: InputShape) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(input_shape, dict):
            shapes = sorted(input_shape.items())
        elif isinstance(input_shape, (list, tuple)) and all(not _is_size(s) for s in input_shape):
            shapes = [(None, shape) for shape in input_shape]
        else:
            shapes = [(None, input_shape)]
        for name, shape in shapes:
            layer = tf.keras.layers.Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
                name=name,
            )
            build_inside(layer, shape)
            self.dense_layers.append(layer)
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(inputs, dict):
            names = [layer.name for layer in self.dense_layers]
            missing = set(names) - set(inputs)
            if missing:
                raise ValueError(
                    "The `inputs` dictionary does not match the structure expected by the model."
                    f"\n\tExpected keys: {set(names)}\n\tReceived keys: {set(inputs)}\n\tMissing keys: {missing}"
                )
            inputs = [inputs[name] for name in names]
        features = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        outputs = tf.add_n([layer(x) for layer, x in zip(self.dense_layers, features, strict=True)])
        if self.bias is not None:
            outputs += self.bias
        return self.activation(outputs)

    def get_config(self) -> dict[str, Any]:
        return {
            **Layer.get_config(self),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Self:
        return cls(**config)


class WideDeepModel(Model):
    """The sum of a linear and a deep model, trained together, optionally with separate optimizers.

    Args:
        linear_model: usually a `LinearModel`.
        dnn_model: a model with the same outputs.
        activation: a function of the sum, or its name; none unless given.
        **kwargs: see `Layer`.

    >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
    >>> model = tf.keras.experimental.WideDeepModel(tf.keras.experimental.LinearModel(), deep)
    >>> model.compile(optimizer=["sgd", "adam"], loss="mse")
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: ActivationLike = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: Any, training: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        is_pair = isinstance(inputs, (list, tuple)) and len(inputs) == 2
        wide, deep = inputs if is_pair else (inputs, inputs)
        sums = tf.nest.map_structure(
            lambda a, b: a + b, self.linear_model(wide), self.dnn_model(deep, training=training)
        )
        return tf.nest.map_structure(self.activation, sums)

    def train_step(self, data: Any) -> Any:
        if not isinstance(self.optimizer, (list, tuple)):
            return super().train_step(data)
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            outputs = self(x, training=True)
            loss = self.compute_loss(x, y, outputs, sample_weight)
        parts = (self.linear_model.trainable_variables, self.dnn_model.trainable_variables)
        gradients = tape.gradient(loss, parts)
        for optimizer, own_gradients, variables in zip(self.optimizer, gradients, parts, strict=True):
            optimizer.apply_gradients(zip(own_gradients, variables, strict=True))
        return self.compute_metrics(x, y, outputs, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {
            **Layer.get_config(self),
            "linear_model": tf.keras.layers.serialize(self.linear_model),
            "dnn_model": tf.keras.layers.serialize(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Self:
        config = dict(config)
        models = [
            tf.keras.layers.deserialize(config.pop(name), custom_objects=custom_objects)
            for name in ("linear_model", "dnn_model")
        ]
        return cls(*models, **config)


def _is_size(value: object) -> bool:
    return value is None or isinstance(value, int)
