"""`tf.__internal__.train.assign_moving_average`."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.math.casting import cast


def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Variable:
    """Move a Variable towards a value: `variable -= (1 - decay) * (variable - value)`.

    `zero_debias` would need the number of earlier calls, which TensorFlow keeps beside the Variable: it must be False.
    """
    if zero_debias:
        raise ValueError(
            "assign_moving_average expected zero_debias=False; got zero_debias=True, for which the number of earlier "
            "calls would have to be kept. Use tf.train.ExponentialMovingAverage(decay, zero_debias=True)."
        )
    rate = cast(1.0 - convert_to_tensor(decay), variable.dtype)
    return variable.assign_sub((variable - convert_to_tensor(value, variable.dtype)) * rate)
