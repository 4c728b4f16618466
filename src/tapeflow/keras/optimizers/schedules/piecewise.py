"""A schedule of constant pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule, as_rate
from tapeflow.ops.training import optimizer_schedules as kernels


class PiecewiseConstantDecay(LearningRateSchedule):
    """A constant rate up to and including each boundary, and another after the last.

    Args:
        boundaries: steps, rising.
        values: rates, one more than boundaries.
        name: ignored.

    >>> schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.25])
    >>> [float(schedule(step)) for step in (0, 10, 11, 21)]
    [1.0, 1.0, 0.5, 0.25]
    """

    def __init__(self, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length "
                f"{len(values)}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        return kernels.piecewise_constant(as_rate(list(self.values)), step, list(self.boundaries))

    def get_config(self) -> dict[str, Any]:
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}
