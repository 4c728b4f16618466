"""Python functions as ops: `py_function` and `numpy_function`.

Python runs at every call, as plain eager code; a `tf.function` around it is therefore not staged, and a
loop around it goes row by row. What the function raises comes out as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.trace import NeedsValue, state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Call a Python function with tensors; its ops are recorded like any others, tapes included.

    Without `func` it is a decorator: `@tf.py_function(Tout=tf.float32)`.

    Args:
        func: called with tensors.
        inp: a list of the arguments.
        Tout: the dtype of the result, or a list of them for a function that returns several.
        name: ignored.

    >>> float(tf.py_function(lambda x: x * float(x), [tf.constant(3.0)], tf.float32))
    9.0
    """
    where = "tf.py_function"
    if func is None:
        return _decorator(py_function, where, inp, Tout)
    if not callable(func):
        raise ValueError(f"{where} expected func to be callable; got func={func!r}.")
    arguments = _arguments(where, inp, Tout)
    return _results(_called(func, arguments), Tout, where)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: TensorLike | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function with numpy arrays that returns numpy arrays; it has no gradient.

    >>> tf.numpy_function(np.sort, [tf.constant([3, 1, 2])], tf.int32).numpy()
    array([1, 2, 3], dtype=int32)
    """
    where = "tf.numpy_function"
    if func is None:
        return _decorator(numpy_function, where, inp, Tout)
    if not callable(func):
        raise TypeError(f"{where} expected func to be callable; got func={func!r}.")
    arguments = _arguments(where, inp, Tout)
    return _results(_called(func, [np.asarray(x.numpy()) for x in arguments]), Tout, where)


def _decorator(function: Callable[..., Any], where: str, inp: Any, Tout: Any) -> Callable[..., Any]:
    if inp is not None:
        raise TypeError(
            f"{where} expected no inp when it is used as a decorator (func=None); got inp={inp!r}. Pass "
            "func, or leave inp out and call the decorated function with the arguments."
        )
    _check_tout(where, Tout)

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def call(*args: Tensor) -> Tensor:
            return function(func, args, Tout)

        return call

    return decorate


def _check_tout(where: str, Tout: Any) -> None:
    if Tout is None:
        raise TypeError(
            f"{where} expected Tout, the dtype of what func returns; missing required argument: 'Tout'. Pass "
            "for example Tout=tf.float32, or Tout=[] for a function that returns nothing."
        )


def _arguments(where: str, inp: Any, Tout: Any) -> list[Tensor]:
    if inp is None:
        raise TypeError(
            f"{where} expected inp, a list of the arguments; missing argument `inp`. Pass inp=[] for none."
        )
    _check_tout(where, Tout)
    if state.trace.is_body:
        raise NeedsValue
    return [convert_to_tensor(x) for x in inp]


def _called(func: Callable[..., Any], arguments: Sequence[Any]) -> Tensor | None:
    """What the function returns. It runs as eager code: a record that is being made is given up."""
    recording = state.recording
    if recording is not None:
        recording.note_read()
        run_pending()  # what the function prints comes after what was to be printed before
    state.recording = None
    try:
        return func(*arguments)
    finally:
        state.recording = recording


def _results(result: TensorLike | None, Tout: Any, where: str) -> Any:
    """What the function returned, as tensors of the dtypes announced."""
    is_many = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(getattr(d, "dtype", d)) for d in (Tout if is_many else [Tout])]
    if not is_many:
        return _result(result, dtypes[0], where)
    values = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
    if len(values) != len(dtypes):
        raise invalid(
            f"{where} expected {len(dtypes)} results, as Tout says; got {len(values)}. Return a list of as "
            "many values as Tout has dtypes."
        )
    return [_result(v, d, where) for v, d in zip(values, dtypes, strict=True)]


def _result(value: TensorLike | None, dtype: DType, where: str) -> Tensor:
    if value is None:
        raise invalid(f"{where} expected func to return one value, as Tout says; got None. Use Tout=[].")
    tensor = convert_to_tensor(value, dtype_hint=dtype)
    if tensor.dtype is not dtype:
        raise invalid(
            f"{where} expected a result of dtype {dtype.name}, as Tout says; got {tensor.dtype.name} (shape "
            f"{tensor.shape}). Use tf.cast in func, or change Tout."
        )
    return tensor
