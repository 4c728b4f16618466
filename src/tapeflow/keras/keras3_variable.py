"""`tf.keras.Variable`: Keras 3's way of making a `tf.Variable`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import StaticShape
from tapeflow.keras import initializers


class _OfAnyVariable(type):
    """Every `tf.Variable` is an instance: a layer's weights are none of another class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, tf.Variable)


class Variable(metaclass=_OfAnyVariable):
    """Create a `tf.Variable` from a value, or from an initializer and a shape.

    Args:
        initializer: a value, an initializer or its name, or a function of shape and dtype.
        shape: needed for an initializer.
        dtype: that of the value, or `floatx`, unless given.
        trainable: whether tapes and optimizers follow it.
        autocast, aggregation, synchronization: accepted; a layer's own weights are cast by its policy.
        name: its name.

    >>> tf.keras.Variable("ones", shape=(2,)).numpy()
    array([1., 1.], dtype=float32)
    """

    def __new__(
        cls,
        initializer: Any,
        shape: StaticShape | None = None,
        dtype: str | None = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: Any = "none",
        synchronization: Any = "auto",
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        if isinstance(initializer, str):
            initializer = initializers.get(initializer)
        if callable(initializer) and not isinstance(initializer, (tf.Tensor, tf.Variable)):
            if shape is None:
                raise ValueError(
                    "keras.Variable expected a shape with an initializer; got shape=None. When creating a Variable "
                    f"from an initializer, the `shape` argument should be specified. Received: {initializer!r}"
                )
            wanted = tf.as_dtype(dtype or tf.keras.config.floatx())
            value = tf.convert_to_tensor(initializer(tuple(shape), dtype=wanted), wanted)
        else:
            value = tf.keras.ops.convert_to_tensor(initializer, dtype)
        return tf.Variable(value, trainable=trainable, name=name, **kwargs)
