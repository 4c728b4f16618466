"""The op that says how a value lies on several devices, and its use for Variables.

It is recorded wherever a Variable with a layout gets a new value, so the layout is part of the program and of its
key: XLA computes each device's part of the new value there, and the old value's memory can be used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tapeflow.engine.backend import jax
from tapeflow.engine.devices.placement import Layout
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.op import Instance, op
from tapeflow.engine.recording.recorder import record
from tapeflow.engine.recording.trace import state

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike


@op(name="Layout", same_dtype=False, is_spread=True)
def lay_out_op(x: TensorLike, *, sharding: Any) -> Any:
    """The same value, split over the devices as a sharding says."""
    return jax.lax.with_sharding_constraint(x, sharding)


_instances: WeakKeyDictionary[Layout, Instance] = WeakKeyDictionary()


def laid_out(node: Node, layout: Layout) -> Node:
    """A value in its layout, with an owner: moved there if it is known, else computed there."""
    if node.value is not None and state.recording is None and not state.trace.is_body:
        placed = Node(node.spec, layout.placement.put(node.array(), layout.sharding))
        placed.held = 1
        return placed
    return record(_instance_of(layout), (node,), node.spec, None, 1, 4)


def is_laid_out(node: Node, layout: Layout) -> bool:
    """Whether a pending value is known to be computed in its layout."""
    return node.instance is _instance_of(layout)


def _instance_of(layout: Layout) -> Instance:
    instance = _instances.get(layout)
    if instance is None:
        instance = _instances[layout] = lay_out_op.instance({"sharding": layout.sharding})
    return instance
