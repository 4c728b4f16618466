"""`ReduceOp`: how values of replicas, or of examples, become one."""

from __future__ import annotations

import enum
from typing import Any


class ReduceOp(enum.Enum):
    """Add up, or average."""

    SUM = "SUM"
    MEAN = "MEAN"


def as_reduce_op(op: Any) -> ReduceOp:
    """A `ReduceOp` of one, or of its name in any case.

    Raises:
        ValueError: there is no such one.
    """
    if isinstance(op, ReduceOp):
        return op
    try:
        return ReduceOp(str(op).upper())
    except ValueError:
        raise ValueError(
            f"Strategy.reduce expected reduce_op to be tf.distribute.ReduceOp.SUM or MEAN; got reduce_op={op!r}."
        ) from None
