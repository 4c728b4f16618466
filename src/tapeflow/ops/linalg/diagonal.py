"""Diagonals and bands of matrices: making, taking, replacing them; traces and transposes.

Every function works on the last two axes and takes the others as a batch. Diagonals are numbered by
`k`: 0 is the main one, positive ones lie above it. Several at once come as rows of one tensor, the
highest first, each padded to the longest on the side that `align` names ("RIGHT_LEFT" aligns those
above the main diagonal to the right and those below to the left).
"""

from __future__ import annotations

import math

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import NUMERIC
from tapeflow.ops.host_args import describe, invalid, read_int, read_ints

lax = jax.lax
_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _length(rows: int, columns: int, k: int) -> int:
    return min(rows + min(k, 0), columns - max(k, 0))


def _start(k: int, length: int, longest: int, align: str) -> int:
    """Where diagonal `k` begins in its padded row."""
    above, below = align.split("_")
    return longest - length if (above if k >= 0 else below) == "RIGHT" else 0


def _offset(shape: tuple[int, ...]) -> jax.Array:
    """For each place in a matrix, the number of the diagonal it is on."""
    column = lax.broadcasted_iota(jnp.int32, shape[-2:], 1)
    return column - lax.broadcasted_iota(jnp.int32, shape[-2:], 0)


def _with_diagonals(x: jax.Array, diagonals: jax.Array, k: tuple[int, int], align: str) -> jax.Array:
    """`x` with the diagonals `k[0]` to `k[1]` replaced, by comparing places: no scatter."""
    rows, columns = x.shape[-2:]
    offset = _offset(x.shape)
    for number in range(k[0], k[1] + 1):
        length = _length(rows, columns, number)
        row = diagonals if k[0] == k[1] else diagonals[..., k[1] - number, :]
        start = _start(number, length, row.shape[-1], align)
        row = row[..., start : start + length]
        # Along the longer side the diagonal has to be as long as the matrix.
        side = rows if number >= 0 else columns
        row = jnp.pad(row, [(0, 0)] * (row.ndim - 1) + [(0, side - length)])
        row = row[..., :, None] if number >= 0 else row[..., None, :]
        x = jnp.where(offset == number, row, x)
    return x


@op(name="MatrixDiagV3")
def _diag(
    diagonal: jax.Array, padding: jax.Array, *, k: tuple[int, int], rows: int, columns: int, align: str
) -> jax.Array:
    batch = diagonal.shape[:-1] if k[0] == k[1] else diagonal.shape[:-2]
    empty = jnp.broadcast_to(padding, (*batch, rows, columns))
    return _with_diagonals(empty, diagonal, k, align)


@op(name="MatrixDiagPartV3")
def _diag_part(x: jax.Array, padding: jax.Array, *, k: tuple[int, int], align: str) -> jax.Array:
    rows, columns = x.shape[-2:]
    parts = {number: jnp.diagonal(x, number, -2, -1) for number in range(k[1], k[0] - 1, -1)}
    if k[0] == k[1]:
        return parts[k[0]]
    longest = max(_length(rows, columns, number) for number in parts)
    padded = []
    for number, part in parts.items():
        length = part.shape[-1]
        start = _start(number, length, longest, align)
        before = jnp.broadcast_to(padding, (*x.shape[:-2], start))
        after = jnp.broadcast_to(padding, (*x.shape[:-2], longest - length - start))
        padded.append(jnp.concatenate([before, part, after], -1))
    return jnp.stack(padded, -2)


@op(name="MatrixSetDiagV3")
def _set_diag(x: jax.Array, diagonal: jax.Array, *, k: tuple[int, int], align: str) -> jax.Array:
    return _with_diagonals(x, diagonal, k, align)


@op(name="MatrixBandPart")
def _band_part(x: jax.Array, *, lower: int, upper: int) -> jax.Array:
    offset = _offset(x.shape)
    inside = (offset <= upper if upper >= 0 else True) & (offset >= -lower if lower >= 0 else True)
    return jnp.where(inside, x, jnp.zeros((), x.dtype))


