"""Products of matrices and tensors: `matmul`, `matvec`, `tensordot`, `cross`; and `bias_add`.

All but `cross` become one `dot_general`: transposes cost nothing, and XLA sees a matrix product.
"""

from __future__ import annotations

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import NUMERIC, REAL
from tapeflow.ops.host_args import describe, invalid, read_array, same_dtype
from tapeflow.ops.linalg.matrix_product import project

lax = jax.lax


def _shown(x: jax.Array) -> str:
    """A shape as TensorFlow's messages have it: `[2,3]`."""
    return "[" + ",".join(map(str, x.shape)) + "]"


def _turned(x: jax.Array, transpose: bool, adjoint: bool) -> jax.Array:
    if transpose or adjoint:
        x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if adjoint and jnp.issubdtype(x.dtype, jnp.complexfloating) else x


@op(name="MatMul")
def _matmul(
    a: jax.Array,
    b: jax.Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    output_type: DType | None = None,
) -> jax.Array:
    NUMERIC.check("MatMul", a=a, b=b)
    shapes = f"In[0]: {_shown(a)}, In[1]: {_shown(b)}"
    if a.ndim < 2 or b.ndim < 2:
        raise invalid(
            f"tf.matmul expected matrices, or stacks of them, of rank 2 or more; got {shapes}. "
            "For a vector use tf.linalg.matvec, or add an axis of length 1 with tf.expand_dims."
        )
    left, right = _turned(a, transpose_a, adjoint_a), _turned(b, transpose_b, adjoint_b)
    if left.shape[-1] != right.shape[-2]:
        raise invalid(
            "tf.matmul expected as many columns on the left as rows on the right: Matrix "
            f"size-incompatible: {shapes}. Check the shapes, or transpose one with transpose_a or "
            "transpose_b."
        )
    if not _broadcast_together(a.shape[:-2], b.shape[:-2]):
        raise invalid(
            f"tf.matmul expected compatible batch dimensions; got {shapes}. Each batch dimension "
            "must be equal on both sides, or 1 on one."
        )
    if output_type is not None:
        # Widened first: a product of small integers does not fit into their own dtype.
        left, right = (x.astype(output_type.as_numpy_dtype) for x in (left, right))
    if right.ndim == 2:
        return project(left, right)
    return jnp.matmul(left, right, preferred_element_type=left.dtype)


