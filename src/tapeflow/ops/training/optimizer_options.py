"""What every optimizer does around its own rule: accumulation, clipping, weight decay, moving averages.

Written with operators alone, so that it serves arrays in the op of a whole step and tensors in the steps of a user's
own optimizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tapeflow.engine.values.annotations import TensorLike


class Bounds(Protocol):
    """The bounds of gradients: those of a plan or of an optimizer. At most one of them counts.

    Attributes:
        clipnorm: the largest norm of each gradient.
        global_clipnorm: the largest norm of all gradients together.
        clipvalue: the largest absolute value of an element.
    """

    @property
    def clipnorm(self) -> float | None: ...
    @property
    def global_clipnorm(self) -> float | None: ...
    @property
    def clipvalue(self) -> float | None: ...


class Clip(NamedTuple):
    """How to clip: kernels for arrays, ops for tensors."""

    by_norm: Callable[[Any, float], Any]
    by_global_norm: Callable[[list[Any], float], Sequence[Any]]
    by_value: Callable[[Any, float, float], Any]


def clipped(gradients: list[Any], bounds: Bounds, clip: Clip) -> list[Any]:
    """The gradients within the bounds; the first bound given counts, as in Keras."""
    if bounds.clipnorm:
        return [clip.by_norm(g, bounds.clipnorm) for g in gradients]
    if bounds.global_clipnorm:
        return list(clip.by_global_norm(gradients, bounds.global_clipnorm))
    if bounds.clipvalue:
        return [clip.by_value(g, -bounds.clipvalue, bounds.clipvalue) for g in gradients]
    return gradients


def is_due(count: Any, period: int) -> Any:
    """Whether the step after `count` others is one of every `period`."""
    return (count + 1) % period == 0


def accumulated(gradient: TensorLike, total: Any, steps: int) -> tuple[Any, Any]:
    """The sum of gradients with this one in it, and the mean that a step of `steps` calls takes of it."""
    total = gradient + total
    return total, total / steps


def decay_of(variable: Any, weight_decay: float, rate: float | TensorLike) -> Any:
    """What weight decay takes off a variable."""
    return variable * weight_decay * rate


def averaged(average: Any, variable: Any, momentum: float) -> Any:
    """A moving average after one more value of its variable."""
    return momentum * average + (1 - momentum) * variable
