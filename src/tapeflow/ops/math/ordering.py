"""Order: the place of extremes, the k largest, sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int16, int32, int64, uint16
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import transpose
from tapeflow.ops.domains import ANY, BOOLEAN, FLOATING, INTEGER, NUMERIC, REAL
from tapeflow.ops.host_args import describe, invalid, read_axis, read_int

lax = jax.lax


class TopKV2(NamedTuple):
    """What `top_k` returns."""

    values: Tensor
    indices: Tensor


# -- the place of an extreme ----------------------------------------------------------------------


@op(name="ArgMax", differentiable=False)
def _argmax(x: jax.Array, *, axis: int, dtype: DType) -> jax.Array:
    return _place(x, axis, dtype, lax.argmax, -jnp.inf)


@op(name="ArgMin", differentiable=False)
def _argmin(x: jax.Array, *, axis: int, dtype: DType) -> jax.Array:
    return _place(x, axis, dtype, lax.argmin, jnp.inf)


def _place(x: jax.Array, axis: int, dtype: DType, function: Callable[..., Any], worst: float) -> jax.Array:
    ANY.check("ArgMax", input=x)
    if x.dtype in BOOLEAN:
        x = x.astype(jnp.int8)
    elif x.dtype in FLOATING:
        # TensorFlow passes NaN by; XLA would return its place.
        x = jnp.where(jnp.isnan(x), jnp.asarray(worst, x.dtype), x)
    return function(x, axis, dtype.as_numpy_dtype)


def argmax(
    input: TensorLike, axis: TensorLike | None = None, output_type: DTypeLike = int64, name: str | None = None
) -> Tensor:
    """The index of the largest element along `axis` (0 if not given), the first one of a tie.

    Raises:
        InvalidArgumentError: the axis is out of range, or there is nothing along it.
    """
    return _find(_argmax, "tf.argmax", input, axis, output_type, (int16, uint16, int32, int64))


def argmin(
    input: TensorLike,
    axis: int | Sequence[int] | None = None,
    output_type: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """The index of the smallest element along `axis` (0 if not given), the first one of a tie.

    Raises:
        InvalidArgumentError: the axis is out of range, or there is nothing along it.
    """
    return _find(_argmin, "tf.argmin", input, axis, output_type, (int32, int64))


def _find(
    finder: Callable[..., Any],
    where: str,
    input: TensorLike,
    axis: TensorLike | None,
    output_type: DTypeLike,
    allowed: tuple[Any, ...],
) -> Tensor:
    tensor = convert_to_tensor(input)
    shape = tensor.spec.shape
    if isinstance(axis, (list, tuple)):
        raise TypeError(f"{where} expected one axis; got axis={axis!r}. Pass an int.")
    place = read_axis(0 if axis is None else axis, len(shape), where)
    dtype = as_dtype(output_type)
    if dtype not in allowed:
        names = ", ".join(d.name for d in allowed)
        raise invalid(
            f"{where} expected output_type to be one of {names}; got output_type={dtype.name}. "
            "Cast the result instead."
        )
    if shape[place] == 0:
        raise invalid(
            f"{where} expected something along axis {place}; got input {describe(tensor)}, where "
            f"reduction axis {place} is empty. Check the size first."
        )
    return finder(tensor, axis=place, dtype=dtype)


# -- the k largest --------------------------------------------------------------------------------


@op(name="TopK")
def _top_k(x: jax.Array, *, k: int, dtype: DType) -> tuple[jax.Array, jax.Array]:
    REAL.check("TopK", input=x)
    values, indices = lax.top_k(x, k)
    return values, indices.astype(dtype.as_numpy_dtype)


@op(name="InTopK", same_dtype=False, differentiable=False)
def _in_top_k(targets: jax.Array, predictions: jax.Array, *, k: int) -> jax.Array:
    INTEGER.check("InTopK", targets=targets)
    FLOATING.check("InTopK", predictions=predictions)
    classes = predictions.shape[1]
    is_class = (targets >= 0) & (targets < classes)
    index = jnp.clip(targets, 0, max(classes - 1, 0)).astype(jnp.int32)
    score = jnp.take_along_axis(predictions, index[:, None], axis=1)
    better = jnp.sum((predictions > score).astype(jnp.int32), axis=1, dtype=jnp.int32)
    return is_class & jnp.all(jnp.isfinite(predictions), axis=1) & (better < k)


def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = int32,
    name: str | None = None,
) -> TopKV2:
    """The k largest elements of the last axis, largest first, and their indices.

    Of equal elements the one with the lower index comes first. `sorted=False` allows any order, and
    gives this one.

    Raises:
        InvalidArgumentError: k is negative or larger than the last axis, or input is a scalar.
    """
    tensor = convert_to_tensor(input)
    shape = tensor.spec.shape
    count = read_int(k, "tf.math.top_k", "k")
    if not shape:
        raise invalid(
            "tf.math.top_k expected an input of at least one dimension; got input "
            f"{describe(tensor)}. Reshape it first."
        )
    if not 0 <= count <= shape[-1]:
        raise invalid(
            f"tf.math.top_k expected k in [0, {shape[-1]}], the size of the last axis; got "
            f"k={count} for input {describe(tensor)}: input must have at least k columns. "
            "Use a smaller k."
        )
    return TopKV2(*_top_k(tensor, k=count, dtype=as_dtype(index_type)))


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The `k` largest along an axis, and where they are; exact here, whatever recall would do."""
    return _approx_k("tf.math.approx_max_k", operand, k, reduction_dimension, 1)


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The `k` smallest along an axis, and where they are; exact here, whatever recall would do."""
    return _approx_k("tf.math.approx_min_k", operand, k, reduction_dimension, -1)


def _approx_k(where: str, operand: Any, k: int, axis: int, sign: int) -> tuple[Tensor, Tensor]:
    tensor = convert_to_tensor(operand)
    order = list(range(tensor.ndim))
    last = order.pop(read_axis(axis, tensor.ndim, where, "reduction_dimension"))
    moved = transpose(tensor * sign, [*order, last])
    back = [*range(last), tensor.ndim - 1, *range(last, tensor.ndim - 1)]
    values, places = top_k(moved, k)
    return transpose(values * sign, back), transpose(places, back)


def in_top_k(targets: Any, predictions: Any, k: TensorLike, name: str | None = None) -> Tensor:
    """Whether each target class is among the k with the largest predictions of its row.

    All classes tied with the k-th count. A row with an infinity or NaN, or whose target is not one
    of the classes, gives False.

    Raises:
        InvalidArgumentError: predictions are not a matrix with a row for each target.
    """
    targets, predictions = convert_to_tensor(targets), convert_to_tensor(predictions)
    rows = predictions.spec.shape
    if len(rows) != 2 or targets.spec.shape != rows[:1]:
        raise invalid(
            "tf.math.in_top_k expected predictions of shape [batch, classes] and targets of shape "
            f"[batch]; got predictions {describe(predictions)} and targets {describe(targets)}. "
            "Predictions must be 2-dimensional, with a row for each target."
        )
    return _in_top_k(targets, predictions, k=read_int(k, "tf.math.in_top_k", "k"))


# -- sorting --------------------------------------------------------------------------------------


def _key(x: jax.Array, descending: bool) -> jax.Array:
    """Numbers that sort upwards as x is to be sorted, with equal ones in their own order."""
    if not descending:
        return x
    return jnp.bitwise_not(x) if x.dtype in INTEGER else -x


@op(name="Sort")
def _sort(x: jax.Array, *, axis: int, descending: bool) -> jax.Array:
    REAL.check("Sort", values=x)
    return _key(lax.sort(_key(x, descending), dimension=axis, is_stable=True), descending)


@op(name="ArgSort", differentiable=False)
def _argsort(x: jax.Array, *, axis: int, descending: bool) -> jax.Array:
    REAL.check("ArgSort", values=x)
    places = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    return lax.sort((_key(x, descending), places), dimension=axis, is_stable=True, num_keys=1)[1]


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """values in order along `axis`, NaN last.

    Raises:
        ValueError: `direction` is neither "ASCENDING" nor "DESCENDING".
    """
    return _sorted(_sort, "tf.sort", values, axis, direction)


def argsort(
    values: TensorLike,
    axis: TensorLike = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The int32 indices that sort values along `axis`; always stable.

    Raises:
        ValueError: `direction` is neither "ASCENDING" nor "DESCENDING".
    """
    return _sorted(_argsort, "tf.argsort", values, axis, direction)


