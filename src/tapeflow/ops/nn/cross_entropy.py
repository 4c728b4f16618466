"""Cross-entropies and other losses on logits, of `tf.nn`.

They take logits, not probabilities, because log(softmax(x)) and log(sigmoid(x)) are exact only when
computed together. As in TensorFlow the gradient of the two softmax losses is softmax(logits) minus
labels, whether or not the labels sum to one.
"""

from __future__ import annotations

import math
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import axis_message, describe, invalid, read_int, same_dtype
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.stable_math import in_float32, log_softmax, softmax, softplus

lax = jax.lax


@jax.custom_jvp
def softmax_loss(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """The cross-entropy with `labels`, a distribution over the last axis; for kernels."""
    return -jnp.sum(labels * log_softmax(logits, logits.ndim - 1), -1)


def _softmax_loss_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    logits, labels = primals
    dlogits, dlabels = tangents
    change = jnp.zeros(logits.shape[:-1], logits.dtype)
    if not isinstance(dlogits, jax.custom_derivatives.SymbolicZero):
        change += jnp.sum((softmax(logits, logits.ndim - 1) - labels) * dlogits, -1)
    if not isinstance(dlabels, jax.custom_derivatives.SymbolicZero):
        change -= jnp.sum(log_softmax(logits, logits.ndim - 1) * dlabels, -1)
    return softmax_loss(logits, labels), change


softmax_loss.defjvp(_softmax_loss_jvp, symbolic_zeros=True)


@jax.custom_jvp
def sparse_softmax_loss(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """The cross-entropy with class numbers, which must be in range; for kernels."""
    # Shifted first: a loss near 0 is then not the difference of two large numbers.
    shifted = logits - jnp.max(logits, -1, keepdims=True)
    chosen = jnp.take_along_axis(shifted, labels[..., None], -1, mode="promise_in_bounds")
    return jnp.log(jnp.sum(jnp.exp(shifted), -1)) - chosen[..., 0]


@sparse_softmax_loss.defjvp
def _sparse_softmax_loss_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    logits, labels = primals
    classes = lax.broadcasted_iota(labels.dtype, logits.shape, logits.ndim - 1)
    # Comparing beats scattering: on CPU a scatter is a loop that nothing fuses with.
    is_label = (classes == labels[..., None]).astype(logits.dtype)
    change = jnp.sum((softmax(logits, logits.ndim - 1) - is_label) * tangents[0], -1)
    return sparse_softmax_loss(logits, labels), change


@op(name="SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy(logits: jax.Array, labels: jax.Array, *, axis: int) -> Any:
    FLOATING.check("SoftmaxCrossEntropyWithLogits", logits=logits)
    labels = jnp.broadcast_to(labels, logits.shape)
    if axis != logits.ndim - 1:
        logits, labels = jnp.moveaxis(logits, axis, -1), jnp.moveaxis(labels, axis, -1)
    return in_float32(softmax_loss)(logits, labels)


@op(
    name="SparseSoftmaxCrossEntropyWithLogits",
    same_dtype=False,
    check=index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[-1]),
    check_text=(
        "tf.nn.sparse_softmax_cross_entropy_with_logits expected labels below the number of "
        "classes. Received a label value of {value} which is outside the valid range of [0, "
        "{limit})."
    ),
)
def _sparse_softmax_cross_entropy(logits: jax.Array, labels: jax.Array) -> Any:
    FLOATING.check("SparseSoftmaxCrossEntropyWithLogits", logits=logits)
    return in_float32(sparse_softmax_loss)(logits, labels)


@op(name="SigmoidCrossEntropyWithLogits")
def _sigmoid_cross_entropy(logits: jax.Array, labels: jax.Array) -> Any:
    FLOATING.check("SigmoidCrossEntropyWithLogits", logits=logits)
    return softplus(logits) - logits * labels


@op(name="WeightedCrossEntropyWithLogits")
def _weighted_cross_entropy(logits: jax.Array, labels: jax.Array, pos_weight: jax.Array) -> Any:
    FLOATING.check("WeightedCrossEntropyWithLogits", logits=logits)
    weight = 1 + (pos_weight - 1) * labels
    return (1 - labels) * logits + weight * softplus(-logits)


@op(name="LogPoissonLoss")
def _log_poisson(log_input: jax.Array, targets: jax.Array, *, compute_full_loss: bool) -> Any:
    FLOATING.check("LogPoissonLoss", log_input=log_input)
    loss = jnp.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    # Stirling's formula is for targets above 1; the others get a 1, whose logarithm is harmless.
    is_small = (targets >= 0) & (targets <= 1)
    z = jnp.where(is_small, jnp.ones((), targets.dtype), targets)
    stirling = z * jnp.log(z) - z + 0.5 * jnp.log(2 * math.pi * z)
    return loss + jnp.where(is_small, jnp.zeros((), targets.dtype), stirling)


@op(name="L2Loss")
def _l2_loss(t: jax.Array) -> jax.Array:
    FLOATING.check("L2Loss", t=t)
    return jnp.sum(t * t) / 2


def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross-entropy between `labels`, a distribution over classes, and softmax(logits).

    Args:
        labels: probabilities of the classes, of the shape of `logits` or one that broadcasts to it;
            cast to the dtype of `logits`. It has a gradient.
        logits: unscaled log-probabilities.
        axis: the axis of the classes.
        name: ignored.

    Returns:
        A loss for each example: the shape of `logits` without `axis`.
    """
    where = "tf.nn.softmax_cross_entropy_with_logits"
    scores = convert_to_tensor(logits)
    targets = cast(convert_to_tensor(labels, dtype_hint=scores.spec.dtype), scores.spec.dtype)
    rank = len(scores.spec.shape)
    axis = read_int(axis, where, "axis")
    if not -rank <= axis < rank:
        raise invalid(axis_message(where, "axis", axis, rank))
    if not _broadcasts(targets.spec.shape, scores.spec.shape):
        raise invalid(
            f"{where} expected labels of the shape of logits: logits and labels must be "
            f"broadcastable; got labels {describe(targets)} and logits {describe(scores)}. For "
            "class numbers use tf.nn.sparse_softmax_cross_entropy_with_logits."
        )
    return _softmax_cross_entropy(scores, targets, axis=axis % rank)


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return len(shape) <= len(to) and all(
        mine in (1, theirs) for mine, theirs in zip(reversed(shape), reversed(to), strict=False)
    )


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """The cross-entropy between class numbers and softmax(logits).

    Args:
        labels: int32 or int64, each in [0, classes); the shape of `logits` without its last axis.
        logits: unscaled log-probabilities, classes last.
        name: ignored.

    Returns:
        A loss for each label.

    Raises:
        InvalidArgumentError: a label is out of range.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    where = "tf.nn.sparse_softmax_cross_entropy_with_logits"
    _both_given(where, labels, logits)
    targets, scores = convert_to_tensor(labels), convert_to_tensor(logits)
    shape = scores.spec.shape
    if not shape:
        raise ValueError(f"{where} expected logits with a class axis; got logits {describe(scores)}.")
    if len(targets.spec.shape) != len(shape) - 1:
        raise ValueError(
            f"{where} expected labels of one rank less than logits (`labels.shape.rank` must equal "
            f"`logits.shape.rank - 1`); got labels {describe(targets)} and logits "
            f"{describe(scores)}. Squeeze a last axis of length 1; for one-hot labels use "
            "tf.nn.softmax_cross_entropy_with_logits."
        )
    if targets.spec.shape != shape[:-1]:
        raise ValueError(
            f"{where} expected labels of the shape {list(shape[:-1])}, that of logits without its "
            f"last axis; got labels {describe(targets)} and logits {describe(scores)}."
        )
    if targets.spec.dtype.name not in ("int32", "int64"):
        raise invalid(f"{where} expected int32 or int64 labels; got labels {describe(targets)}. Use tf.cast.")
    if shape[-1] == 0:
        raise invalid(f"{where} expected at least one class; got logits {describe(scores)}.")
    return _sparse_softmax_cross_entropy(scores, targets)


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross-entropy of independent yes-or-no questions, element by element.

    Args:
        labels: the probability of yes, of the shape and dtype of `logits`.
        logits: log-odds.
        name: ignored.
    """
    where = "tf.nn.sigmoid_cross_entropy_with_logits"
    _both_given(where, labels, logits)
    scores, targets = same_dtype("SigmoidCrossEntropyWithLogits", logits, labels)
    _same_shape(where, logits=scores, labels=targets)
    return _sigmoid_cross_entropy(scores, targets)


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: Any, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with the loss of positive examples times `pos_weight`.

    A weight above 1 trades precision for recall.
    """
    where = "tf.nn.weighted_cross_entropy_with_logits"
    scores, targets = same_dtype("WeightedCrossEntropyWithLogits", logits, labels)
    _same_shape(where, logits=scores, labels=targets)
    return _weighted_cross_entropy(scores, targets, pos_weight)


def log_poisson_loss(
    targets: TensorLike, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log-likelihood of counts under Poisson rates given as logarithms.

    Args:
        targets: the counts.
        log_input: logarithms of the rates, of the same shape.
        compute_full_loss: add log(targets!) by Stirling's formula, which no rate can change.
        name: ignored.
    """
    rates, counts = same_dtype("LogPoissonLoss", log_input, targets)
    _same_shape("tf.nn.log_poisson_loss", log_input=rates, targets=counts)
    return _log_poisson(rates, counts, compute_full_loss=bool(compute_full_loss))


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares."""
    return _l2_loss(t)


def _both_given(where: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        missing = "labels" if labels is None else "logits"
        raise ValueError(f"{where} expected both labels and logits; got {missing}=None.")


def _same_shape(where: str, **tensors: Tensor) -> None:
    (first, one), (second, other) = tensors.items()
    if one.spec.shape != other.spec.shape:
        raise ValueError(
            f"{where} expected {first} and {second} to have the same shape; got {first} "
            f"{describe(one)} and {second} {describe(other)}. Reshape or broadcast one of them "
            "first."
        )
