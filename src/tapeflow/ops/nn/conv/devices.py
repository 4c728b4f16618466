"""Kernels that go through a batch in a loop, on several devices that each have some rows of it.

XLA cannot divide such a loop: left to it, every device would get the whole batch and do the work of all. Here each does
that of its own rows, and what they have computed is put together, or summed up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import Array, lax
from jax.sharding import PartitionSpec

from tapeflow.engine.devices import placement


def on_rows(
    function: Callable[..., Any], arrays: Sequence[Array], are_rows: Sequence[bool], is_sum: bool = False
) -> Any:
    """`function(*arrays)`, computed by each device for its rows of a batch.

    Args:
        function: treats each row by itself, or adds up what it computes of them.
        arrays: its arguments.
        are_rows: which of them have a row for each sample; all devices have the others whole.
        is_sum: whether it adds up.
    """
    mesh = placement.batch_mesh()
    counts = [array.shape[0] for array, has_rows in zip(arrays, are_rows, strict=True) if has_rows]
    if mesh is None or any(count % mesh.size for count in counts):
        return function(*arrays)
    (axis,) = mesh.axis_names
    rows, whole = PartitionSpec(axis), PartitionSpec()

    def of_own_rows(*parts: Array) -> Any:
        found = function(*parts)
        return lax.psum(found, axis) if is_sum else found

    return jax.shard_map(
        of_own_rows,
        mesh=mesh,
        in_specs=tuple([rows if has_rows else whole for has_rows in are_rows]),
        out_specs=whole if is_sum else rows,
        check_vma=False,  # results of loops that begin with zeros
    )(*arrays)
