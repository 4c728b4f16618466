"""Assertions on values: `tf.debugging.assert_equal` and its kin, and `tf.Assert`.

What fails raises `InvalidArgumentError`, in eager code at once and in recorded code at the call; see
`tapeflow.ops.debugging.requirement`. Assertions on ranks, shapes and dtypes are in `static_assertion`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.debugging.requirement import broken, is_recorded, require
from tapeflow.ops.host_args import describe
from tapeflow.ops.math import comparison

_SUMMARIZE = 3


def _shown_count(summarize: int | None, size: int) -> int:
    if summarize is None:
        return min(_SUMMARIZE, size)
    return size if summarize < 0 else min(summarize, size)


# ---------------------------------------------------------------------------------- comparisons


def _compare(
    holds: Callable[..., Tensor],
    rule: str,
    x: TensorLike,
    y: TensorLike,
    message: str | None,
    summarize: int | None,
) -> None:
    condition = holds(x, y)

    def details(found: np.ndarray) -> str:
        arrays = {"x": _array(x), "y": _array(y)}
        lines = []
        count = _shown_count(summarize, int((~found).sum()))
        if found.ndim and count:
            at = np.argwhere(~found)[:count]
            lines += [f"Indices of first {count} different values:", str(at)]
            for name, array in arrays.items():
                values = np.broadcast_to(array, found.shape)[tuple(at.T)]
                lines += [f"Corresponding {name} values:", str(values)]
        for name, array in arrays.items():
            if count := _shown_count(summarize, array.size):
                lines += [f"First {count} elements of {name}:", str(array.ravel()[:count])]
        return "".join(f"\n{line}" for line in lines)

    require(condition, _titled(message, f"Condition {rule} did not hold."), details)


def _array(value: TensorLike) -> np.ndarray:
    tensor = convert_to_tensor(value)
    return np.asarray(tensor.numpy(), tensor.spec.np_dtype)


def _titled(message: str | None, text: str) -> str:
    return text if message is None or message == "" else f"{message}\n{text}"


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x == y` holds element by element.

    Args:
        x: a tensor.
        y: a tensor of the same dtype whose shape broadcasts with that of `x`.
        message: the beginning of the error message.
        summarize: the number of elements shown in the error; -1 for all.
        name: ignored.

    Raises:
        InvalidArgumentError: the condition does not hold.

    >>> tf.debugging.assert_equal(tf.constant([1, 2]), [1, 2], message="the labels have changed")
    """
    _compare(comparison.equal, "x == y", x, y, message, summarize)


def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x != y` holds element by element; see `assert_equal`."""
    _compare(comparison.not_equal, "x != y", x, y, message, summarize)


def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x < y` holds element by element; see `assert_equal`."""
    _compare(comparison.less, "x < y", x, y, message, summarize)


def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x <= y` holds element by element; see `assert_equal`."""
    _compare(comparison.less_equal, "x <= y", x, y, message, summarize)


