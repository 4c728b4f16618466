"""Loops over rows: `map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`; and `while_loop`.

The body is recorded once (`engine.body`) and becomes one compiled loop. A body that cannot be
recorded (it reads a value, writes a Variable, prints) runs as plain Python, row by row, as TensorFlow
does in eager mode; so does a fold whose result changes its shape from row to row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.body import Body, Graph, checked_results, first_report
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.op import op
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.joining import concat, stack
from tapeflow.ops.control.recorded_body import as_recorded, body_or_none, packed_results
from tapeflow.ops.control.while_loop import while_loop as while_loop
from tapeflow.ops.host_args import invalid

lax = jax.lax


@op(name="Scan", same_dtype=False)
def _scan_kernel(
    *inputs: jax.Array, graph: Graph, carried: int, scanned: int, reverse: bool, keep: bool
) -> tuple[jax.Array, ...]:
    """A loop over rows: carry in, rows in; the carry after each row (`keep`) or the results out."""
    carry, rest = inputs[:carried], inputs[carried:]
    rows, captured = rest[:scanned], rest[scanned:]
    length = rows[0].shape[0]

    def turn(state: tuple[jax.Array, ...], row: Any) -> Any:
        iteration, xs = row
        results = graph(iteration, *state, *xs, *captured)
        count = len(graph.results)
        after = tuple(results[:carried])
        out = tuple(results[:count]) if keep or not carried else ()
        return after, (out, tuple(results[count:]))

    numbers = jnp.arange(length, dtype=jnp.uint32)
    last, (stacked, report) = lax.scan(turn, tuple(carry), (numbers, rows), reverse=reverse)
    results = stacked if keep or not carried else last
    return (*results, *(first_report(r) for r in report))


@op(name="Vectorize", same_dtype=False)
def _vmap_kernel(*inputs: jax.Array, graph: Graph, scanned: int, length: int) -> tuple[jax.Array, ...]:
    """The body for all rows at once; a single row, where there are more of others, serves them all."""
    rows, captured = inputs[:scanned], inputs[scanned:]
    axes = tuple(0 if r.shape[0] == length else None for r in rows)
    given = [r if axis == 0 else r[0] for r, axis in zip(rows, axes, strict=True)]

    def one(iteration: jax.Array, *xs: jax.Array) -> tuple[Any, ...]:
        return tuple(graph(iteration, *xs, *captured))

    results = jax.vmap(one, in_axes=(0, *axes))(jnp.arange(length, dtype=jnp.uint32), *given)
    if graph.checked:
        results = (*results[:-1], first_report(results[-1]))
    return results


def _tensors(structure: object) -> Any:
    return nest.map_structure(convert_to_tensor, structure)


def _rows(
    fn: Callable[..., Any], elems: Any, where: str, broadcasts: bool = False
) -> tuple[Any, list[Tensor], int]:
    """The elements as tensors, also in a flat list, and how many rows they have."""
    if not callable(fn):
        raise TypeError(f"{where} expected fn to be callable; got fn={fn!r}.")
    elems = _tensors(elems)
    flat = nest.flatten(elems)
    lengths = {t.spec.shape[:1] for t in flat}
    if () in lengths or not flat:
        raise ValueError(
            f"{where} expected elems with a first dimension to go over; got "
            f"{'a scalar' if flat else 'no tensor'}. Give a tensor of at least one dimension, or a "
            "structure of such tensors."
        )
    counts = sorted({n for (n,) in lengths})
    if broadcasts and len(counts) == 2 and 1 in counts:
        counts.remove(1)
    if len(counts) > 1:
        raise ValueError(
            f"{where} expected elems of one length; got first dimensions {counts}. Give each the same "
            "number of rows."
        )
    return elems, flat, counts[0]


def _row_specs(elems: Any) -> Any:
    return nest.map_structure(lambda t: spec_of(t.spec.shape[1:], t.spec.dtype), elems)


def _row(elems: Any, i: int) -> Tensor:
    return nest.map_structure(lambda t: t[i if t.spec.shape[0] > 1 else 0], elems)


def _stack_rows(rows: list[Any], where: str) -> Tensor:
    """Results of several rows, which must be alike, as one."""
    first = [t.spec for t in nest.flatten(rows[0])]
    for row in rows[1:]:
        found = [t.spec for t in nest.flatten(row)]
        if found != first:
            _check_alike(where, "the same for every row", first, found)
    return nest.map_structure(lambda *parts: stack(parts), *rows)


def _check_alike(where: str, rule: str, wanted: list[Spec], found: list[Spec]) -> None:
    """Raise if what `fn` returns differs from what it must be."""
    if len(found) != len(wanted):
        raise ValueError(
            f"{where} expected fn to return {rule}: the same structure, {len(wanted)} tensors; got "
            f"{len(found)}. Return as many tensors every time."
        )
    for before, after in zip(wanted, found, strict=True):
        if before.dtype is not after.dtype:
            raise invalid(
                f"{where} expected fn to return {rule}, dtype {before.dtype.name}; got "
                f"{after.dtype.name} (shape {after.shape}). Use tf.cast in fn."
            )
        if before.shape != after.shape:
            raise ValueError(
                f"{where} expected fn to return {rule}, shape {before.shape}: incompatible shape for value; "
                f"got shape {after.shape} ({after.dtype.name}). Pad or reduce it in fn."
            )


def map_fn(
    fn: Callable[..., Any],
    elems: TensorLike,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of every row of `elems`, stacked.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    where = "tf.map_fn"
    elems, flat, length = _rows(fn, elems, where)
    body = body_or_none(as_recorded(fn), _row_specs(elems), inputs=flat)
    if body is None:
        result = _mapped_in_python(fn, elems, length, where)
    else:
        if any(leaf is None for leaf in nest.flatten(body.structure)):
            raise ValueError(f"{where} expected fn to return tensors; got None. Does it lack a `return`?")
        found = _scan_kernel(
            *flat,
            *body.captured,
            graph=body.graph,
            carried=0,
            scanned=len(flat),
            reverse=False,
            keep=True,
        )
        result = packed_results(body.structure, checked_results((body,), found))
    return _as_wanted(result, dtype if fn_output_signature is None else fn_output_signature, where)


def vectorized_map(
    fn: Callable[..., Any], elems: TensorLike, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """`fn` of every row of `elems`, computed for all rows at once.

    Of several elems, those with one row only serve all rows of the others.

    >>> tf.vectorized_map(lambda x: tf.reduce_sum(x), tf.constant([[1, 2], [3, 4]])).numpy()
    array([3, 7], dtype=int32)
    """
    where = "tf.vectorized_map"
    elems, flat, length = _rows(fn, elems, where, broadcasts=True)
    body = body_or_none(as_recorded(fn), _row_specs(elems), inputs=flat)
    if body is None:
        return _mapped_in_python(fn, elems, length, where)
    if not body.graph.specs:
        return body.structure
    return packed_results(body.structure, over_rows(body, flat, length))


def over_rows(body: Body, rows: list[Tensor], length: int) -> list[Tensor]:
    """What a recorded body gives for each of `length` rows, computed for all rows at once."""
    found = _vmap_kernel(*rows, *body.captured, graph=body.graph, scanned=len(rows), length=length)
    return checked_results((body,), found)


def _mapped_in_python(fn: Callable[..., Any], elems: TensorLike, length: int, where: str) -> Tensor:
    if length == 0:
        raise invalid(
            f"{where} expected at least one row when fn cannot be recorded, as it reads a value, writes a "
            "Variable, prints or handles strings; got none. Nothing tells what fn returns."
        )
    return _stack_rows([_tensors(fn(_row(elems, i))) for i in range(length)], where)


def _as_wanted(result: object, wanted: Any, where: str) -> Any:
    """Check the results' dtypes against those the caller announced."""
    if wanted is None:
        return result
    flat, announced = nest.flatten(result), nest.flatten(wanted)
    if len(flat) != len(announced):
        raise ValueError(
            f"{where} expected fn to return {len(announced)} tensors, as fn_output_signature says; got "
            f"{len(flat)}. Give fn_output_signature the structure of what fn returns."
        )
    for tensor, given in zip(flat, announced, strict=True):
        dtype = as_dtype(getattr(given, "dtype", given))
        if tensor.dtype is not dtype:
            raise invalid(
                f"{where} expected fn to return {dtype.name}, as fn_output_signature says; got "
                f"{tensor.dtype.name}. Use tf.cast in fn, or change fn_output_signature."
            )
    return result


