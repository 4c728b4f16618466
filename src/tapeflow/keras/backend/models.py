"""What needs a model: symbolic tensors, and functions from some of them to others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import tapeflow as tf
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values.annotations import DTypeLike, StaticShape, TensorLike
from tapeflow.keras import config

if TYPE_CHECKING:
    from tapeflow.keras.losses.loss import Loss


def is_keras_tensor(x: TensorLike) -> bool:
    """Whether `x` is a symbolic tensor of a model."""
    if isinstance(x, Symbolic):
        return True
    if tf.is_tensor(x) or isinstance(x, tf.Variable):
        return False
    raise ValueError(
        f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance."
    )


def placeholder(
    shape: StaticShape | None = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """`tf.keras.Input`, with the batch axis in its shape, or with unknown sizes if only `ndim` is given.

    A shape of `()` is a number's, such as where to cut a slice of another input.
    """
    if shape is None:
        shape = (None,) * (ndim or 1)
    return tf.keras.Input(
        batch_shape=tuple(shape),
        dtype=config.floatx() if dtype is None else dtype,
        name=name,
        sparse=sparse,
        ragged=ragged,
    )


def function(
    inputs: TensorLike,
    outputs: TensorLike,
    updates: Sequence[int] | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> Callable[[Sequence[Any]], Any]:
    """A function from a list of values for `inputs`, or the one value, to arrays for `outputs`, both of one model.

    >>> x = tf.keras.Input((2,))
    >>> double = tf.keras.backend.function([x], [2.0 * x])
    >>> double([np.ones((1, 2))])[0]
    array([[2., 2.]], dtype=float32)
    """
    if updates or kwargs:
        raise ValueError(
            "`updates` and session arguments are not supported: there is no session. Received: "
            f"updates={updates}, {sorted(kwargs)}. Call assign on the variables instead."
        )
    model = tf.keras.Model(inputs=inputs, outputs=outputs)
    is_list = isinstance(inputs, (list, tuple))

    def call(values: TensorLike) -> Any:
        given = values
        if is_list and isinstance(values, (list, tuple)):
            given = values[0] if len(values) == 1 else list(values)
        results = model(given)
        if isinstance(outputs, (list, tuple)) and not isinstance(results, (list, tuple)):
            results = [results]
        return tf.nest.map_structure(lambda tensor: tensor.numpy(), results)

    return call


def gradients(loss: Loss, variables: Any) -> NoReturn:
    """Not here, as in TensorFlow 2: a gradient belongs to a tape."""
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
    )