def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x > y` holds element by element; see `assert_equal`."""
    _compare(comparison.greater, "x > y", x, y, message, summarize)


def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `x >= y` holds element by element; see `assert_equal`."""
    _compare(comparison.greater_equal, "x >= y", x, y, message, summarize)


# ---------------------------------------------------------------------------------------- signs


def _compare_with_zero(
    where: str,
    holds: Callable[..., Tensor],
    rule: str,
    x: TensorLike,
    message: str | None,
    summarize: int | None,
) -> None:
    x = convert_to_tensor(x)
    if not (x.dtype.is_floating or x.dtype.is_integer):
        raise TypeError(
            f"tf.debugging.{where} expected a tensor of real numbers; got x {describe(x)}. Cast it first."
        )

    def details(found: np.ndarray) -> str:
        values = _array(x).ravel()
        count = _shown_count(summarize, values.size)
        texts = [str(v) for v in values[:count]] + (["..."] if count < values.size else [])
        return f"\nx (shape={x.shape} dtype={x.dtype.name}) =\n{texts}"

    text = _titled(message, f"Condition {rule} did not hold element-wise.")
    require(holds(x, 0), text, details)


def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Assert that every element of `x` is greater than 0; a NaN is not."""
    _compare_with_zero("assert_positive", comparison.greater, "x > 0", x, message, summarize)


def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Assert that every element of `x` is less than 0; a NaN is not."""
    _compare_with_zero("assert_negative", comparison.less, "x < 0", x, message, summarize)


def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Assert that every element of `x` is 0 or greater; a NaN is not."""
    _compare_with_zero("assert_non_negative", comparison.greater_equal, "x >= 0", x, message, summarize)


def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Assert that every element of `x` is 0 or less; a NaN is not."""
    _compare_with_zero("assert_non_positive", comparison.less_equal, "x <= 0", x, message, summarize)


# ------------------------------------------------------------------------------------- closeness


@op(name="IsNear", same_dtype=False, differentiable=False)
def _near_kernel(x: jax.Array, y: jax.Array, rtol: jax.Array, atol: jax.Array) -> jax.Array:
    return jnp.abs(x - y) < atol + rtol * jnp.abs(y)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Assert that `|x - y| < atol + rtol * |y|` holds element by element.

    Args:
        x: a floating-point or complex tensor.
        y: a tensor of the same dtype whose shape broadcasts with that of `x`.
        rtol: the relative tolerance; ten times the precision of the dtype if left out.
        atol: the absolute tolerance; ten times the precision of the dtype if left out.
        message: the beginning of the error message.
        summarize: the number of elements shown in the error; -1 for all.
        name: ignored.
    """
    x = convert_to_tensor(x)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(
            "tf.debugging.assert_near expected floating-point tensors; got x "
            f"{describe(x)}. Compare integers with tf.debugging.assert_equal."
        )
    y = convert_to_tensor(y, dtype=x.dtype)
    exact = float(jnp.finfo(x.spec.np_dtype).eps) * 10
    tolerances = [
        convert_to_tensor(exact if t is None else t, dtype=x.dtype.real_dtype) for t in (rtol, atol)
    ]
    shown = [t.host_value() if is_recorded(t) else t.numpy() for t in tolerances]
    rule = f"x and y not equal to tolerance rtol = {shown[0]}, atol = {shown[1]}."
    _compare_near(_near_kernel(x, y, *tolerances), _titled(message, rule), x, y, summarize)


def _compare_near(condition: Tensor, text: str, x: Tensor, y: Tensor, summarize: int | None) -> None:
    def details(found: np.ndarray) -> str:
        shown = []
        for name, tensor in (("x", x), ("y", y)):
            shown.append(f"{name} (shape={tensor.shape} dtype={tensor.dtype.name}) =")
            shown.append(_summarized(tensor, summarize))
        return "".join(f"\n{line}" for line in shown)

    require(condition, text, details)


def _summarized(tensor: Tensor, summarize: int | None) -> str:
    values = _array(tensor).ravel()
    count = _shown_count(summarize, values.size)
    return ", ".join([str(v) for v in values[:count]] + (["..."] if count < values.size else []))


# ------------------------------------------------------------------------------- any condition


def Assert(
    condition: TensorLike, data: TensorLike, summarize: int | None = None, name: str | None = None
) -> None:
    """Assert that `condition`, one bool, is true.

    Args:
        condition: a Python bool or a tensor with one element.
        data: a list of tensors, numbers and strings for the error to show. In recorded code it shows
            those that are known without running anything.
        summarize: how many elements of each to show; -1 for all.
        name: ignored.
    """
    if isinstance(data, (str, bytes)):
        data = [data]
    if not isinstance(data, (list, tuple)):
        raise TypeError(
            "tf.Assert expected a list for data, the values its error shows; got "
            f"data={data!r}. Write [data]."
        )
    tensor = convert_to_tensor(condition)
    if int(np.prod(tensor.spec.shape)) != 1:
        raise ValueError(
            f"tf.Assert expected a condition with one element; got condition {describe(tensor)}: the "
            "truth value of several is ambiguous. Use tf.reduce_all or tf.reduce_any."
        )
    if not tensor.dtype.is_bool:
        tensor = comparison.not_equal(tensor, 0)
    if is_recorded(tensor):
        require(tensor, f"Assertion failed: {_joined(data, summarize)}.", lambda _: "")
        return
    if not np.asarray(tensor.numpy()).all():
        raise broken(f"Expected '{condition!s}' to be true. Summarized data: {_joined(data, summarize)}")


def _joined(data: Sequence[Any], summarize: int | None) -> str:
    tensors = [convert_to_tensor(d) for d in data]
    return "\n".join(_summarized(t, summarize) for t in tensors if not is_recorded(t))