@op(name="Trace")
def _trace(x: jax.Array) -> jax.Array:
    NUMERIC.check("Trace", x=x)
    return jnp.sum(jnp.diagonal(x, 0, -2, -1), -1, dtype=x.dtype)


@op(name="MatrixTranspose")
def _matrix_transpose(x: jax.Array, *, conjugate: bool) -> jax.Array:
    x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if conjugate and jnp.issubdtype(x.dtype, jnp.complexfloating) else x


@op(name="Diag")
def _tensor_diag(diagonal: jax.Array) -> jax.Array:
    flat = diagonal.reshape(-1)
    empty = jnp.zeros((flat.size, flat.size), flat.dtype)
    return _with_diagonals(empty, flat, (0, 0), "RIGHT_LEFT").reshape(diagonal.shape * 2)


@op(name="DiagPart")
def _tensor_diag_part(x: jax.Array) -> jax.Array:
    half = x.shape[: x.ndim // 2]
    size = math.prod(half)
    return jnp.diagonal(x.reshape(size, size)).reshape(half)


def _matrix(where: str, value: object, name: str) -> Tensor:
    tensor = convert_to_tensor(value)
    if len(tensor.spec.shape) < 2:
        raise invalid(
            f"{where} expected a matrix, or a stack of them, of rank 2 or more; got {name} "
            f"{describe(tensor)}."
        )
    return tensor


def _read_k(where: str, k: TensorLike) -> tuple[int, int]:
    numbers = read_ints(k, where, "k", scalar=True)
    if len(numbers) not in (1, 2):
        raise invalid(f"{where} expected one diagonal or a pair (lowest, highest) for k; got k={k!r}.")
    if numbers[0] > numbers[-1]:
        raise invalid(
            f"{where} expected the lowest diagonal first: k[0] must not be larger than k[1]; got k={k!r}."
        )
    return numbers[0], numbers[-1]


def _read_align(where: str, align: str) -> str:
    if align not in _ALIGNMENTS:
        raise invalid(f"{where} expected align to be one of {', '.join(_ALIGNMENTS)}; got align={align!r}.")
    return align


def _inside(where: str, k: tuple[int, int], tensor: Tensor) -> None:
    rows, columns = tensor.spec.shape[-2:]
    for number in k:
        if number and not -rows < number < columns:
            raise invalid(
                f"{where} expected diagonals between {1 - rows} and {columns - 1} for a matrix "
                f"{describe(tensor)}; got k={number}: out of bound."
            )


def diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: TensorLike = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """A matrix with the given diagonal, or with a band of them.

    Args:
        diagonal: the diagonal; for a pair `k` one row for each diagonal, the highest first.
        name: ignored.
        k: the diagonal, or the pair (lowest, highest).
        num_rows: the rows of the matrix; -1 for as many as needed.
        num_cols: its columns; -1 for as many as needed, or a square matrix if both are -1.
        padding_value: the value for the rest.
        align: how rows shorter than the longest are aligned; see above.
    """
    where = "tf.linalg.diag"
    tensor = convert_to_tensor(diagonal)
    low, high = _read_k(where, k)
    shape = tensor.spec.shape
    if len(shape) < (1 if low == high else 2):
        raise invalid(
            f"{where} expected a diagonal of rank {1 if low == high else 2} or more for k={k!r}; "
            f"got diagonal {describe(tensor)}."
        )
    if low != high and shape[-2] != high - low + 1:
        raise invalid(
            f"{where} expected {high - low + 1} diagonals for k={k!r}: their number does not "
            f"match; got diagonal {describe(tensor)}."
        )
    rows, columns = _matrix_size(where, shape[-1], (low, high), num_rows, num_cols)
    return _diag(
        tensor,
        padding_value,
        k=(low, high),
        rows=rows,
        columns=columns,
        align=_read_align(where, align),
    )


def _matrix_size(
    where: str, longest: int, k: tuple[int, int], num_rows: int, num_cols: int
) -> tuple[int, int]:
    rows, columns = read_int(num_rows, where, "num_rows"), read_int(num_cols, where, "num_cols")
    least_rows, least_columns = longest - min(k[1], 0), longest + max(k[0], 0)
    if rows == -1 and columns == -1:
        side = max(least_rows, least_columns)
        return side, side
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    too_small = rows < least_rows or columns < least_columns
    if too_small or (rows != least_rows and columns != least_columns):
        raise invalid(
            f"{where} expected num_rows and num_cols that a diagonal of length {longest} fits "
            f"exactly: at least {least_rows} rows and {least_columns} columns, with one of them "
            f"equal; the number of rows is too small or not consistent; got num_rows={num_rows!r}, "
            f"num_cols={num_cols!r}."
        )
    return rows, columns


def diag_part(
    input: TensorLike,
    name: str = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonal of a matrix, or a band of them as rows padded with `padding_value`.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    where = "tf.linalg.diag_part"
    tensor = _matrix(where, input, "input")
    numbers = _read_k(where, k)
    _inside(where, numbers, tensor)
    return _diag_part(tensor, padding_value, k=numbers, align=_read_align(where, align))


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """A matrix with one diagonal, or a band of them, replaced."""
    where = "tf.linalg.set_diag"
    tensor = _matrix(where, input, "input")
    new = convert_to_tensor(diagonal, dtype_hint=tensor.spec.dtype)
    numbers = _read_k(where, k)
    _inside(where, numbers, tensor)
    *batch, rows, columns = tensor.spec.shape
    longest = max(_length(rows, columns, n) for n in range(numbers[0], numbers[1] + 1))
    count = () if numbers[0] == numbers[1] else (numbers[1] - numbers[0] + 1,)
    if new.spec.shape != (*batch, *count, longest):
        raise invalid(
            f"{where} expected a diagonal of shape {[*batch, *count, longest]} for input "
            f"{describe(tensor)} and k={k!r}; got diagonal {describe(new)}."
        )
    return _set_diag(tensor, diagonal, k=numbers, align=_read_align(where, align))


def band_part(input: TensorLike, num_lower: int, num_upper: TensorLike, name: str | None = None) -> Tensor:
    """A matrix with everything outside of a band around the diagonal set to zero.

    Args:
        input: a matrix or a stack of them.
        num_lower: how many diagonals below the main one to keep; all of them if negative.
        num_upper: how many above.
        name: ignored.
    """
    where = "tf.linalg.band_part"
    tensor = _matrix(where, input, "input")
    rows, columns = tensor.spec.shape[-2:]
    lower, upper = read_int(num_lower, where, "num_lower"), read_int(num_upper, where, "num_upper")
    if lower > rows or upper > columns:
        raise invalid(
            f"{where} expected num_lower of at most {rows} and num_upper of at most {columns}, or "
            f"negative ones, for a matrix {describe(tensor)}; got num_lower={lower}, "
            f"num_upper={upper}."
        )
    return _band_part(tensor, lower=lower, upper=upper)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal."""
    return _trace(_matrix("tf.linalg.trace", x, "x"))


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two axes swapped; conjugated as well if asked."""
    tensor = convert_to_tensor(a)
    if len(tensor.spec.shape) < 2:
        raise ValueError(
            "tf.linalg.matrix_transpose expected a matrix, or a stack of them, of rank >= 2; got a "
            f"{describe(tensor)}."
        )
    return _matrix_transpose(tensor, conjugate=bool(conjugate))


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The transpose over the last two axes, conjugated."""
    return matrix_transpose(matrix, conjugate=True)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank, zero but for `out[i, j, i, j] = diagonal[i, j]` and the like."""
    tensor = convert_to_tensor(diagonal)
    if not tensor.spec.shape:
        raise invalid(f"tf.linalg.tensor_diag expected rank 1 or more; got diagonal {describe(tensor)}.")
    return _tensor_diag(tensor)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tensor_diag`: the elements whose first indices equal the last ones."""
    tensor = convert_to_tensor(input)
    shape = tensor.spec.shape
    half = len(shape) // 2
    if len(shape) % 2 or shape[:half] != shape[half:]:
        raise invalid(
            "tf.linalg.tensor_diag_part expected an even rank and equal halves of the shape; got "
            f"input {describe(tensor)}."
        )
    return _tensor_diag_part(tensor)
