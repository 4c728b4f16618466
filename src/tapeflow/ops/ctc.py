"""Connectionist temporal classification: the loss of a label sequence when nobody said where each label is."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.checks import index_check
from tapeflow.engine.op import op
from tapeflow.ops.domains import FLOATING
from tapeflow.ops.stable_math import in_float32, log_softmax

lax = jax.lax

# The logarithm of "impossible": finite, so that sums of it have a gradient of 0 and not NaN.
_NEVER = -1e5


def _loss(logits: Any, labels: Any, blank: int) -> Any:
    """Minus the log-probability of all ways to spell `labels` with repeats and blanks in between.

    The states of a spelling are blank, first label, blank, second label, ..., blank. A step stays,
    moves on by one, or skips the blank between two different labels.
    """
    batch, count = labels.shape
    log_p = jnp.moveaxis(log_softmax(logits, 2), 1, 0)  # time first
    lengths = jnp.sum(labels != blank, 1)
    states = jnp.full((batch, 2 * count + 1), blank, labels.dtype).at[:, 1::2].set(labels)
    two_back = jnp.pad(states, ((0, 0), (2, 0)), constant_values=blank)[:, :-2]
    never = jnp.asarray(_NEVER, logits.dtype)
    skip = jnp.where((states != blank) & (states != two_back), jnp.zeros((), logits.dtype), never)

    def behind(score: Any, steps: int) -> Any:
        return jnp.pad(score, ((0, 0), (steps, 0)), constant_values=never)[:, : score.shape[1]]

    def step(score: Any, log_p_now: Any) -> tuple[Any, None]:
        moved = jnp.logaddexp(score, behind(score, 1))
        moved = jnp.logaddexp(moved, behind(score, 2) + skip)
        return moved + jnp.take_along_axis(log_p_now, states, 1), None

    # A spelling begins with the first blank or the first label.
    first = jnp.take_along_axis(log_p[0], states, 1)
    opening = jnp.where(jnp.arange(2 * count + 1) < 2, first, never)
    score, _ = lax.scan(step, opening, log_p[1:])
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
def ctc_loss(logits: Any, labels: Any, *, blank: int) -> Any:
    """The loss of each sequence.

    Args:
        logits: shape (batch, time, classes); every time step counts.
        labels: shape (batch, longest), padded with `blank`.
        blank: the class that stands for no label.
    """
    FLOATING.check("CTCLoss", y_pred=logits)
    return in_float32(lambda scores: _loss(scores, labels.astype(jnp.int32), blank))(logits)
