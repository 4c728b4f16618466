"""Indexing with `[]`, for tensors and for Variables, whose slices can also be assigned to.

`tf.strided_slice` is here too: it is the same thing spelled with masks.
"""

from __future__ import annotations

import builtins
import math
import weakref
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.recording.recorder import apply
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.data_dependent import boolean_mask
from tapeflow.ops.array.index_checks import looking_at
from tapeflow.ops.array.index_plan import Cut, Plan
from tapeflow.ops.array.shaping import identity_kernel
from tapeflow.ops.host_args import describe, invalid, read_ints

Shape = tuple[int, ...]


def _getitem(x: jax.Array, *indices: jax.Array, cut: Cut) -> jax.Array:
    """The part of `x` that `cut` and `indices` describe."""
    axes, shape = cut
    low = [axis.start for axis in axes]
    high = [
        size if axis.slot is not None else axis.start + axis.extent
        for axis, size in zip(axes, x.shape, strict=True)
    ]
    if any(low) or tuple(high) != x.shape:
        x = jax.lax.slice(x, low, high)
    if indices:
        zero = jnp.zeros((), jnp.int32)
        x = jax.lax.dynamic_slice(
            x,
            [zero if a.slot is None else indices[a.slot].astype(jnp.int32) for a in axes],
            [axis.extent for axis in axes],
            allow_negative_indices=[axis.is_users for axis in axes],
        )
    steps = [abs(axis.step) for axis in axes]
    if any(step > 1 for step in steps):
        x = jax.lax.slice(x, [0] * x.ndim, x.shape, steps)
    backwards = [i for i, axis in enumerate(axes) if axis.step < 0]
    if backwards:
        x = jax.lax.rev(x, backwards)
    return jnp.reshape(x, shape)


def _host_getitem(x: jax.Array | np.ndarray, *indices: Any, cut: Cut) -> Any:
    key, turn = [], []
    for axis in cut.axes:
        low = axis.start if axis.slot is None else int(indices[axis.slot])
        key.append(builtins.slice(low, low + axis.extent, abs(axis.step)))
        turn.append(builtins.slice(None, None, -1 if axis.step < 0 else 1))
    return x[tuple(key)][tuple(turn)].reshape(cut.shape)


def _setitem(x: jax.Array, update: jax.Array, *indices: jax.Array, cut: Cut) -> jax.Array:
    """`x` with `update` in the places that `_getitem` would read."""
    places = jnp.reshape(jax.lax.iota(jnp.int32, math.prod(x.shape)), x.shape)
    places = _getitem(places, *indices, cut=cut)
    flat = jnp.reshape(x, (-1,)).at[places]
    return jnp.reshape(flat.set(update, mode="drop", unique_indices=True), x.shape)


@looking_at(-1)
def _check(xp: ModuleType, x: jax.Array, *rest: jax.Array, cut: Cut) -> jax.Array:
    """Whether the user's index tensors lie within their axes; tells of the first that does not."""
    found = xp.zeros((3,), xp.int64)
    for axis, size in zip(cut.axes, x.shape, strict=True):
        if axis.slot is not None and axis.slot < 0:
            value = rest[axis.slot].astype(xp.int64)
            bad = (value < -size) | (value >= size)
            row = xp.stack([bad.astype(xp.int64), value, xp.asarray(size, xp.int64)])
            found = xp.where(found[0] != 0, found, row)
    return found


_TEXT = "slice index {value} out of bounds: tensor[...] expected one in [-{limit}, {limit})."
_getitem_known = op(name="StridedSlice", same_dtype=False, moves=True, host=_host_getitem)(_getitem)
_getitem_checked = op(name="StridedSlice", same_dtype=False, moves=True, check=_check, check_text=_TEXT)(
    _getitem
)
_setitem_known = op(name="StridedSliceAssign", same_dtype=False)(_setitem)
_setitem_checked = op(name="StridedSliceAssign", same_dtype=False, check=_check, check_text=_TEXT)(_setitem)


def getitem(tensor: TensorLike, key: Any) -> Tensor:
    """`tensor[key]`, with TensorFlow's rules for what `key` may be.

    Integers, slices, `...`, `None`, and scalar integer tensors in their place; or one boolean mask.
    A list is taken for a tuple, as TensorFlow does.
    """
    tensor = convert_to_tensor(tensor)
    if _is_mask(key):
        return boolean_mask(tensor, key)
    try:
        plan = Plan(tensor, _as_tuple(key))
    except TypeError:
        symbol = _symbol_in(key)
        if symbol is None:
            raise
        return symbol.keep_index(tensor, key)
    if plan.is_whole:
        return identity_kernel(tensor)
    chosen: Op = _getitem_checked if plan.has_tensors else _getitem_known
    return apply(chosen.instance({"cut": plan.cut}), (tensor._as_node(), *plan.inputs))


