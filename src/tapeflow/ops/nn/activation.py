"""Activation functions of `tf.nn`, with TensorFlow's values and derivatives at their corners.

The derivative of `relu` is 0 at 0, of `relu6` also at 6; of `leaky_relu` it is `alpha` at 0, and of
`elu` and `selu` it is that of the right-hand branch. `sigmoid`, `tanh`, `softplus` and `softsign`
are the functions of `tf.math`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.domains import FLOATING, INEXACT, REAL, Domain, unary
from tapeflow.ops.host_args import axis_message, describe, invalid, read_axis, read_int
from tapeflow.ops.math import stable_math
from tapeflow.ops.math.casting import cast

lax = jax.lax

_SIGNED = Domain(
    "a tensor of real numbers with a sign",
    (jnp.floating, jnp.signedinteger),
    "Cast it first, for example with tf.cast(x, tf.float32).",
)
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_ALPHA = 1.6732632423543772848170429916717
_SQRT_HALF = 0.70710678118654752440
_GELU_SLOPE = 0.79788456080286535588  # sqrt(2 / pi)
_GELU_CUBE = 0.044715


@jax.custom_jvp
def _relu(x: jax.Array) -> jax.Array:
    return jnp.maximum(x, jnp.zeros((), x.dtype))


@_relu.defjvp
def _relu_jvp(primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
    (x,), (dx,) = primals, tangents
    return _relu(x), jnp.where(x > 0, dx, jnp.zeros((), dx.dtype))


@jax.custom_jvp
def _relu6(x: jax.Array) -> jax.Array:
    return jnp.clip(x, 0, 6)


@_relu6.defjvp
def _relu6_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (x,), (dx,) = primals, tangents
    return _relu6(x), jnp.where((x > 0) & (x < 6), dx, jnp.zeros((), dx.dtype))


def _negative_part(x: jax.Array) -> jax.Array:
    # Zero where the other branch is taken, so that exp never overflows there.
    return jnp.where(x < 0, x, jnp.zeros((), x.dtype))


def _elu(x: jax.Array) -> jax.Array:
    return jnp.where(x < 0, jnp.expm1(_negative_part(x)), x)


def _selu(x: jax.Array) -> jax.Array:
    left = (_SELU_SCALE * _SELU_ALPHA) * jnp.expm1(_negative_part(x))
    return jnp.where(x < 0, left, _SELU_SCALE * x)


_relu_op = unary("Relu", REAL, _relu)
_relu6_op = unary("Relu6", REAL, _relu6)
_elu_op = unary("Elu", FLOATING, _elu)
_selu_op = unary("Selu", FLOATING, _selu)


@op(name="LeakyRelu")
def _leaky_relu(x: jax.Array, *, alpha: float) -> jax.Array:
    FLOATING.check("LeakyRelu", features=x)
    return jnp.where(x > 0, x, alpha * x)


@op(name="Gelu")
def _gelu(x: jax.Array, *, approximate: bool) -> jax.Array:
    if approximate:
        # (1 + tanh(a)) / 2, without the difference of two numbers that are almost equal where x is far below 0.
        return x * lax.logistic(2 * _GELU_SLOPE * (x + _GELU_CUBE * (x * x * x)))
    return 0.5 * x * (1 + lax.erf(x * _SQRT_HALF))


@op(name="Silu")
def _silu(x: jax.Array, beta: jax.Array) -> jax.Array:
    INEXACT.check("Silu", features=x)
    return x * lax.logistic(beta * x)


@op(name="Softmax")
def _softmax(x: jax.Array, *, axis: int) -> jax.Array:
    FLOATING.check("Softmax", logits=x)
    return stable_math.softmax(x, axis)


@op(name="LogSoftmax")
def _log_softmax(x: jax.Array, *, axis: int) -> jax.Array:
    FLOATING.check("LogSoftmax", logits=x)
    return stable_math.log_softmax(x, axis)


@op(name="CRelu")
def _crelu(x: jax.Array, *, axis: int) -> jax.Array:
    _SIGNED.check("CRelu", features=x)
    return jnp.concatenate([_relu(x), _relu(-x)], axis)


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(x, 0). The gradient is 0 at 0.

    >>> tf.nn.relu([-2.0, 0.0, 3.0]).numpy()
    array([0., 0., 3.], dtype=float32)
    """
    return _relu_op(features)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6). The gradient is 0 at 0 and at 6."""
    return _relu6_op(features)


def leaky_relu(features: TensorLike, alpha: TensorLike = 0.2, name: str | None = None) -> Tensor:
    """x above 0 and alpha * x elsewhere; integers become float32."""
    tensor = convert_to_tensor(features)
    if tensor.spec.dtype.is_integer:
        tensor = cast(tensor, float32)
    if isinstance(alpha, TensorBase) or not isinstance(alpha, (int, float, np.number)):
        raise TypeError(
            f"tf.nn.leaky_relu expected a Python number for alpha; got alpha={alpha!r}. "
            "For a slope that is learned, write tf.where(x > 0, x, alpha * x)."
        )
    return _leaky_relu(tensor, alpha=float(alpha))


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """x from 0 up and exp(x) - 1 below."""
    return _elu_op(features)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """`elu` scaled so that it keeps mean 0 and variance 1 through the layers of a network."""
    return _selu_op(features)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the probability that a standard normal number is below x.

    Args:
        features: a floating-point tensor.
        approximate: use the formula with tanh instead of the error function.
        name: ignored.
    """
    tensor = convert_to_tensor(features)
    if not tensor.spec.dtype.is_floating:
        raise ValueError(
            "tf.nn.gelu expected a floating-point tensor; got features "
            f"{describe(tensor)}. Cast it with tf.cast(x, tf.float32)."
        )
    return _gelu(tensor, approximate=bool(approximate))


def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """x * sigmoid(beta * x), also called swish; `beta` may be a tensor and has a gradient."""
    return _silu(features, beta)


swish = silu


def _softmax_axis(tensor: Tensor, axis: int | None, where: str) -> int:
    rank = len(tensor.spec.shape)
    axis = -1 if axis is None else read_int(axis, where, "axis")
    if rank == 0 or not -rank <= axis < rank:
        raise invalid(axis_message(where, "axis", axis, rank))
    return axis % rank


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(x) divided by its sum along `axis`, the last one by default; without overflow.

    >>> tf.nn.softmax([1.0, 1.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    tensor = convert_to_tensor(logits)
    return _softmax(tensor, axis=_softmax_axis(tensor, axis, "tf.nn.softmax"))


def log_softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`, finite where the softmax itself rounds to 0."""
    tensor = convert_to_tensor(logits)
    return _log_softmax(tensor, axis=_softmax_axis(tensor, axis, "tf.nn.log_softmax"))


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x) side by side along `axis`, which doubles in length."""
    tensor = convert_to_tensor(features)
    return _crelu(tensor, axis=read_axis(axis, len(tensor.spec.shape), "tf.nn.crelu"))
