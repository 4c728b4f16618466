"""A loop over rows that carries some values on and gives others out: `lax.scan` over a recorded body.

`tf.scan` gives out all it carries, which a recurrent layer with a user's cell need not keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.recording.body import checked_results
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.control.loop_kernel import for_kernel
from tapeflow.ops.control.recorded_body import body_or_none


def recorded_scan(
    step: Callable[[Any, Any], tuple[Any, Any]], carry: Sequence[Tensor], rows: TensorLike
) -> Any:
    """`carry, result = step(carry, row)` over the first axis of `rows`, as one compiled loop.

    Args:
        step: takes and returns structures of tensors; the carry keeps its shapes and dtypes.
        carry: the first carry.
        rows: a structure of tensors with one length.

    Returns:
        The last carry and the results stacked; None if the step cannot be recorded, as it reads a value,
        writes a Variable, prints, or changes what it carries.
    """
    flat_carry: list[Tensor] = nest.flatten(carry)
    flat_rows: list[Tensor] = nest.flatten(rows)
    carry_specs = nest.map_structure(lambda t: t.spec, carry)
    row_specs = nest.map_structure(lambda t: spec_of(t.spec.shape[1:], t.spec.dtype), rows)
    body = body_or_none(step, carry_specs, row_specs, inputs=[*flat_carry, *flat_rows])
    if body is None or list(body.graph.specs[: len(flat_carry)]) != [t.spec for t in flat_carry]:
        return None
    found = for_kernel(
        *flat_carry,
        *flat_rows,
        *body.captured,
        graph=body.graph,
        carried=len(flat_carry),
        scanned=len(flat_rows),
    )
    results = checked_results((body,), found)
    _, outputs = body.structure
    return (
        nest.pack_sequence_as(carry, results[: len(flat_carry)]),
        nest.pack_sequence_as(outputs, results[len(flat_carry) :]),
    )
