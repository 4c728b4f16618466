"""Python's built-in functions in converted code, where a tensor is given to them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from tapeflow.autograph.callees import converted
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.array import creation
from tapeflow.ops.array.indexing import gather
from tapeflow.ops.autograph.items import Range, enumerated, range_of_tensors, tensor_range, zipped
from tapeflow.ops.autograph.state import is_staged
from tapeflow.ops.control.loop import vectorized_map
from tapeflow.ops.control.recorded_body import is_being_recorded
from tapeflow.ops.math.arithmetic import maximum, minimum
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.ordering import argsort, sort
from tapeflow.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_min


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int(x)`: of a tensor, a cast."""
    if len(args) == 1 and not kwargs and _is_number(args[0]):
        return cast(args[0], dtypes.int32)
    return builtins.int(*args, **kwargs)


def float_(*args: Any) -> Any:
    """`float(x)`: of a tensor, a cast."""
    if len(args) == 1 and _is_number(args[0]):
        return cast(args[0], dtypes.float32)
    return builtins.float(*args)


def bool_(*args: Tensor) -> Any:
    """`bool(x)`: of a tensor, a cast."""
    return cast(args[0], dtypes.bool) if len(args) == 1 and _is_number(args[0]) else builtins.bool(*args)


def _is_number(value: Any) -> bool:
    """Whether it is a tensor of one number that only the program will know.

    In a function of a dataset's elements these functions read the value, and make it one that is called for each.
    """
    if not is_staged(value) or state.is_in_pipeline:
        return False
    return value._spec.shape == () and value.dtype is not dtypes.string


def any_(values: Any) -> Any:
    """`any(x)` of a tensor of truth values."""
    return reduce_any(values) if _is_truths(values) else builtins.any(values)


def all_(values: Any) -> Any:
    """`all(x)` of a tensor of truth values."""
    return reduce_all(values) if _is_truths(values) else builtins.all(values)


def _is_truths(value: Any) -> bool:
    return is_staged(value) and value.dtype.is_bool and len(value._spec.shape) == 1


def print_(*values: Any, **kwargs: Any) -> None:
    """`print(x)`: while a call is recorded it shows what is known of a tensor, its shape and dtype.

    It is silent where TensorFlow has a trace already, and Python runs only for a record of another size.
    """
    if state.is_again:
        return
    builtins.print(*[symbol_text(v) if _is_shown_as_symbol(v) else v for v in values], **kwargs)  # noqa: T201


def _is_shown_as_symbol(value: TensorLike) -> bool:
    return is_staged(value) and isinstance(value, Tensor) and not state.is_in_pipeline


def symbol_text(tensor: Tensor) -> str:
    """A tensor of a record as TensorFlow shows it: `Tensor("x:0", shape=(), dtype=float32)`."""
    node = tensor._node
    made = "Placeholder" if node.instance is None else node.instance.op.name
    spec = state.arguments().get(id(node), TensorSpec(tensor.shape, tensor.dtype, made))
    shape = "" if spec.shape.rank is None else f" shape={spec.shape},"
    return f'Tensor("{spec.name}:0",{shape} dtype={spec.dtype.name})'


def range_(*args: int) -> Any:
    """`range(n)`: of a tensor, `tf.range(n)`."""
    found = range_of_tensors(*args)
    return found.tensor() if isinstance(found, Range) else found


def next_(iterator: Any, *default: Any) -> Any:
    """`next(i)`: at the end of a dataset `tf.errors.OutOfRangeError`, as TensorFlow's functions raise."""
    if not default and is_being_recorded() and hasattr(iterator, "get_next"):
        return iterator.get_next()
    return builtins.next(iterator, *default)


def max_(*args: Any, **kwargs: Any) -> Any:
    """`max(a, b)`, or `max(v)`: of scalar tensors, or of a vector."""
    return _extreme(builtins.max, maximum, reduce_max, args, kwargs)


def min_(*args: Any, **kwargs: Any) -> Any:
    """`min(a, b)`, or `min(v)`: of scalar tensors, or of a vector."""
    return _extreme(builtins.min, minimum, reduce_min, args, kwargs)


def _extreme(python: Any, of_two: Any, of_vector: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or state.is_in_pipeline:
        return python(*args, **kwargs)
    if len(args) == 1 and is_staged(args[0]) and len(args[0]._spec.shape) == 1:
        return of_vector(args[0])
    values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if len(values) > 1 and any(map(is_staged, values)) and all(map(_is_scalar, values)):
        return functools.reduce(of_two, values)
    return python(*args)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return value.shape == () and value.dtype is not dtypes.string
    return isinstance(value, (int, float))


def sorted_(iterable: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted(v)`: of a vector, `tf.sort`."""
    if not is_staged(iterable) or len(iterable._spec.shape) != 1 or state.is_in_pipeline:
        return builtins.sorted(iterable, key=key and converted(key), reverse=reverse)
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        return sort(iterable, direction=direction)
    ranks = vectorized_map(converted(key), iterable)
    return gather(iterable, argsort(ranks, direction=direction, stable=True))


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """`map(f, v)`, with the function converted."""
    return builtins.map(converted(function), *iterables)


def filter_(function: Callable[..., Any] | None, iterable: Any) -> Any:
    """`filter(f, v)`, with the function converted."""
    return builtins.filter(None if function is None else converted(function), iterable)


def reduce_(function: Callable[..., Any], *given: Any) -> Any:
    """`functools.reduce(f, v)`, with the function converted."""
    return functools.reduce(converted(function), *given)


OPERATORS: dict[Any, Any] = {
    builtins.int: int_,
    builtins.float: float_,
    builtins.bool: bool_,
    builtins.any: any_,
    builtins.all: all_,
    builtins.range: range_,
    builtins.print: print_,
    builtins.next: next_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.sorted: sorted_,
    builtins.map: map_,
    builtins.filter: filter_,
    functools.reduce: reduce_,
}
"""What takes the place of a built-in function."""

_ITERATED = {
    builtins.range: range_of_tensors,
    builtins.enumerate: enumerated,
    builtins.zip: zipped,
}


def iterated(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function whose result a loop goes over."""
    if isinstance(function, type) and function in _ITERATED:
        return _ITERATED[function]
    if getattr(function, "__wrapped__", function) is creation.range:
        return tensor_range
    return converted(function)
