"""What a converted function returns."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.ops.autograph.merging import one_branch_returns
from tapeflow.ops.autograph.state import NOTHING, is_staged


def result(value: TensorLike, has_returned: TensorLike = True) -> Any:
    """The value of the `return` that was reached.

    Args:
        value: it, or `NOTHING`.
        has_returned: whether one was reached; a tensor if that depends on one.
    """
    if is_staged(has_returned) and value is not None:
        raise one_branch_returns()
    return None if value is NOTHING else value