def scan(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: TensorLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(accumulated, row)` over the rows of `elems`; every intermediate result, stacked.

    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    return _folded(fn, elems, initializer, reverse, True, "tf.scan")


def foldl(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(accumulated, row)` over the rows from the first to the last; the last result."""
    return _folded(fn, elems, initializer, False, False, "tf.foldl")


def foldr(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """`fn(accumulated, row)` over the rows from the last to the first; the last result."""
    return _folded(fn, elems, initializer, True, False, "tf.foldr")


def _folded(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: TensorLike | None,
    reverse: bool,
    keep: bool,
    where: str,
) -> Any:
    elems, flat, length = _rows(fn, elems, where)
    if initializer is None:
        if length == 0:
            raise errors.InvalidArgumentError(
                None, None, f"{where} expected an initializer when elems has no rows; got None."
            )
        begin = _row(elems, length - 1 if reverse else 0)
        if length == 1:
            return _stack_rows([begin], where) if keep else begin
        rest = nest.map_structure(lambda t: t[:-1] if reverse else t[1:], elems)
        result = _folded(fn, rest, begin, reverse, keep, where)
        if not keep:
            return result
        ends = _stack_rows([begin], where)
        pairs = (lambda a, b: concat([b, a], 0)) if reverse else (lambda a, b: concat([a, b], 0))
        return nest.map_structure(pairs, ends, result)
    carry = _tensors(initializer)
    if length == 0:
        return nest.map_structure(lambda t: stack([t])[:0], carry) if keep else carry
    flat_carry = nest.flatten(carry)
    specs = [t.spec for t in flat_carry]
    carry_specs = nest.pack_sequence_as(carry, specs)
    body = body_or_none(as_recorded(fn), carry_specs, _row_specs(elems), inputs=[*flat_carry, *flat])
    if body is not None and list(body.graph.specs) != specs:
        _check_carry(specs, list(body.graph.specs), keep, where)
        body = None
    if body is None:
        return _folded_in_python(fn, carry, elems, length, reverse, keep, where)
    results = _scan_kernel(
        *flat_carry,
        *flat,
        *body.captured,
        graph=body.graph,
        carried=len(flat_carry),
        scanned=len(flat),
        reverse=reverse,
        keep=keep,
    )
    return nest.pack_sequence_as(carry, checked_results((body,), results))


def _check_carry(before: list[Spec], after: list[Spec], keep: bool, where: str) -> None:
    """What is kept must be alike from row to row; what is only passed on may change, but not in number."""
    if keep or len(before) != len(after):
        _check_alike(where, "what it carries", before, after)


def _folded_in_python(
    fn: Callable[..., Any], carry: Tensor, elems: Any, length: int, reverse: bool, keep: bool, where: str
) -> Tensor:
    specs = [t.spec for t in nest.flatten(carry)]
    kept = []
    for i in reversed(range(length)) if reverse else range(length):
        found = nest.flatten(_tensors(fn(carry, _row(elems, i))))
        _check_carry(specs, [t.spec for t in found], keep, where)
        carry = nest.pack_sequence_as(carry, found)
        kept.append(carry)
    if not keep:
        return carry
    return _stack_rows(kept[::-1] if reverse else kept, where)
