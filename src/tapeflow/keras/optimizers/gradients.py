"""Gradients as optimizers take them: pairs with a gradient each, dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.losses.shape_warning import warn_user
from tapeflow.ops.array.indexed_slices import IndexedSlices

Pair = tuple[Any, Variable]


def with_gradient(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The pairs that have a gradient, with a warning that names the variables without.

    Raises:
        ValueError: none of them has.
    """
    missing = [v.name for g, v in pairs if g is None]
    if not missing:
        return pairs
    if len(missing) == len(pairs):
        raise ValueError(
            f"No gradients provided for any variable: {missing}. An optimizer expected at least one gradient "
            "that is not None: does the loss depend on these variables, through tf ops, inside the tape?"
        )
    warn_user(
        f"Gradients do not exist for variables {missing} when minimizing the loss. If you're using "
        "`model.compile()`, did you forget to provide a `loss` argument?"
    )
    return [(g, v) for g, v in pairs if g is not None]


def dense(gradient: Any, variable: Variable) -> Any:
    """A gradient of the variable's whole shape; rows named twice are summed."""
    if not isinstance(gradient, IndexedSlices):
        return gradient
    if gradient.dense_shape is None:
        gradient = IndexedSlices(gradient.values, gradient.indices, list(variable.shape))
    return tf.convert_to_tensor(gradient)
