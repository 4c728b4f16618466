"""Losses of examples, averaged over the batch of all replicas: which is what a step sees (`tf.distribute`)."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, read_int
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.reduction import reduce_sum


def compute_average_loss(
    per_example_loss: Any, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the examples' losses over the size of the batch of all replicas."""
    where = "tf.nn.compute_average_loss"
    loss = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        weight = cast(sample_weight, loss.dtype)
        loss = loss * weight
    if global_batch_size is None:
        if not loss.spec.shape:
            raise ValueError(
                f"{where} expected a loss for each example: `per_example_loss` must be at least 1-D; got "
                f"{describe(loss)}. Give a global_batch_size."
            )
        size = loss.spec.shape[0]
    else:
        size = read_int(global_batch_size, where, "global_batch_size")
    if size <= 0:
        raise ValueError(f"{where}: `global_batch_size` must be positive; got {size}.")
    return reduce_sum(loss) / size


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of regularisation losses, which a step adds once for all replicas."""
    loss = regularization_loss
    values = [convert_to_tensor(v) for v in (loss if isinstance(loss, (list, tuple)) else [loss])]
    return reduce_sum(values)
