"""Variables, constants and draws, and reading and writing them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config


def _dtype(dtype: DTypeLike | None) -> Any:
    return config.floatx() if dtype is None else dtype


def variable(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, constraint: Any = None
) -> Variable:
    """A `tf.Variable`, of type `floatx()` unless another is given."""
    return tf.Variable(tf.cast(value, _dtype(dtype)), name=name, constraint=constraint)


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A constant tensor, of type `floatx()` unless another is given."""
    return tf.constant(value, dtype=_dtype(dtype), shape=shape)


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable of zeros."""
    return variable(tf.zeros(shape, _dtype(dtype)), dtype, name)


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable of ones."""
    return variable(tf.ones(shape, _dtype(dtype)), dtype, name)


def eye(size: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """A variable that is the identity matrix; `size` is a number, or rows and columns."""
    rows, columns = size if isinstance(size, (tuple, list)) else (size, size)
    return variable(tf.eye(rows, columns, dtype=_dtype(dtype)), dtype, name)


def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """A tensor of zeros with the shape of `x`."""
    return tf.zeros_like(x, dtype=dtype)


def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """A tensor of ones with the shape of `x`."""
    return tf.ones_like(x, dtype=dtype)


def random_normal(
    shape: TensorLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Normally distributed numbers."""
    return tf.random.normal(shape, mean, stddev, _dtype(dtype), seed=seed)


def truncated_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Normally distributed numbers within two deviations of the mean."""
    return tf.random.truncated_normal(shape, mean, stddev, _dtype(dtype), seed=seed)


def random_uniform(
    shape: TensorLike,
    minval: TensorLike = 0.0,
    maxval: TensorLike = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Numbers from `minval` up to `maxval`, each as likely as the other."""
    return tf.random.uniform(shape, minval, maxval, _dtype(dtype), seed=seed)


def random_bernoulli(
    shape: TensorLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """1 with probability `p`, and 0 otherwise."""
    return tf.cast(tf.random.uniform(shape, seed=seed) <= p, _dtype(dtype))


random_binomial = random_bernoulli


def random_normal_variable(
    shape: TensorLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """A variable of normally distributed numbers."""
    return variable(random_normal(shape, mean, scale, dtype, seed), dtype, name)


def random_uniform_variable(
    shape: TensorLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """A variable of numbers from `low` up to `high`."""
    return variable(random_uniform(shape, low, high, dtype, seed), dtype, name)


def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """`x` with another type."""
    return tf.cast(x, dtype)


def cast_to_floatx(x: TensorLike) -> Any:
    """`x` with the type `floatx()`; what is no tensor becomes an array."""
    if tf.is_tensor(x) or isinstance(x, tf.Variable):
        return tf.cast(x, config.floatx())
    return np.asarray(x, tf.as_dtype(config.floatx()).as_numpy_dtype)


def get_value(x: Tensor) -> Any:
    """The value of a tensor or variable as an array; other values unchanged."""
    return x.numpy() if tf.is_tensor(x) or isinstance(x, tf.Variable) else x


def eval(x: TensorLike) -> np.ndarray:
    """`get_value` under its oldest name."""
    return get_value(tf.convert_to_tensor(x))


def set_value(x: Variable, value: TensorLike) -> None:
    """Give a variable a value."""
    x.assign(np.asarray(value, x.dtype.as_numpy_dtype))


def batch_get_value(tensors: Iterable[Any]) -> list[Any]:
    """The values of several tensors."""
    return [get_value(tensor) for tensor in tensors]


def batch_set_value(tuples: Iterable[tuple[Any, Any]]) -> None:
    """Give several variables a value each."""
    for target, value in tuples:
        set_value(target, value)


def update(x: Variable, new_x: TensorLike) -> Variable:
    """Assign `new_x` to the variable `x`."""
    return x.assign(new_x)


def update_add(x: Variable, increment: TensorLike) -> Variable:
    """Add to the variable `x`."""
    return x.assign_add(increment)


def update_sub(x: Variable, decrement: Any) -> Variable:
    """Subtract from the variable `x`."""
    return x.assign_sub(decrement)


def moving_average_update(x: Variable, value: TensorLike, momentum: float) -> Variable:
    """Move the variable `x` towards `value`, by the share `1 - momentum`."""
    return x.assign_sub((x - tf.cast(value, x.dtype)) * (1 - tf.cast(momentum, x.dtype)))


def shape(x: TensorLike) -> Tensor:
    """The shape as a tensor."""
    return tf.shape(x)


def int_shape(x: Tensor) -> tuple[int | None, ...]:
    """The shape as a tuple; a symbolic tensor may have sizes that are `None`."""
    return tuple(x.shape)


def ndim(x: Variable) -> int:
    """The number of axes."""
    return len(x.shape)


def dtype(x: Tensor | Variable) -> str:
    """The name of the type."""
    return tf.as_dtype(x.dtype).name


def count_params(x: Any) -> int:
    """The number of elements."""
    return math.prod(tuple(x.shape))


def is_sparse(tensor: TensorLike) -> bool:
    """Whether this is a `tf.SparseTensor`, or stands for one in a model."""
    return isinstance(getattr(tensor, "type_spec", tensor), (tf.SparseTensor, tf.SparseTensorSpec))


def to_dense(tensor: TensorLike) -> Any:
    """A sparse tensor with its zeros; any other one itself."""
    return tf.sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def stop_gradient(variables: Any) -> Any:
    """Tensors that gradients treat as constants; for a list, a list."""
    if isinstance(variables, (list, tuple)):
        return [tf.stop_gradient(tensor) for tensor in variables]
    return tf.stop_gradient(variables)


def print_tensor(x: TensorLike, message: str = "", summarize: int = 3) -> Any:
    """Print `message` and the value of `x` whenever it is computed; returns `x`."""
    tf.print(message, x, summarize=summarize)
    return x


def name_scope(name: str) -> Any:
    """`tf.name_scope`."""
    return tf.name_scope(name)
