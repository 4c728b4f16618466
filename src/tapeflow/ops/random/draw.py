"""Drawing random tensors: the ops, and the reading of arguments that all ways to draw share.

`tf.random.normal`, `tf.random.stateless_normal` and `Generator.normal` differ only in where their
key comes from, so each calls `draw_normal` with a function that gives the key. It is called last: a
call that raises draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int64
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import describe, invalid, known_value, read_int, read_shape
from tapeflow.ops.math.casting import cast
from tapeflow.ops.random import counts as random_counts
from tapeflow.ops.random import kernel as random_kernel

Shape = tuple[int, ...]
Key = Callable[[], Tensor]
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_INTS = ("int32", "int64")
_FULL_INTS = ("int32", "int64", "uint32", "uint64")


@op(name="RandomStandardNormal", same_dtype=False)
def _normal(key: jax.Array, mean: jax.Array, stddev: jax.Array, *, shape: Shape, dtype: DType) -> jax.Array:
    drawn = random_kernel.normal(key, shape=shape, dtype=dtype.as_numpy_dtype)
    return drawn * stddev + mean


@op(name="TruncatedNormal", same_dtype=False)
def _truncated_normal(
    key: jax.Array, mean: jax.Array, stddev: jax.Array, *, shape: Shape, dtype: DType
) -> jax.Array:
    drawn = random_kernel.truncated_normal(key, shape=shape, dtype=dtype.as_numpy_dtype)
    return drawn * stddev + mean


@op(name="ParameterizedTruncatedNormal", same_dtype=False)
def _bounded_normal(
    key: jax.Array, mean: jax.Array, stddev: jax.Array, low: jax.Array, high: jax.Array, *, shape: Shape
) -> jax.Array:
    low, high = (low - mean) / stddev, (high - mean) / stddev
    drawn = random_kernel.bounded_normal(key, low, high, shape=shape, dtype=mean.dtype)
    return drawn * stddev + mean


@op(name="RandomUniform", same_dtype=False)
def _uniform(
    key: jax.Array, minval: jax.Array, maxval: jax.Array, *, shape: Shape, dtype: DType
) -> jax.Array:
    return random_kernel.uniform(key, minval, maxval, shape=shape, dtype=dtype.as_numpy_dtype)


@op(name="RandomUniformInt", same_dtype=False, differentiable=False)
def _uniform_int(
    key: jax.Array, minval: jax.Array, maxval: jax.Array, *, shape: Shape, dtype: DType
) -> jax.Array:
    return random_kernel.uniform_int(key, minval, maxval, shape=shape, dtype=dtype.as_numpy_dtype)


@op(name="RandomUniformFullInt", same_dtype=False, differentiable=False)
def _full_int(key: jax.Array, *, shape: Shape, dtype: DType) -> jax.Array:
    return random_kernel.bits(key, shape=shape, dtype=dtype.as_numpy_dtype)


@op(name="RandomGamma", same_dtype=False)
def _gamma(key: jax.Array, alpha: jax.Array, beta: jax.Array, *, shape: Shape, dtype: DType) -> jax.Array:
    return random_kernel.gamma(key, alpha, shape=shape, dtype=dtype.as_numpy_dtype) / beta


@op(name="RandomPoisson", same_dtype=False, differentiable=False)
def _poisson(key: jax.Array, lam: jax.Array, *, shape: Shape, dtype: DType) -> jax.Array:
    return random_counts.poisson(key, lam, shape=shape, dtype=dtype.as_numpy_dtype)


@op(name="RandomBinomial", same_dtype=False, differentiable=False)
def _binomial(
    key: jax.Array, counts: jax.Array, probs: jax.Array, *, shape: Shape, dtype: DType
) -> jax.Array:
    return random_counts.binomial(key, counts, probs, shape=shape, dtype=dtype.as_numpy_dtype)


@op(name="Multinomial", same_dtype=False, differentiable=False)
def _categorical(key: jax.Array, logits: jax.Array, *, num_samples: int, dtype: DType) -> jax.Array:
    wanted = dtype.as_numpy_dtype
    return random_kernel.categorical(key, logits, num_samples=num_samples, dtype=wanted)


@op(name="RandomShuffle", same_dtype=False, differentiable=False)
def _shuffle(key: jax.Array, value: jax.Array) -> jax.Array:
    return random_kernel.shuffle(key, value)


def shuffled(key: Tensor, value: TensorLike) -> Tensor:
    """`value` with its rows in another order."""
    return _shuffle(key, convert_to_tensor(value))


def read_dtype(
    where: str, dtype: DTypeLike, allowed: tuple[str, ...], error: Callable[..., Any] = ValueError
) -> DType:
    """One of the dtypes a random function makes."""
    wanted = as_dtype(dtype)
    if wanted.name not in allowed:
        raise error(
            f"{where} expected dtype to be one of {', '.join(allowed)}; got dtype={wanted.name}. "
            "Draw in one of these and use tf.cast."
        )
    return wanted


def _broadcast(where: str, shape: Shape, **parameters: Tensor) -> Shape:
    """The shape of a draw whose parameters may stretch it."""
    for name, value in parameters.items():
        try:
            shape = np.broadcast_shapes(shape, value.spec.shape)
        except ValueError:
            raise invalid(
                f"{where} expected {name} to broadcast with the shape {list(shape)}; got {name} "
                f"{describe(value)}: incompatible shapes."
            ) from None
    return shape


def _ends_with(where: str, shape: Shape, **parameters: Tensor) -> None:
    """Raise unless the parameters broadcast to `shape` as it is."""
    if _broadcast(where, shape, **parameters) != shape:
        got = ", ".join(f"{n} {describe(v)}" for n, v in parameters.items())
        raise invalid(
            f"{where} expected shape to end with the broadcast shape of its parameters; got "
            f"shape={list(shape)} and {got}."
        )


def draw_normal(
    where: str, key: Key, shape: TensorLike | None, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
) -> Tensor:
    """Normal numbers; `key` is a function, called once everything else has been checked."""
    return _draw_normal(_normal, where, key, shape, mean, stddev, dtype)


def draw_truncated(
    where: str, key: Key, shape: ShapeLike | Tensor, mean: TensorLike, stddev: TensorLike, dtype: DTypeLike
) -> Tensor:
    """Normal numbers within two standard deviations."""
    return _draw_normal(_truncated_normal, where, key, shape, mean, stddev, dtype)


def draw_bounded(
    where: str,
    key: Key,
    shape: ShapeLike,
    mean: TensorLike,
    stddev: TensorLike,
    low: TensorLike,
    high: TensorLike,
) -> Tensor:
    """Normal numbers within `[low, high]`."""
    dims = read_shape(shape, where)
    given = {"means": mean, "stddevs": stddev, "minvals": low, "maxvals": high}
    hint = next((v.dtype for v in given.values() if isinstance(v, TensorBase)), float32)
    tensors = {name: convert_to_tensor(v, dtype=hint) for name, v in given.items()}
    _ends_with(where, dims, **tensors)
    return _bounded_normal(key(), *tensors.values(), shape=dims)


def _draw_normal(
    kernel: Callable[..., Any],
    where: str,
    key: Key,
    shape: Any,
    mean: TensorLike,
    stddev: Any,
    dtype: DTypeLike,
) -> Tensor:
    wanted = read_dtype(where, dtype, _FLOATS, TypeError)
    dims = read_shape(shape, where)
    centre = convert_to_tensor(mean, dtype=wanted)
    width = convert_to_tensor(stddev, dtype=wanted)
    _broadcast(where, dims, mean=centre, stddev=width)
    return kernel(key(), centre, width, shape=dims, dtype=wanted)


def draw_uniform(
    where: str,
    key: Key,
    shape: TensorLike,
    minval: TensorLike | None,
    maxval: TensorLike | None,
    dtype: DTypeLike,
) -> Tensor:
    """Numbers in `[minval, maxval)`; integers of the whole range if both are None."""
    wanted = as_dtype(dtype)
    if wanted.name in _FULL_INTS and minval is None and maxval is None:
        return draw_full_int(where, key, shape, wanted)
    dims = read_shape(shape, where)
    read_dtype(where, dtype, (*_FLOATS, *_INTS))
    if maxval is None and wanted.is_floating:
        maxval = 1
    if minval is None or maxval is None:
        raise ValueError(
            f"{where} expected both minval and maxval for dtype {wanted.name}: must specify maxval "
            f"for integers; got minval={minval!r}, maxval={maxval!r}."
        )
    low, high = convert_to_tensor(minval, dtype=wanted), convert_to_tensor(maxval, dtype=wanted)
    if wanted.is_floating:
        _broadcast(where, dims, minval=low, maxval=high)
        return _uniform(key(), low, high, shape=dims, dtype=wanted)
    for name, bound in (("minval", low), ("maxval", high)):
        if bound.spec.shape:
            raise invalid(
                f"{where} expected {name} to be a scalar (0-D) for integers; got {name} {describe(bound)}."
            )
    least, most = known_value(low), known_value(high)
    if least is not None and most is not None and least >= most and 0 not in dims:
        raise invalid(
            f"{where} expected minval < maxval; got {least} >= {most}: there is no integer in "
            "[minval, maxval)."
        )
    return _uniform_int(key(), low, high, shape=dims, dtype=wanted)


def draw_full_int(where: str, key: Key, shape: Any, dtype: DTypeLike) -> Tensor:
    """Integers of the whole range of `dtype`."""
    wanted = read_dtype(where, dtype, _FULL_INTS, invalid)
    return _full_int(key(), shape=read_shape(shape, where), dtype=wanted)


def draw_binomial(
    where: str, key: Key, shape: ShapeLike, counts: TensorLike, probs: TensorLike, dtype: DTypeLike
) -> Tensor:
    """How many of `counts` trials succeed."""
    wanted = read_dtype(where, dtype, ("int32", "int64", *_FLOATS))
    dims = read_shape(shape, where)
    hint = next((v.dtype for v in (counts, probs) if isinstance(v, TensorBase)), float32)
    hint = hint if hint.is_floating else float32
    trials, chances = _as_floats(counts, hint), _as_floats(probs, hint)
    if trials.spec.dtype is not chances.spec.dtype:
        raise invalid(
            f"{where} expected counts and probs of one dtype; got counts {describe(trials)} and "
            f"probs {describe(chances)}. Use tf.cast."
        )
    _ends_with(where, dims, counts=trials, probs=chances)
    return _binomial(key(), trials, chances, shape=dims, dtype=wanted)


def _as_floats(value: TensorLike, dtype: DType) -> Tensor:
    tensor = convert_to_tensor(value, dtype_hint=dtype)
    return tensor if tensor.spec.dtype.is_floating else cast(tensor, dtype)


def draw_gamma(
    where: str,
    key: Key,
    shape: Shape | None,
    prefix: Shape,
    alpha: TensorLike,
    beta: TensorLike | None,
    dtype: DTypeLike,
) -> Tensor:
    """Gamma numbers of `shape`, or of `prefix` and then the shape of the parameters."""
    wanted = read_dtype(where, dtype, _FLOATS, TypeError)
    form = convert_to_tensor(alpha, dtype=wanted)
    rate = convert_to_tensor(1 if beta is None else beta, dtype=wanted)
    if shape is None:
        shape = prefix + _broadcast(where, form.spec.shape, beta=rate)
    else:
        _ends_with(where, shape, alpha=form, beta=rate)
    return _gamma(key(), form, rate, shape=shape, dtype=wanted)


def draw_poisson(
    where: str, key: Key, shape: Shape | None, prefix: Shape, lam: TensorLike, dtype: DTypeLike
) -> Tensor:
    """Poisson counts of `shape`, or of `prefix` and then the shape of `lam`."""
    wanted = read_dtype(where, dtype, ("float16", "float32", "float64", *_INTS), invalid)
    mean = _as_floats(lam, float32)
    if shape is None:
        shape = prefix + mean.spec.shape
    else:
        _ends_with(where, shape, lam=mean)
    return _poisson(key(), mean, shape=shape, dtype=wanted)


def draw_categorical(
    where: str, key: Key, logits: TensorLike, num_samples: TensorLike, dtype: DTypeLike | None
) -> Tensor:
    """Class numbers for each row of `logits`."""
    wanted = read_dtype(where, int64 if dtype is None else dtype, _INTS)
    scores = _as_floats(logits, float32)
    count = read_int(num_samples, where, "num_samples")
    if len(scores.spec.shape) != 2 or scores.spec.shape[1] == 0:
        raise invalid(
            f"{where} expected logits to be a matrix, a row of classes for each draw, with at "
            f"least one class; got logits {describe(scores)}. For one distribution pass "
            "logits[None]."
        )
    if count < 0:
        raise invalid(f"{where} expected num_samples of at least 0; got num_samples={count}.")
    return _categorical(key(), scores, num_samples=count, dtype=wanted)