def _sorted(
    sorter: Callable[..., Any], where: str, values: TensorLike, axis: TensorLike, direction: str
) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"{where} expected direction to be 'ASCENDING' or 'DESCENDING'; got "
            f"direction={direction!r}. The names are in capitals."
        )
    tensor = convert_to_tensor(values)
    place = read_axis(axis, len(tensor.spec.shape), where)
    return sorter(tensor, axis=place, descending=direction == "DESCENDING")


# -- is it in order? ------------------------------------------------------------------------------


@op(name="IsNonDecreasing", differentiable=False)
def _is_non_decreasing(x: jax.Array) -> jax.Array:
    flat = x.reshape(-1)
    return jnp.all(flat[1:] >= flat[:-1])


@op(name="IsStrictlyIncreasing", differentiable=False)
def _is_strictly_increasing(x: jax.Array) -> jax.Array:
    flat = x.reshape(-1)
    return jnp.all(flat[1:] > flat[:-1])


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element, row after row, is smaller than the one before."""
    return _is_non_decreasing(_as_numbers("tf.math.is_non_decreasing", x))


def is_strictly_increasing(x: Sequence[Any], name: str | None = None) -> Tensor:
    """Whether every element, row after row, is larger than the one before."""
    return _is_strictly_increasing(_as_numbers("tf.math.is_strictly_increasing", x))


def _as_numbers(where: str, x: TensorLike) -> Tensor:
    tensor = convert_to_tensor(x)
    if tensor.spec.np_dtype not in NUMERIC:
        raise TypeError(f"{where} expected a number tensor; got x {describe(tensor)}. Cast it with tf.cast.")
    return tensor
