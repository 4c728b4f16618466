"""Reading and writing some rows or elements of a Variable: `scatter_add` and its kin.

`scatter_*` take `tf.IndexedSlices` and name rows; `scatter_nd_*` name places, as `tf.scatter_nd` does.
All of them are assignments: no derivative passes them, and each gives back the Variable. An index out
of range raises, at the call when the host knows the indices, else when the program runs; the Variable
then keeps its value.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.index_checks import check_places, looking_at, nd_check
from tapeflow.ops.array.indexed_slices import IndexedSlices
from tapeflow.ops.array.indexing import gather, gather_nd
from tapeflow.ops.array.joining import stack
from tapeflow.ops.array.shaping import broadcast_to, expand_dims
from tapeflow.ops.domains import ANY, NUMERIC, REAL, Domain
from tapeflow.ops.host_args import describe, index_tensor, invalid, known_value, read_value

_HOWS: dict[str, tuple[str, Domain]] = {
    "update": ("set", ANY),
    "add": ("add", NUMERIC),
    "sub": ("subtract", NUMERIC),
    "mul": ("multiply", NUMERIC),
    "div": ("divide", NUMERIC),
    "max": ("max", REAL),
    "min": ("min", REAL),
}


def _divided(current: Any, at: Any, updates: jax.Array) -> jax.Array:
    """`current` divided by the product of its updates; integers are cut off towards zero."""
    divisors = jnp.ones_like(current).at[at].multiply(updates, mode="drop", wrap_negative_indices=False)
    return jax.lax.div(current, divisors)


@looking_at(2)
def _check(xp: ModuleType, current: Any, updates: Any, places: Any) -> Any:
    del updates
    return nd_check(xp, current.shape[: places.shape[-1]], places)


@functools.cache
def _ops(where: str, kind: str) -> tuple[Op, Op]:
    """The op of a method for indices that have been looked at, and for those the program must check."""
    how, domain = _HOWS[kind]

    def scatter(current: Any, updates: jax.Array, places: Any) -> Any:
        domain.check(where, values=updates)
        at = tuple([places[..., i] for i in range(places.shape[-1])])
        if kind == "div":
            return _divided(current, at, updates)
        put = getattr(jnp.asarray(current).at[at], how)
        return put(updates, mode="drop", wrap_negative_indices=False)

    text = "{op} expected every index in [0, {limit}) of its axis; got {value}."
    return (
        op(name=where, same_dtype=False, differentiable=False, moves=kind == "update")(scatter),
        op(name=where, same_dtype=False, differentiable=False, check=_check, check_text=text)(scatter),
    )


def _put(
    variable: Variable, where: str, kind: str, updates: Tensor, places: Tensor, is_sure: bool
) -> Variable:
    known, checked = _ops(where, kind)
    return variable.assign((known if is_sure else checked)(variable, updates, places))


def _known_indices(variable: Variable, indices: Tensor) -> np.ndarray | None:
    """Indices that can be looked at now. Strings are moved now, so theirs are read if they must be."""
    return read_value(indices) if variable.dtype is string else known_value(indices)


def _slices_of(where: str, sparse_delta: Any) -> IndexedSlices:
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"{where} expected sparse_delta to be a `tf.IndexedSlices`; got sparse_delta={sparse_delta!r}. "
            "Pass tf.IndexedSlices(values, indices), or use the scatter_nd form."
        )
    return sparse_delta


def _by_rows(kind: str) -> Callable[..., Variable]:
    """The method that changes rows."""
    where = f"Variable.scatter_{kind}"

    def method(
        self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        slices = _slices_of(where, sparse_delta)
        updates = convert_to_tensor(slices.values, dtype=self.dtype)
        rows = index_tensor(slices.indices, where)
        shape = tuple(self._spec.shape)
        wanted = (*rows.spec.shape, *shape[1:])
        if not shape or updates.spec.shape not in (wanted, ()):
            raise invalid(
                f"{where} expected values of shape indices.shape + variable.shape[1:], or a scalar; got "
                f"values {describe(updates)}, indices {describe(rows)} and a Variable of shape "
                f"{list(shape)}. Give one row for each index."
            )
        if updates.spec.shape != wanted:
            updates = broadcast_to(updates, wanted)
        known = _known_indices(self, rows)
        if known is not None:
            _check_rows(np.asarray(known), shape[0], where)
        return _put(self, where, kind, updates, expand_dims(rows, -1), known is not None)

    return method


def _check_rows(indices: np.ndarray, limit: int, where: str) -> None:
    bad = np.argwhere((indices < 0) | (indices >= limit))
    if len(bad):
        place = ",".join(map(str, bad[0]))
        raise invalid(
            f"{where} expected indices of rows that exist; got indices[{place}] = {indices[tuple(bad[0])]} "
            f"is not in [0, {limit}). Negative indices do not count from the end here."
        )


def _by_places(kind: str) -> Callable[..., Variable]:
    """The method that changes places, each a row of `indices`."""

    def method(self: Variable, indices: TensorLike, updates: Any, name: str | None = None) -> Variable:
        return _put_places(self, kind, indices, updates, f"Variable.scatter_nd_{kind}")

    return method


def _put_places(variable: Variable, kind: str, indices: TensorLike, updates: Any, where: str) -> Variable:
    updates = convert_to_tensor(updates, dtype=variable.dtype)
    places = index_tensor(indices, where)
    shape, depths = tuple(variable._spec.shape), places.spec.shape[-1:]
    if (
        not depths
        or depths[0] > len(shape)
        or updates.spec.shape != (*places.spec.shape[:-1], *shape[depths[0] :])
    ):
        raise invalid(
            f"{where} expected updates of shape indices.shape[:-1] + variable.shape[indices.shape[-1]:]; got "
            f"updates {describe(updates)}, indices {describe(places)} and a Variable of shape "
            f"{list(shape)}. Each row of indices names one place, of at most as many axes as there are."
        )
    known = _known_indices(variable, places)
    if known is not None:
        check_places(np.asarray(known), shape, where, "the Variable")
    return _put(variable, where, kind, updates, places, known is not None)


def _batch_scatter_update(
    self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Row by row: in batch `b` the rows `indices[b]` become `values[b]`."""
    where = "Variable.batch_scatter_update"
    slices = _slices_of(where, sparse_delta)
    rows = index_tensor(slices.indices, where)
    if rows.ndim > len(self._spec.shape) or rows.ndim == 0:
        raise invalid(
            f"{where} expected indices of at least one and at most the Variable's number of dimensions; got "
            f"indices {describe(rows)} and a Variable of shape {self.shape}. Give one row of indices a batch."
        )
    batches = np.indices(rows.spec.shape)[:-1].astype(rows.spec.np_dtype)
    places = stack([*[convert_to_tensor(b) for b in batches], rows], axis=-1)
    return _put_places(self, "update", places, slices.values, where)


