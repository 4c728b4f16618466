"""`keras.engine.training`: what packages with a `predict_step` of their own import from it."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def _minimum_control_deps(outputs: Any) -> list[Any]:
    """What has to be computed before the step counts as taken: nothing, as ops with effects keep their order."""
    del outputs
    return []


def reduce_per_replica(values: Any, strategy: Any, reduction: str = "first") -> Any:
    """The values of the replicas as one.

    Args:
        values: what `strategy.run` gave, in any structure.
        strategy: whose replicas they are.
        reduction: `first` of them, their `sum`, or their rows one after the other (`concat`).
    """

    def reduced(value: Any) -> Any:
        parts = strategy.experimental_local_results(value)
        if reduction == "first" or len(parts) == 1:
            return parts[0]
        if reduction == "concat":
            return tf.concat(parts, 0)
        if reduction == "sum":
            return tf.add_n(list(parts))
        raise ValueError(
            f"reduce_per_replica expected 'first', 'sum' or 'concat'; got reduction={reduction!r}. Choose one of these."
        )

    return tf.nest.map_structure(reduced, values)
