"""`tf.sparse`: sparse tensors made, changed, put together and multiplied."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, float32, string
from tapeflow.engine.values.dtypes import bool as bool_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import creation, indexing, joining, shaping
from tapeflow.ops.array.indexed_slices import IndexedSlices
from tapeflow.ops.host_args import invalid, read_axis, read_int, read_ints, read_value
from tapeflow.ops.math import reduction, segment
from tapeflow.ops.math.arithmetic import maximum as larger
from tapeflow.ops.math.arithmetic import minimum as smaller
from tapeflow.ops.math.elementwise import exp
from tapeflow.ops.sparse.tensor import SparseTensor, only_sparse, places_of


def to_dense(
    sp_input: TensorLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Convert to a dense tensor, with `default_value` (zero, or an empty string) where there is no value."""
    where = "tf.sparse.to_dense"
    sparse = only_sparse(sp_input, where)
    places = _checked(sparse, where) if validate_indices else places_of(sparse)
    filler: Any = b"" if sparse.dtype is string else False if sparse.dtype is bool_dtype else 0
    last = convert_to_tensor(filler if default_value is None else default_value, sparse.dtype)
    # Every element points at a value, or at one more at the end: the default.
    pointers = np.full(int(np.prod(sparse._dense_shape)), len(places), np.int64)
    pointers[places] = np.arange(len(places))
    values = joining.concat([sparse.values, shaping.reshape(last, [1])], 0)
    return indexing.gather(values, pointers.reshape(tuple(sparse._dense_shape)))


def _checked(sparse: SparseTensor, where: str) -> np.ndarray:
    inside = (sparse._places >= 0) & (sparse._places < sparse._dense_shape)
    if not inside.all():
        raise invalid(f"{where} expected indices inside of {sparse.shape}; got one out of bounds.")
    places = places_of(sparse)
    if (np.diff(places) <= 0).any():
        raise invalid(
            f"{where} expected indices in order and none twice: an index is out of order or repeated. Use "
            "tf.sparse.reorder."
        )
    return places


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The values of a tensor that are not zero (or empty), and where they stand."""
    dense = convert_to_tensor(tensor)
    array = read_value(dense)
    is_there = array != (b"" if dense.dtype is string else 0)
    indices = np.argwhere(is_there)
    return SparseTensor(indices, indexing.gather_nd(dense, indices), np.array(array.shape, np.int64))


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The values in the order of their places, row by row."""
    sparse = only_sparse(sp_input, "tf.sparse.reorder")
    return _taken(sparse, np.argsort(places_of(sparse), kind="stable"))


def _taken(sparse: SparseTensor, rows: np.ndarray) -> SparseTensor:
    return SparseTensor(sparse._places[rows], indexing.take(sparse.values, rows, 0), sparse._dense_shape)


def retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """The values for which a vector of truth values holds."""
    sparse = only_sparse(sp_input, "tf.sparse.retain")
    kept = read_value(convert_to_tensor(to_retain))
    if len(kept) != len(sparse._places):
        raise invalid(f"tf.sparse.retain expected {len(sparse._places)} truth values; got {len(kept)}.")
    return _taken(sparse, np.flatnonzero(kept))


def reshape(sp_input: SparseTensor, shape: TensorLike, name: str | None = None) -> SparseTensor:
    """Reshape a sparse tensor; one dimension may be -1."""
    sparse = only_sparse(sp_input, "tf.sparse.reshape")
    wanted = list(read_ints(shape, "tf.sparse.reshape", "shape"))
    total = int(np.prod(sparse._dense_shape))
    if -1 in wanted:
        known = int(np.prod([d for d in wanted if d != -1]))
        wanted[wanted.index(-1)] = total // max(known, 1)
    if int(np.prod(wanted)) != total:
        raise invalid(f"tf.sparse.reshape expected a shape of {total} elements; got shape={wanted}.")
    places = np.stack(np.unravel_index(places_of(sparse), wanted), axis=1)
    return SparseTensor(places, sparse.values, np.array(wanted, np.int64))


