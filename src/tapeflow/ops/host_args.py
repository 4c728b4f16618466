"""Static arguments, read on the host: shapes, axes, counts, permutations, paddings.

TensorFlow takes these as Python numbers, numpy arrays, tensors, or lists that mix them, such as
`[tf.shape(x)[0], -1]`. The engine needs plain ints, since they decide the shape of the result. A
tensor whose value the host knows already costs nothing; another one is run for its value.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.recording.op import Op
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_inputs, convert_to_tensor
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase

ErrorType = type[errors.InvalidArgumentError] | type[TypeError] | type[ValueError]


def fail(error: ErrorType, message: str) -> NoReturn:
    """Raise `error`, which may be one of TensorFlow's with their longer constructor."""
    if issubclass(error, errors.OpError):
        raise error(None, None, message)
    raise error(message)


def invalid(message: str) -> errors.InvalidArgumentError:
    """What TensorFlow's kernels raise."""
    return errors.InvalidArgumentError(None, None, message)


def describe(tensor: Tensor) -> str:
    """Shape and dtype, as messages show them: `(shape [3, 4], float32)`."""
    return f"(shape {list(tensor.spec.shape)}, {tensor.spec.dtype.name})"


def known_value(value: TensorLike) -> np.ndarray | None:
    """The value of a tensor if the host has it already; None rather than running anything."""
    return value.host_value() if isinstance(value, Tensor) else None


def read_value(value: TensorBase) -> np.ndarray:
    """The value of a tensor, run if it must be."""
    known = size_value(value)
    return np.asarray(value.numpy()) if known is None else known


def size_value(value: TensorBase) -> np.ndarray | None:
    """The value of a tensor that is a size; None if it takes a run.

    A function that is being recorded is recorded for this value, if its integer arguments tell it.
    """
    known = known_value(value)
    if known is None and state.recording is not None:
        known = state.recording.size_value(value._as_node())
    return known


def known_size(value: TensorLike) -> np.ndarray | None:
    """The value of a tensor if the host has it, or if the function being recorded is recorded for this value."""
    known = known_value(value)
    if known is None and state.recording is not None and isinstance(value, Tensor):
        known = state.recording.known_size(value._node)
    return known


def read_array(
    value: object, where: str, name: str, *, error: ErrorType = errors.InvalidArgumentError
) -> np.ndarray:
    """An integer array from whatever the user gave.

    Args:
        value: Python ints, arrays, tensors, a `TensorShape`, or nested lists that mix them.
        where: the public function, for messages.
        name: the argument, for messages.
        error: what a value that is not an integer raises; TensorFlow is of two minds.
    """
    try:
        array = np.asarray(_plain(value))
    except ValueError:  # None somewhere, or rows of different lengths
        raise ValueError(
            f"{where} expected integers for {name}; got {name}={value!r}. "
            "Pass Python ints or an int32 or int64 tensor; None and ragged lists have no value."
        ) from None
    if array.dtype.kind not in "iu":
        if array.size and not (array.dtype.kind == "f" and _has_tensors(value)):
            fail(
                error,
                f"{where} expected integers for {name}; got {name}={value!r} ({array.dtype}). "
                "Pass Python ints or an int32 or int64 tensor.",
            )
        array = array.astype(np.int64)
    return array


def _has_tensors(value: object) -> bool:
    """Whether a list holds a tensor: TensorFlow casts what it packs for an op that takes integers."""
    return isinstance(value, (list, tuple)) and any(
        isinstance(v, TensorBase) or _has_tensors(v) for v in value
    )


def _plain(value: object) -> Any:
    """`value` with every tensor replaced by its numbers."""
    if isinstance(value, TensorBase):
        return read_value(value)
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None:
        raise ValueError
    return value


def read_ints(
    value: Any,
    where: str,
    name: str,
    *,
    scalar: bool = False,
    error: ErrorType = errors.InvalidArgumentError,
) -> tuple[int, ...]:
    """A vector of ints. With `scalar`, one integer stands for a vector of length one."""
    if type(value) in (list, tuple) and all(type(v) is int for v in value):
        return tuple(value)
    array = read_array(value, where, name, error=error)
    if array.ndim > 1 or (array.ndim == 0 and not scalar):
        raise invalid(
            f"{where} expected a vector of integers for {name}; got {name}={value!r} "
            f"(shape {list(array.shape)}). Pass a flat list."
        )
    return tuple(array.reshape(-1).tolist())


def read_int(value: TensorLike, where: str, name: str, *, error: ErrorType = TypeError) -> int:
    """One int; a one-element vector will do."""
    if type(value) is int:
        return value
    array = read_array(value, where, name, error=error)
    if array.size != 1:
        raise invalid(
            f"{where} expected one integer for {name}; got {name}={value!r} "
            f"(shape {list(array.shape)}). Pass a Python int or a scalar tensor."
        )
    return int(array.reshape(()))


def read_shape(
    value: object,
    where: str,
    name: str = "shape",
    *,
    scalar: bool = False,
    error: ErrorType = errors.InvalidArgumentError,
) -> tuple[int, ...]:
    """A shape: ints that are not negative."""
    dims = read_ints(value, where, name, scalar=scalar, error=error)
    if any(d < 0 for d in dims):
        raise invalid(
            f"{where} expected dimensions of at least 0; got {name}={list(dims)}. "
            "Only tf.reshape works out a dimension given as -1."
        )
    return dims


def read_axis(
    value: TensorLike,
    rank: int,
    where: str,
    name: str = "axis",
    *,
    error: ErrorType = errors.InvalidArgumentError,
) -> int:
    """An axis of a tensor of `rank` dimensions, counted from the front."""
    axis = read_int(value, where, name)
    if not -rank <= axis < rank:
        fail(error, axis_message(where, name, axis, rank))
    return axis + rank if axis < 0 else axis


def axis_message(where: str, name: str, axis: int, rank: int) -> str:
    """What is wrong with an axis out of range."""
    hint = "A scalar has no axes; reshape it first." if rank == 0 else "Negative axes count from the end."
    return f"{where} expected {name} in [{-rank}, {rank}); got {name}={axis}. {hint}"


def index_tensor(value: TensorLike, where: str, name: str = "indices") -> Tensor:
    """A tensor of integers that stays an input of the program, unlike everything else here."""
    tensor = convert_to_tensor(value)
    if not tensor.spec.dtype.is_integer:
        raise invalid(
            f"{where} expected integers for {name}; got a tensor {describe(tensor)}. "
            "Use tf.cast to int32 or int64 first."
        )
    return tensor


def same_dtype(name: str, *values: Any) -> list[Tensor]:
    """Values as tensors of one dtype, by the rules of an op called `name` that takes them all.

    For ops of which only some inputs must agree, such as the two branches of `tf.where`.
    """
    return [tensor_of(n) for n in convert_inputs(Op(max, name=name), values)]
