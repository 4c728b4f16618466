"""The kernels of Keras's most used losses, each one op: a training step then records two nodes for
its loss, this and the mean over the batch.

Labels come in whatever dtype they have and are cast inside. `epsilon` keeps probabilities away from 0
and 1, where a logarithm has no value; as in `tf.clip_by_value`, what is clipped has no gradient.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import invalid
from tapeflow.ops.math.arithmetic import larger, smaller
from tapeflow.ops.math.stable_math import in_float32, softplus
from tapeflow.ops.nn.cross_entropy import softmax_loss, sparse_softmax_loss

_in_range = index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[statics["axis"]])


def _label_check(
    xp: ModuleType, output: Any, labels: jax.Array | np.ndarray, *, ignore_class: int | None, **statics: Any
) -> jax.Array | np.ndarray:
    if ignore_class is not None:
        labels = xp.where(labels == ignore_class, xp.zeros((), labels.dtype), labels)
    return _in_range(xp, output, labels, **statics)


_label_check.arg = 1  # pyright: ignore[reportFunctionMemberAccess]
_label_check.looks_at_one = True  # pyright: ignore[reportFunctionMemberAccess]


def _clipped(p: jax.Array, epsilon: float) -> jax.Array:
    low, high = _bounds(p.dtype, epsilon)
    return larger(smaller(p, high), low)


def _bounds(dtype: np.dtype[Any], epsilon: float) -> tuple[Any, Any]:
    """epsilon and 1 - epsilon, rounded as the dtype rounds them."""
    low = np.asarray(epsilon, dtype)
    return low, np.asarray(1, dtype) - low


@op(name="MeanSquaredError", same_dtype=False)
def mean_squared_error(y_pred: jax.Array, y_true: jax.Array) -> jax.Array:
    """The squared differences, averaged over the last axis."""
    FLOATING.check("MeanSquaredError", y_pred=y_pred)
    return jnp.mean(jnp.square(y_pred - y_true.astype(y_pred.dtype)), -1)


@op(
    name="SparseCategoricalCrossentropy",
    same_dtype=False,
    check=_label_check,
    check_text=(
        "SparseCategoricalCrossentropy expected every label in y_true to be a class number below the "
        "{limit} classes of y_pred. Received a label value of {value} which is outside the valid range of "
        "[0, {limit}). Labels count from 0; give the last layer as many outputs as there are classes, or "
        "name a label to leave out with ignore_class."
    ),
)
def sparse_cross_entropy(
    output: jax.Array,
    labels: jax.Array,
    *,
    axis: int,
    from_logits: bool,
    epsilon: float,
    ignore_class: int | None,
) -> jax.Array:
    """The loss of each label; zero for `ignore_class`. `labels` may have any shape of the right size."""
    FLOATING.check("SparseCategoricalCrossentropy", y_pred=output)
    labels = labels.astype(jnp.int64)
    scores = output if from_logits else jnp.log(_clipped(output, epsilon))
    scores = jnp.moveaxis(scores, axis, -1)
    labels = jnp.reshape(labels, scores.shape[:-1])
    if ignore_class is None:
        return in_float32(sparse_softmax_loss)(scores, labels)
    is_counted = labels != ignore_class
    loss = in_float32(sparse_softmax_loss)(scores, jnp.where(is_counted, labels, 0))
    return jnp.where(is_counted, loss, jnp.zeros((), loss.dtype))


@op(name="CategoricalCrossentropy", same_dtype=False)
def categorical_cross_entropy(
    output: jax.Array, labels: jax.Array, *, axis: int, from_logits: bool, epsilon: float
) -> jax.Array:
    """The cross-entropy over the classes along `axis`; probabilities are scaled to sum to one."""
    FLOATING.check("CategoricalCrossentropy", y_pred=output)
    labels = jnp.broadcast_to(labels.astype(output.dtype), output.shape)
    if from_logits:
        return in_float32(softmax_loss)(jnp.moveaxis(output, axis, -1), jnp.moveaxis(labels, axis, -1))
    p = _clipped(output / jnp.sum(output, axis, keepdims=True), epsilon)
    return -jnp.sum(labels * jnp.log(p), axis)


@op(name="BinaryCrossentropy", same_dtype=False)
def binary_cross_entropy(
    output: jax.Array, labels: jax.Array, *, from_logits: bool, epsilon: float
) -> jax.Array:
    """The cross-entropy of each yes-or-no question, element by element."""
    return _binary(output, labels, from_logits, epsilon)


@op(name="MeanBinaryCrossentropy", same_dtype=False)
def mean_binary_cross_entropy(
    output: jax.Array, labels: jax.Array, *, from_logits: bool, epsilon: float
) -> jax.Array:
    """`binary_cross_entropy` averaged over the last axis."""
    if output.ndim == 0 and labels.ndim == 0:
        raise invalid("BinaryCrossentropy expected y_pred with at least one axis; got a scalar.")
    return jnp.mean(_binary(output, labels, from_logits, epsilon), -1)


def _binary(output: jax.Array, labels: jax.Array, from_logits: bool, epsilon: float) -> jax.Array:
    FLOATING.check("BinaryCrossentropy", y_pred=output)
    labels = labels.astype(output.dtype)
    if from_logits:
        return softplus(output) - output * labels
    low, high = _bounds(output.dtype, epsilon)
    # The probability of no is clipped by itself: of 1 - p + epsilon XLA would make (1 + epsilon) - p, and
    # round that differently.
    yes = larger(smaller(output, high), low)
    no = larger(smaller(1 - output, high), np.asarray(1, output.dtype) - high)
    return -(labels * jnp.log(yes + low) + (1 - labels) * jnp.log(no + low))
