"""Connectionist temporal classification: the loss of a label sequence when nobody said where each label is."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import int32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import transpose
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.host_args import describe
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.counting import bincount
from tapeflow.ops.math.stable_math import in_float32, log_softmax
from tapeflow.ops.sparse.functions import to_dense
from tapeflow.ops.sparse.tensor import SparseTensor

lax = jax.lax

# The logarithm of "impossible": finite, so that sums of it have a gradient of 0 and not NaN.
_NEVER = -1e5


def _loss(
    logits: jax.Array, labels: jax.Array, lengths: jax.Array, steps: jax.Array | None, blank: int
) -> jax.Array:
    """Minus the log-probability of all ways to spell `labels` with repeats and blanks in between.

    The states of a spelling are blank, first label, blank, second label, ..., blank. A step stays,
    moves on by one, or skips the blank between two different labels. Of each sequence `lengths` labels and
    `steps` steps count, all of these if it is None.
    """
    batch, count = labels.shape
    log_p = jnp.moveaxis(log_softmax(logits, 2), 1, 0)  # time first
    states = jnp.full((batch, 2 * count + 1), blank, labels.dtype).at[:, 1::2].set(labels)
    two_back = jnp.pad(states, ((0, 0), (2, 0)), constant_values=blank)[:, :-2]
    never = jnp.asarray(_NEVER, logits.dtype)
    skip = jnp.where((states != blank) & (states != two_back), jnp.zeros((), logits.dtype), never)

    def behind(score: jax.Array, steps: int) -> jax.Array:
        return jnp.pad(score, ((0, 0), (steps, 0)), constant_values=never)[:, : score.shape[1]]

    def step(score: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[Any, None]:
        time, log_p_now = now
        moved = jnp.logaddexp(score, behind(score, 1))
        moved = jnp.logaddexp(moved, behind(score, 2) + skip)
        moved = moved + jnp.take_along_axis(log_p_now, states, 1)
        return moved if steps is None else jnp.where((time < steps)[:, None], moved, score), None

    # A spelling begins with the first blank or the first label.
    first = jnp.take_along_axis(log_p[0], states, 1)
    opening = jnp.where(jnp.arange(2 * count + 1) < 2, first, never)
    times = jnp.arange(1, log_p.shape[0], dtype=jnp.int32)
    score, _ = lax.scan(step, opening, (times, log_p[1:]))
    last = jnp.take_along_axis(score, 2 * lengths[:, None], 1)
    before = jnp.take_along_axis(score, jnp.maximum(2 * lengths - 1, 0)[:, None], 1)
    total = jnp.where(lengths[:, None] > 0, jnp.logaddexp(last, before), last)
    return -total[:, 0]


@op(
    name="CTCLoss",
    same_dtype=False,
    check=index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[-1]),
    check_text=(
        "CTC expected every label in y_true to be a class number below the {limit} classes of y_pred. Received a "
        "label value of {value} which is outside the valid range of [0, {limit}); 0 is the blank, and pads."
    ),
)
def padded_ctc_loss(logits: jax.Array, labels: jax.Array, *, blank: int) -> jax.Array:
    """The loss of each sequence.

    Args:
        logits: shape (batch, time, classes); every time step counts.
        labels: shape (batch, longest), padded with `blank`.
        blank: the class that stands for no label.
    """
    FLOATING.check("CTCLoss", y_pred=logits)
    labels = labels.astype(jnp.int32)
    lengths = jnp.sum(labels != blank, 1)
    return in_float32(lambda scores: _loss(scores, labels, lengths, None, blank))(logits)


@op(name="CTCLossV3", same_dtype=False)
def _ctc_loss_op(
    logits: jax.Array, labels: jax.Array, label_length: jax.Array, logit_length: jax.Array, *, blank: int
) -> jax.Array:
    """The loss of each sequence, given how many of its labels and steps count; time first."""
    FLOATING.check("tf.nn.ctc_loss", logits=logits)
    counts = label_length.astype(jnp.int32)
    is_label = jnp.arange(labels.shape[1], dtype=jnp.int32) < counts[:, None]
    padded = jnp.where(is_label, labels.astype(jnp.int32), blank)
    steps = logit_length.astype(jnp.int32)
    scores = jnp.moveaxis(logits, 0, 1)
    return in_float32(lambda x: _loss(x, padded, counts, steps, blank))(scores)


def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The CTC loss of each sequence.

    Args:
        labels: shape (batch, longest), or a SparseTensor of that shape.
        logits: shape (time, batch, classes), or (batch, time, classes) if not `logits_time_major`.
        label_length: how many labels each sequence has; None for a SparseTensor.
        logit_length: the number of steps of each.
        unique: accepted for TensorFlow's sake, where it saves time.
        blank_index: the class that stands for no label: 0 if not given; negative counts from the end.
    """
    where = "tf.nn.ctc_loss"
    scores = convert_to_tensor(logits)
    if scores.ndim != 3:
        raise ValueError(
            f"{where} expected logits of shape [time, batch, classes]; got logits {describe(scores)}."
        )
    if not logits_time_major:
        scores = transpose(scores, [1, 0, 2])
    classes = scores.spec.shape[2]
    blank = 0 if blank_index is None else int(blank_index)
    blank += classes if blank < 0 else 0
    if not 0 <= blank < classes:
        raise ValueError(
            f"{where} expected blank_index to be a class: blank_index must be less than the number of classes "
            f"{classes}; got blank_index={blank_index}."
        )
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                f"{where} expected a blank_index with a SparseTensor of labels: Argument `blank_index` must be "
                "provided when labels is a SparseTensor; got None."
            )
        batch = scores.spec.shape[1]
        label_length = bincount(cast(labels.indices[:, 0], int32), minlength=batch, maxlength=batch)
        labels = to_dense(labels)
    found = convert_to_tensor(labels)
    if found.ndim != 2 or found.spec.shape[0] != scores.spec.shape[1]:
        raise ValueError(
            f"{where} expected labels of shape [batch, longest] for the batch of logits; got labels "
            f"{describe(found)} and logits {describe(scores)} (time first)."
        )
    return _ctc_loss_op(scores, found, label_length, logit_length, blank=blank)