def transpose(
    sp_input: SparseTensor, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """Permute the dimensions, by default in reverse order."""
    sparse = only_sparse(sp_input, "tf.sparse.transpose")
    rank = len(sparse._dense_shape)
    order = list(range(rank))[::-1] if perm is None else list(read_ints(perm, "tf.sparse.transpose", "perm"))
    return reorder(SparseTensor(sparse._places[:, order], sparse.values, sparse._dense_shape[order]))


def expand_dims(sp_input: SparseTensor, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """One more dimension of size 1."""
    sparse = only_sparse(sp_input, "tf.sparse.expand_dims")
    at = read_axis(-1 if axis is None else axis, len(sparse._dense_shape) + 1, "tf.sparse.expand_dims")
    return SparseTensor(
        np.insert(sparse._places, at, 0, axis=1), sparse.values, np.insert(sparse._dense_shape, at, 1)
    )


def slice(
    sp_input: SparseTensor, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """A slice of a sparse tensor."""
    where = "tf.sparse.slice"
    sparse = only_sparse(sp_input, where)
    first = np.array(read_ints(start, where, "start"))
    count = np.maximum(np.minimum(np.array(read_ints(size, where, "size")), sparse._dense_shape - first), 0)
    inside = ((sparse._places >= first) & (sparse._places < first + count)).all(axis=1)
    kept = _taken(sparse, np.flatnonzero(inside))
    return SparseTensor(kept._places - first, kept.values, count)


def concat(
    axis: int, sp_inputs: Sequence[Any], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one behind the other along an axis."""
    where = "tf.sparse.concat"
    inputs = [only_sparse(s, where, "sp_inputs") for s in sp_inputs]
    rank = len(inputs[0]._dense_shape)
    at = read_axis(axis, rank, where)
    shapes = np.stack([s._dense_shape for s in inputs])
    others = [a for a in builtins.range(rank) if a != at]
    if not expand_nonconcat_dims and (shapes[:, others] != shapes[:1, others]).any():
        raise invalid(
            f"{where} expected inputs that differ along axis {at} alone; got shapes {shapes.tolist()}. Use "
            "expand_nonconcat_dims=True."
        )
    offsets = np.cumsum([0, *shapes[:-1, at]])
    places = []
    for sparse, offset in zip(inputs, offsets, strict=True):
        moved = sparse._places.copy()
        moved[:, at] += offset
        places.append(moved)
    whole = shapes.max(axis=0)
    whole[at] = shapes[:, at].sum()
    values = joining.concat([s.values for s in inputs], 0)
    return reorder(SparseTensor(np.concatenate(places), values, whole))


def split(
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Parts of nearly equal size along an axis."""
    where = "tf.sparse.split"
    sparse = only_sparse(sp_input, where)
    count, at = read_int(num_split, where, "num_split"), read_axis(axis, len(sparse._dense_shape), where)
    length = int(sparse._dense_shape[at])
    sizes = [length // count + (i < length % count) for i in builtins.range(count)]
    found = []
    for i in builtins.range(count):
        start, size = np.zeros_like(sparse._dense_shape), sparse._dense_shape.copy()
        start[at], size[at] = sum(sizes[:i]), sizes[i]
        found.append(slice(sparse, start, size))
    return found


def _combined(a: SparseTensor, b: SparseTensor, function: Callable[..., Tensor], where: str) -> SparseTensor:
    """A value wherever one of the two has one."""
    if not np.array_equal(a._dense_shape, b._dense_shape):
        raise invalid(f"{where} expected sparse tensors of one shape; got {a.shape} and {b.shape}.")
    both = np.concatenate([places_of(a), places_of(b)])
    known, number = np.unique(both, return_inverse=True)
    values = function(a.values, b.values, number, len(known))
    places = np.stack(np.unravel_index(known, tuple(a._dense_shape)), axis=1)
    return SparseTensor(places, values, a._dense_shape)


def add(a: Any, b: Any, threshold: TensorLike = 0) -> Any:
    """The sum of two sparse tensors, or of a sparse one and a dense one, which is dense."""
    where = "tf.sparse.add"
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        only_sparse(sparse, where, "a")
        return to_dense(sparse, validate_indices=False) + convert_to_tensor(dense, dtype_hint=sparse.dtype)

    def total(x: Tensor, y: Tensor, number: np.ndarray, count: int) -> Tensor:
        return segment.unsorted_segment_sum(joining.concat([x, y], 0), number, count)

    found = _combined(a, b, total, where)
    limit = np.asarray(threshold)
    if not limit:
        return found
    return retain(found, np.abs(read_value(found.values)) >= limit)


def _extreme(a: SparseTensor, b: SparseTensor, where: str, function: Callable[..., Tensor]) -> SparseTensor:
    first, second = only_sparse(a, where, "sp_a"), only_sparse(b, where, "sp_b")

    def larger(x: Tensor, y: Tensor, number: np.ndarray, count: int) -> Tensor:
        """Where only one has a value, the other one's is zero."""
        split_at = len(first._places)
        ones, others = (np.full(count, n, np.int64) for n in (split_at, len(number) - split_at))
        ones[number[:split_at]] = np.arange(split_at)
        others[number[split_at:]] = np.arange(len(number) - split_at)
        zero = creation.zeros([1], x.dtype)
        pair = [indexing.take(joining.concat([v, zero], 0), i, 0) for v, i in ((x, ones), (y, others))]
        return function(*pair)

    return _combined(first, second, larger, where)


def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, element by element."""
    return _extreme(sp_a, sp_b, "tf.sparse.maximum", larger)


def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, element by element."""
    return _extreme(sp_a, sp_b, "tf.sparse.minimum", smaller)


def sparse_dense_matmul(
    sp_a: Any, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """A sparse matrix times a dense one."""
    where = "tf.sparse.sparse_dense_matmul"
    if not isinstance(sp_a, SparseTensor) and isinstance(b, SparseTensor):
        left = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return shaping.transpose(left)
    matrix = only_sparse(sp_a, where, "sp_a")
    if len(matrix._dense_shape) != 2:
        raise invalid(f"{where} expected a matrix; got sp_a of shape {matrix.shape}.")
    dense = convert_to_tensor(b, matrix.dtype)
    if adjoint_b:
        dense = shaping.transpose(dense, conjugate=dense.dtype.is_complex)
    places, values = matrix._for_sums()
    rows, columns = places.T[::-1] if adjoint_a else places.T
    count, inner = matrix._dense_shape[::-1] if adjoint_a else matrix._dense_shape
    if dense.ndim != 2 or dense.shape[0] != inner:
        raise invalid(
            f"{where} expected {inner} rows in b: cannot multiply A and B because inner dimension does not "
            f"match; got shapes {matrix.shape} and {dense.shape}."
        )
    parts = indexing.take(dense, columns, 0) * shaping.expand_dims(values, 1)
    return segment.unsorted_segment_sum(parts, rows, int(count))


def reduce_sum(
    sp_input: SparseTensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum along axes, as a dense tensor."""
    return _reduced(reduction.reduce_sum, "tf.sparse.reduce_sum", sp_input, axis, keepdims, output_is_sparse)


def reduce_max(
    sp_input: SparseTensor,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest value along axes; zero where there is none."""
    where = "tf.sparse.reduce_max"
    sparse = only_sparse(sp_input, where)
    lowest = sparse.dtype.min
    filled = to_dense(reorder(sparse), lowest)
    is_there = to_dense(reorder(sparse.with_values(creation.ones_like(sparse.values, bool_dtype))))
    keeps = bool(keepdims)
    found = reduction.reduce_max(filled, axis, keeps)
    dense = indexing.where(reduction.reduce_any(is_there, axis, keeps), found, creation.zeros_like(found))
    return from_dense(dense) if output_is_sparse else dense


def _reduced(
    function: Callable[..., Tensor],
    where: str,
    sp_input: SparseTensor,
    axis: Any,
    keepdims: Any,
    is_sparse: bool,
) -> Any:
    found = function(to_dense(reorder(only_sparse(sp_input, where))), axis, bool(keepdims))
    return from_dense(found) if is_sparse else found


def eye(
    num_rows: Any, num_columns: Any = None, dtype: DTypeLike = float32, name: str | None = None
) -> SparseTensor:
    """Ones on the diagonal."""
    where = "tf.sparse.eye"
    rows = read_int(num_rows, where, "num_rows")
    columns = rows if num_columns is None else read_int(num_columns, where, "num_columns")
    diagonal = np.arange(min(rows, columns))
    ones = creation.ones([len(diagonal)], as_dtype(dtype))
    return SparseTensor(np.stack([diagonal, diagonal], axis=1), ones, np.array([rows, columns]))


def fill_empty_rows(
    sp_input: SparseTensor, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """A value in the first column of every row that has none, and which rows those were."""
    sparse = only_sparse(sp_input, "tf.sparse.fill_empty_rows")
    count = int(sparse._dense_shape[0])
    is_empty = np.bincount(sparse._places[:, 0], minlength=count) == 0
    rows = np.flatnonzero(is_empty)
    added = np.zeros((len(rows), len(sparse._dense_shape)), np.int64)
    added[:, 0] = rows
    filler = creation.fill([len(rows)], convert_to_tensor(default_value, sparse.dtype))
    values = joining.concat([sparse.values, filler], 0)
    whole = SparseTensor(np.concatenate([sparse._places, added]), values, sparse._dense_shape)
    return reorder(whole), convert_to_tensor(is_empty)


def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same values in a larger shape, or in the smallest possible one."""
    sparse = only_sparse(sp_input, "tf.sparse.reset_shape")
    smallest = sparse._places.max(axis=0, initial=-1) + 1
    if new_shape is None:
        return SparseTensor(sparse._places, sparse.values, smallest)
    shape = np.array(read_ints(new_shape, "tf.sparse.reset_shape", "new_shape"))
    if len(shape) != len(smallest) or (shape < sparse._dense_shape).any():
        raise invalid(
            f"tf.sparse.reset_shape expected a shape of at least {sparse.shape}; got new_shape={shape.tolist()}."
        )
    return SparseTensor(sparse._places, sparse.values, shape)


def to_indicator(sp_input: SparseTensor, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """For each row, which of `vocab_size` numbers are among its values."""
    where = "tf.sparse.to_indicator"
    sparse = only_sparse(sp_input, where)
    size = read_int(vocab_size, where, "vocab_size")
    numbers = read_value(sparse.values)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= size):
        raise invalid(f"{where} expected values below vocab_size={size}; got {numbers.tolist()}.")
    found = np.zeros((*sparse._dense_shape[:-1], size), bool)
    found[(*sparse._places[:, :-1].T, numbers)] = True
    return convert_to_tensor(found)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` of the values of sparse tensors, which all stand at the same places."""
    sparse = [a for a in nest.flatten((args, kwargs)) if isinstance(a, SparseTensor)]
    if not sparse:
        raise ValueError("tf.sparse.map_values expected a SparseTensor among the arguments; got none.")
    if not all(np.array_equal(s._places, sparse[0]._places) for s in sparse):
        raise invalid("tf.sparse.map_values expected sparse tensors with the same indices.")
    given = nest.map_structure(lambda a: a.values if isinstance(a, SparseTensor) else a, (args, kwargs))
    return sparse[0].with_values(op(*given[0], **given[1]))


def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Softmax over the values of each row of the last dimension."""
    sparse = only_sparse(sp_input, "tf.sparse.softmax")
    shape = tuple(sparse._dense_shape[:-1])
    _, rows = np.unique(np.ravel_multi_index(tuple(sparse._places[:, :-1].T), shape), return_inverse=True)
    count = int(rows.max(initial=-1)) + 1
    largest = segment.unsorted_segment_max(sparse.values, rows, count)
    powers = exp(sparse.values - indexing.take(largest, rows, 0))
    totals = segment.unsorted_segment_sum(powers, rows, count)
    return sparse.with_values(powers / indexing.take(totals, rows, 0))


def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """`tf.IndexedSlices` without some of their rows."""
    rows = read_value(convert_to_tensor(a.indices))
    kept = np.flatnonzero(~np.isin(rows, read_value(convert_to_tensor(mask_indices))))
    values = indexing.take(convert_to_tensor(a.values), kept, 0)
    return IndexedSlices(values, convert_to_tensor(rows[kept]), a.dense_shape)