def _broadcast_together(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(x == y or 1 in (x, y) for x, y in pairs)


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product of the last two axes; the axes before them are a batch and broadcast.

    Args:
        a: a number tensor of rank 2 or more.
        b: another of the same dtype.
        transpose_a: swap the last two axes of `a` first.
        transpose_b: the same for `b`.
        adjoint_a: swap them and conjugate; not together with `transpose_a`.
        adjoint_b: the same for `b`.
        a_is_sparse: a hint, ignored.
        b_is_sparse: a hint, ignored.
        output_type: the dtype of the result, for example int32 for int8 factors.
        grad_a: ignored.
        grad_b: ignored.
        name: ignored.

    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    if not (transpose_a or transpose_b or adjoint_a or adjoint_b or output_type is not None):
        return _matmul(a, b)
    for side, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(
                f"tf.matmul expected at most one of transpose_{side} and adjoint_{side}; got both "
                "True. The adjoint is the transpose, conjugated."
            )
    return _matmul(
        a,
        b,
        transpose_a=bool(transpose_a),
        transpose_b=bool(transpose_b),
        adjoint_a=bool(adjoint_a),
        adjoint_b=bool(adjoint_b),
        output_type=None if output_type is None else as_dtype(output_type),
    )


@op(name="MatVec")
def _matvec(a: jax.Array, b: jax.Array, *, transpose_a: bool, adjoint_a: bool) -> jax.Array:
    NUMERIC.check("MatVec", a=a, b=b)
    matrix = _turned(a, transpose_a, adjoint_a) if a.ndim >= 2 else a
    fits = (
        matrix.ndim >= 2
        and b.ndim >= 1
        and matrix.shape[-1] == b.shape[-1]
        and _broadcast_together(a.shape[:-2], b.shape[:-1])
    )
    if not fits:
        raise invalid(
            "tf.linalg.matvec expected a matrix with as many columns as the vector has elements; "
            f"got a of shape {_shown(a)} and b of shape {_shown(b)}. Batch dimensions must be "
            "equal or 1."
        )
    return jnp.matmul(matrix, b[..., None], preferred_element_type=a.dtype)[..., 0]


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a matrix and a vector, over the last axes; batch axes broadcast."""
    if transpose_a and adjoint_a:
        raise ValueError(
            "tf.linalg.matvec expected at most one of transpose_a and adjoint_a; got both True. "
            "The adjoint is the transpose, conjugated."
        )
    return _matvec(a, b, transpose_a=bool(transpose_a), adjoint_a=bool(adjoint_a))


@op(name="Tensordot")
def _tensordot(a: jax.Array, b: jax.Array, *, axes: tuple[tuple[int, ...], tuple[int, ...]]) -> jax.Array:
    NUMERIC.check("Tensordot", a=a, b=b)
    return lax.dot_general(a, b, (axes, ((), ())), preferred_element_type=a.dtype)


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """The sum of products over `axes`, the free axes of `a` first.

    Args:
        a: a tensor.
        b: another of the same dtype.
        axes: a number n, for the last n axes of `a` and the first n of `b`; or the axes of `a` and
            those of `b`, as two ints or two lists of equal length.
        name: ignored.
    """
    where = "tf.tensordot"
    left, right = same_dtype("Tensordot", a, b)
    of_a, of_b = _read_contraction(axes, len(left.spec.shape), len(right.spec.shape))
    summed = [[t.spec.shape[i] for i in of] for t, of in ((left, of_a), (right, of_b))]
    if summed[0] != summed[1]:
        raise invalid(
            f"{where} expected the axes it sums over to have equal lengths: Matrix "
            f"size-incompatible; got {summed[0]} of a {describe(left)} and {summed[1]} of b "
            f"{describe(right)} for axes={axes!r}."
        )
    return _tensordot(left, right, axes=(of_a, of_b))


def _read_contraction(
    axes: TensorLike | None, rank_a: int, rank_b: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    where = "tf.tensordot"
    if isinstance(axes, (list, tuple)) and len(axes) != 2:
        raise ValueError(f"{where} expected axes to be an integer or have length 2; got axes={axes!r}.")
    if isinstance(axes, (list, tuple)):
        pair = [read_array(one, where, "axes", error=TypeError).reshape(-1).tolist() for one in axes]
    else:
        numbers = read_array(axes, where, "axes", error=TypeError)
        if numbers.ndim == 0:
            return _last_and_first(int(numbers), rank_a, rank_b)
        if len(numbers) != 2:
            raise ValueError(f"{where} expected axes to be an integer or have length 2; got axes={axes!r}.")
        pair = [one.reshape(-1).tolist() for one in numbers]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(
            f"{where} expected as many axes of a as of b to sum over: different number of "
            f"contraction axes, {len(pair[0])} != {len(pair[1])}; got axes={axes!r}."
        )
    read: list[tuple[int, ...]] = []
    for side, rank, chosen in (("a", rank_a, pair[0]), ("b", rank_b, pair[1])):
        if any(not -rank <= axis < rank for axis in chosen):
            raise IndexError(
                f"{where} expected axes of {side} in [{-rank}, {rank}); got axes={axes!r}. "
                "Negative axes count from the end."
            )
        placed = tuple(axis % rank for axis in chosen)
        if len(set(placed)) < len(placed):
            raise ValueError(f"{where} expected every axis of {side} once; got axes={axes!r}.")
        read.append(placed)
    return read[0], read[1]


def _last_and_first(count: int, rank_a: int, rank_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if not 0 <= count <= min(rank_a, rank_b):
        raise ValueError(
            "tf.tensordot expected axes, as a number, to be at least 0 and not larger than the "
            f"rank of either tensor; got axes={count} for ranks {rank_a} and {rank_b}."
        )
    return tuple(range(rank_a - count, rank_a)), tuple(range(count))


@op(name="Cross")
def _cross(a: jax.Array, b: jax.Array) -> jax.Array:
    REAL.check("Cross", a=a, b=b)
    if a.shape != b.shape:
        raise invalid(
            f"tf.linalg.cross expected inputs of the same shape; got {list(a.shape)} and {list(b.shape)}."
        )
    if a.ndim == 0 or a.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"tf.linalg.cross expected vectors of 3 elements in the last axis; got shape {list(a.shape)}.",
        )
    return jnp.cross(a, b)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of length 3, over the last axis."""
    return _cross(a, b)


@op(name="BiasAdd")
def _bias_add(value: jax.Array, bias: jax.Array, *, channels_first: bool) -> jax.Array:
    NUMERIC.check("BiasAdd", value=value, bias=bias)
    axis = 1 if channels_first else value.ndim - 1
    if value.ndim < 2 or bias.ndim != 1 or value.shape[axis] != bias.shape[0]:
        raise invalid(
            "tf.nn.bias_add expected a value of rank 2 or more and one bias for each of its "
            f"channels; got value of shape {list(value.shape)} and bias of shape "
            f"{list(bias.shape)}, with the channels in axis {axis}. Use x + bias to broadcast "
            "otherwise."
        )
    return value + bias.reshape((-1,) + (1,) * (value.ndim - 2)) if channels_first else value + bias


def bias_add(
    value: object, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """`value` plus a vector along its channels.

    Args:
        value: a tensor of rank 2 or more.
        bias: a vector of the same dtype, as long as `value` has channels.
        data_format: "N...C", the default, for channels last, or "NC..." for channels second;
            "NHWC", "NCHW" and the like will do.
        name: ignored.
    """
    channels_first = False
    if data_format is not None:
        channels_first = data_format.startswith("NC")
        if not (channels_first or (data_format.startswith("N") and data_format.endswith("C"))):
            raise ValueError(
                "tf.nn.bias_add expected data_format to be of the form `N...C` or `NC...`; got "
                f"data_format={data_format!r}."
            )
    return _bias_add(convert_to_tensor(value), bias, channels_first=channels_first)