def _symbol_in(key: object) -> Symbolic | None:
    """What stands for a tensor that does not exist yet among the parts of an index."""
    for part in _as_tuple(key):
        ends = (part.start, part.stop, part.step) if isinstance(part, builtins.slice) else (part,)
        for end in ends:
            if isinstance(end, Symbolic):
                return end
    return None


def _as_tuple(key: object) -> tuple[Any, ...]:
    return tuple(key) if isinstance(key, (list, tuple)) else (key,)


def _is_mask(key: object) -> bool:
    if isinstance(key, TensorBase):
        return key.dtype.is_bool
    if isinstance(key, np.ndarray):
        return key.dtype == np.bool_
    return isinstance(key, (bool, np.bool_))


class VariableSlice(Tensor):
    """Part of a Variable: a tensor that can be assigned to, as in `v[1:3].assign([4.0, 5.0])`."""

    __slots__ = ("_key", "_variable")
    _variable: Variable
    _key: Any

    def assign(self, value: TensorLike, name: str | None = None) -> Variable:
        """Put `value` into this part of the Variable, and nothing else."""
        del name
        return self._put("assign", convert_to_tensor(value, dtype_hint=self.dtype))

    def assign_add(self, value: Sequence[Any], name: str | None = None) -> Variable:
        """Add `value` to what this part of the Variable holds now."""
        del name
        return self._put("assign_add", getitem(self._variable, self._key) + value)

    def assign_sub(self, value: TensorLike, name: str | None = None) -> Variable:
        """Subtract `value` from what this part of the Variable holds now."""
        del name
        return self._put("assign_sub", getitem(self._variable, self._key) - value)

    def _put(self, what: str, value: Tensor) -> Variable:
        current = convert_to_tensor(self._variable)
        plan = Plan(current, _as_tuple(self._key))
        wanted = plan.cut.shape
        if value.dtype is not self.dtype or not _fits(value.spec.shape, wanted):
            raise invalid(
                f"Variable[...].{what} expected a value of shape {list(wanted)}, "
                f"{self.dtype.name}; got one {describe(value)}. Reshape or cast the value."
            )
        chosen: Op = _setitem_checked if plan.has_tensors else _setitem_known
        nodes = (current._as_node(), value._as_node(), *plan.inputs)
        return self._variable.assign(apply(chosen.instance({"cut": plan.cut}), nodes))


def _fits(given: Shape, wanted: Shape) -> bool:
    """Whether a shape broadcasts to another."""
    tail = wanted[len(wanted) - len(given) :]
    return len(given) <= len(wanted) and all(g in (1, w) for g, w in zip(given, tail, strict=True))


def _variable_getitem(variable: Variable, key: object) -> Tensor:
    """`variable[key]`: the part as it is now, with a way to assign to it."""
    found = getitem(variable, key)
    if _is_mask(key):
        return found
    part = Tensor.__new__(VariableSlice)
    part._node, part._variable, part._key = found._node, variable, key
    part._node.handle = weakref.ref(part)  # `found`, the handle until now, goes out of scope
    return part


def strided_slice(
    input_: Any,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, where bit `i` of a mask changes the meaning of entry `i`.

    Args:
        input_: the tensor.
        begin: where each slice begins.
        end: where each slice ends.
        strides: the steps, ones if not given.
        begin_mask: begin at the edge.
        end_mask: end at the edge.
        ellipsis_mask: as many whole axes as are left.
        new_axis_mask: a new axis of size one.
        shrink_axis_mask: an integer index, which drops its axis.
        var: ignored.
    """
    del var, name
    where = "tf.strided_slice"
    first, last = read_ints(begin, where, "begin"), read_ints(end, where, "end")
    steps = (1,) * len(first) if strides is None else read_ints(strides, where, "strides")
    if not len(first) == len(last) == len(steps):
        raise invalid(
            f"{where} expected begin, end and strides of one length; got begin={list(first)}, "
            f"end={list(last)} and strides={list(steps)}. Leave strides out for steps of 1."
        )
    key: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(first, last, steps, strict=True)):
        if ellipsis_mask >> i & 1:
            key.append(Ellipsis)
        elif new_axis_mask >> i & 1:
            key.append(None)
        elif shrink_axis_mask >> i & 1:
            if step <= 0:
                raise invalid(
                    f"{where} expected a positive stride where an axis is dropped; got "
                    f"strides={list(steps)}: only stride 1 allowed on non-range indexing. Use 1."
                )
            key.append(start)
        else:
            bounds = (None if begin_mask >> i & 1 else start, None if end_mask >> i & 1 else stop)
            key.append(builtins.slice(*bounds, step))
    return getitem(input_, tuple(key))


newaxis = None
"""Stands for a new axis in an index: `x[:, tf.newaxis]`."""


def install() -> None:
    """Give `Tensor` and `Variable` their `[]`."""
    TensorBase.__getitem__ = getitem  # pyright: ignore[reportAttributeAccessIssue]
    Variable.__getitem__ = _variable_getitem  # pyright: ignore[reportAttributeAccessIssue]
