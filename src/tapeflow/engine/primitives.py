"""The few ops the engine itself needs: cast, stack, identity and a Variable's read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.backend import jnp
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import apply
from tapeflow.engine.values.dtypes import DType

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike
    from tapeflow.engine.values.tensor import Tensor


@op(name="Cast", same_dtype=False, host=lambda x, *, dtype: x.astype(dtype.as_numpy_dtype))
def cast_op(x: Any, *, dtype: DType) -> Any:
    """Convert to another dtype; complex to real keeps the real part."""
    if jnp.iscomplexobj(x) and not dtype.is_complex:
        x = jnp.real(x)
    return x.astype(dtype.as_numpy_dtype)


def cast_node(node: Node, dtype: DType) -> Node:
    """A node's value in another dtype; the node itself if it has it."""
    if node.spec.dtype is dtype:
        return node
    return apply(cast_op.instance({"dtype": dtype}), (node,))._node


@op(name="Pack", moves=True, host=lambda *xs, axis: np.stack(xs, axis))
def stack_op(*arrays: Any, axis: int) -> Any:
    """Stack arrays of one shape along a new axis."""
    return jnp.stack(arrays, axis)


@op(name="AddN")
def add_op(x: Tensor, y: Tensor) -> Any:
    """The sum of two gradients."""
    return x + y


@op(name="Identity", same_dtype=False)
def identity_op(x: TensorLike) -> Any:
    """The same value as a tensor of its own."""
    return x


@op(name="ReadVariable", same_dtype=False)
def read_op(x: TensorLike) -> Any:
    """A Variable's value, where a derivative with respect to the Variable enters."""
    return x


@op(name="AssignVariable", same_dtype=False, differentiable=False)
def assign_op(x: TensorLike) -> Any:
    """A Variable's new value, which the Variable alone owns; no derivative passes an assignment."""
    return x


@op(name="AssignAddVariable", same_dtype=False, differentiable=False)
def assign_add_op(x: Tensor, delta: Tensor) -> Any:
    """A Variable's value plus `delta`, which the Variable alone owns."""
    return x + delta


@op(name="AssignSubVariable", same_dtype=False, differentiable=False)
def assign_sub_op(x: Tensor, delta: Tensor) -> Any:
    """A Variable's value less `delta`, which the Variable alone owns."""
    return x - delta