def _gather_nd(self: Variable, indices: TensorLike, name: str | None = None) -> Tensor:
    """The elements or slices at `indices`, as returned by `tf.gather_nd`."""
    return gather_nd(self, indices)


def _sparse_read(self: Variable, indices: TensorLike, name: str | None = None) -> Tensor:
    """The rows `indices`, as returned by `tf.gather`."""
    return gather(self, indices)


_SAYS = {
    "update": "become `values`; of a row named twice the last one counts",
    "add": "have `values` added",
    "sub": "have `values` subtracted",
    "mul": "are multiplied by `values`",
    "div": "are divided by `values`; integers are cut off towards zero",
    "max": "are raised to `values` where those are larger",
    "min": "are lowered to `values` where those are smaller",
}


def install() -> None:
    """Give `Variable` its scattering methods; called once, when the package is set up."""
    methods: dict[str, Callable[..., Any]] = {
        "batch_scatter_update": _batch_scatter_update,
        "gather_nd": _gather_nd,
        "sparse_read": _sparse_read,
    }
    for kind, text in _SAYS.items():
        methods[f"scatter_{kind}"] = by_rows = _by_rows(kind)
        by_rows.__doc__ = f"The rows of a `tf.IndexedSlices` {text}. Gives back the Variable."
        if kind not in ("mul", "div"):
            methods[f"scatter_nd_{kind}"] = by_places = _by_places(kind)
            by_places.__doc__ = f"The places named by rows of `indices` {text.replace('values', 'updates')}."
    for name, method in methods.items():
        method.__name__ = name
        setattr(Variable, name, method)
