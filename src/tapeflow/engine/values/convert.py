"""Converts anything that a user may pass to an op (numbers, lists, numpy and JAX arrays, tensors) to a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.devices import host_memory
from tapeflow.engine.recording.node import Node, host_node, spec_of, spec_of_value
from tapeflow.engine.recording.recorder import foreign_node, is_tracer, tensor_of
from tapeflow.engine.recording.symbolic import MetSymbolic, NoneGiven
from tapeflow.engine.values.conversion import converted, converters
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, int32, int64, string
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor, TensorBase

if TYPE_CHECKING:
    from tapeflow.engine.recording.op import Op
    from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_MOST_NUMBERS = 4096
_numbers: dict[tuple[float, DType], Node] = {}
promotion: Callable[[tuple[Any, ...]], list[Tensor] | None] | None = None
"""What gives inputs one dtype, or None where it has nothing to say, if NumPy's behaviour is enabled."""
_NONE = (
    f"Attempt to convert a value (None) with an unsupported type ({type(None)}) to a Tensor. "
    "A function may have returned nothing, or a gradient may be unconnected."
)


def scalar_node(value: object, dtype: DType) -> Node:
    """A host scalar: an input of the programs that use it, never a constant in them."""
    spec = spec_of((), dtype)
    try:
        array = np.array(value, spec.np_dtype)
    except OverflowError:  # wraps, as it would in an op
        array = np.asarray(value).astype(spec.np_dtype)
    return Node(spec, array, True)


def _number_node(value: float, dtype: DType) -> Node:
    """A number that meets a floating tensor; it stays a Python number until a program packs it.

    The same numbers come again and again. Wherever one is used it is a leaf of its own, so that programs
    do not depend on which numbers happen to be equal.
    """
    node = _numbers.get((value, dtype))
    if node is None:
        node = Node(spec_of((), dtype), float(value), True)
        if value:  # 0.0 and -0.0 are equal and must be kept apart
            if len(_numbers) >= _MOST_NUMBERS:
                _numbers.clear()
            _numbers[value, dtype] = node
    return node


def convert_inputs(op: Op, args: tuple[Any, ...]) -> tuple[Node, ...]:
    """An op's inputs as nodes, with Python numbers and numpy arrays in the tensors' dtype."""
    if not op.same_dtype:
        return tuple([a._node if type(a) is Tensor else _given_node(op, args, a) for a in args])
    if len(args) == 1 and type(args[0]) is Tensor:
        return (args[0]._node,)
    return _converted(op, args)


def _given_node(op: Op, args: tuple[Any, ...], value: object) -> Node:
    if value is None:
        raise _none_given(op, args)
    return to_node(value)


def _none_given(op: Op, args: tuple[Any, ...]) -> NoneGiven:
    at = next(i for i, a in enumerate(args) if a is None)
    return NoneGiven(f"{op.name} expected tensors; got None as input #{at}(zero-based). {_NONE}")


def convert_pair(op: Op, x: Any, y: Any) -> tuple[Node, ...]:
    """Two inputs of one dtype as nodes; quick for two tensors, and for a tensor and a number."""
    kind, other = type(x), type(y)
    if kind is float or kind is int:
        if other is Tensor or issubclass(other, TensorBase):
            node = y._node if other is Tensor else y._as_node()
            if node.spec.dtype.is_floating:
                return _number_node(x, node.spec.dtype), node
    elif kind is Tensor or issubclass(kind, TensorBase):
        node = x._node if kind is Tensor else x._as_node()
        dtype = node.spec.dtype
        if other is float or other is int:
            if dtype.is_floating:
                return node, _number_node(y, dtype)
        elif other is Tensor or issubclass(other, TensorBase):
            second = y._node if other is Tensor else y._as_node()
            if second.spec.dtype is dtype:
                return node, second
    return _converted(op, (x, y))


def _converted(op: Op, args: tuple[Any, ...]) -> tuple[Node, ...]:
    if promotion is not None and (promoted := promotion(args)) is not None:
        return tuple([t._node for t in promoted])
    dtype: DType | None = None
    nodes: list[Any] = []
    is_full = True
    for a in args:
        if not isinstance(a, TensorBase):
            if a is None:
                raise _none_given(op, args)
            nodes.append(None)
            is_full = False
            continue
        node = a._as_node()
        nodes.append(node)
        if dtype is None:
            dtype = node.spec.dtype
        elif node.spec.dtype is not dtype:
            raise _mismatch(op, nodes)
    if is_full:
        return tuple(nodes)
    if dtype is None:
        return tuple(_without_tensors(args))
    return tuple(_joined(op, args, nodes, dtype))


def _joined(op: Op, args: tuple[Any, ...], nodes: list[Any], dtype: DType) -> list[Node]:
    """Tensors (`nodes`, where there is one) and the values they are combined with, in one dtype."""
    if dtype.is_integer and any(_is_floating(a) for a in args):
        from tapeflow.engine.primitives import cast_node  # cycle

        nodes = [None if n is None else cast_node(n, float32) for n in nodes]
        dtype = float32
    joined = [_with_dtype(a, dtype) if n is None else n for n, a in zip(nodes, args, strict=True)]
    if any(n.spec.dtype is not dtype for n in joined):
        raise _mismatch(op, joined)
    return joined


def _is_floating(value: object) -> bool:
    if isinstance(value, (float, np.floating)):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f"
    return isinstance(value, (list, tuple)) and any(_is_floating(v) for v in value)


def _without_tensors(args: tuple[Any, ...]) -> list[Node]:
    """The nodes of inputs without a tensor: in numpy's dtype if there is an array, else in the widest Python type."""
    typed = next((as_dtype(a.dtype) for a in args if isinstance(a, (np.ndarray, np.generic))), None)
    if typed is None:
        nodes = [to_node(a) for a in args]
        dtypes = {n.spec.dtype for n in nodes}
        if len(dtypes) == 1:
            return nodes
        typed = float32 if any(d.is_floating for d in dtypes) else next(iter(dtypes))
    return [_with_dtype(a, typed) for a in args]


def _with_dtype(value: object, dtype: DType) -> Node:
    kind = type(value)
    if dtype is string or kind is str or kind is bytes or (kind is complex and not dtype.is_complex):
        return to_node(value)  # of another dtype: the caller says so
    if kind is float or kind is int or kind is bool or kind is complex:
        return scalar_node(value, dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        # TensorFlow converts numpy to the dtype of the tensor it meets.
        if value.dtype.kind in "OSU":
            return to_node(value)
        return host_node(np.array(value, dtype.as_numpy_dtype))
    return to_node(value, dtype)


def _mismatch(op: Op, nodes: list[Any]) -> errors.InvalidArgumentError:
    got = ", ".join("a number" if n is None else repr(n.spec) for n in nodes)
    dtypes = {i: n.spec.dtype for i, n in enumerate(nodes) if n is not None}
    first = next(iter(dtypes.values()))
    at = next(i for i, d in dtypes.items() if d is not first)
    return errors.InvalidArgumentError(
        None,
        None,
        f"cannot compute {op.name} as input #{at}(zero-based) was expected to be a {first.name} tensor "
        f"but is a {dtypes[at].name} tensor; got {got}. Use tf.cast to give the inputs one dtype.",
    )


def to_node(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Node:
    """A node for any value; raises if the value cannot have the given dtype."""
    if isinstance(value, TensorBase):
        node = value._as_node()
        if dtype is not None and node.spec.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{node.spec.dtype.name}: {value!r}. Use tf.cast."
            )
        return node
    kind = type(value)
    if kind is float and dtype is float32 and -_FLOAT32_MAX <= value <= _FLOAT32_MAX:
        return host_node(np.array(value, np.float32), spec_of((), float32))
    if isinstance(value, (np.ndarray, np.generic)):
        if dtype is None and hint is not None and _suits(value, hint):
            dtype = hint
        return _from_numpy(value, dtype)
    if isinstance(value, jax.Array):
        node = foreign_node(value) if is_tracer(value) else Node(spec_of_value(value), value)
        if dtype is not None and node.spec.dtype is not dtype:
            from tapeflow.engine.primitives import cast_node  # cycle

            return cast_node(node, dtype)
        return node
    if converters and (made := converted(value, dtype)) is not NotImplemented:
        return to_node(made, dtype)
    if hasattr(value, "__tf_tensor__"):
        return to_node(value.__tf_tensor__(dtype), dtype)
    if hasattr(value, "__array__"):  # images, data frames, other frameworks' tensors
        return _from_numpy(np.asarray(value), dtype)
    return _from_python(value, dtype, hint)


def _suits(value: Any, hint: DType) -> bool:
    """Whether numpy numbers may take a preferred dtype without losing their kind."""
    kind = value.dtype.kind
    return (kind in "iuf" and hint.is_floating) or (kind in "iu" and hint.is_integer)


def _from_numpy(value: object, dtype: DType | None) -> Node:
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        return _from_python(array.tolist(), dtype, None, shape=array.shape)
    if dtype is None:
        return host_node(host_memory.copied(array))
    if dtype is string:
        raise TypeError(
            f"convert_to_tensor expected strings for dtype=tf.string; got a numpy array of {array.dtype}."
        )
    if dtype.is_integer and array.dtype.kind in "fc" and isinstance(value, np.ndarray) is False:
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype {dtype.name}.")
    return host_node(host_memory.copied(array, np.dtype(dtype.as_numpy_dtype)))


def _from_python(
    value: object, dtype: DType | None, hint: DType | None, shape: tuple[int, ...] | None = None
) -> Node:
    if value is None:
        raise NoneGiven(_NONE)
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _stacked(value, dtype)
    if isinstance(value, (range, TensorShape)):
        value = list(value)
    kinds: set[type] = set()
    _collect_kinds(value, kinds)
    if str in kinds or bytes in kinds or (dtype is string and not kinds):
        return _strings(value, kinds, dtype, shape)
    wanted = dtype or _python_dtype(value, kinds, hint)
    if wanted is string:
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype string.")
    if (
        (float in kinds and wanted.is_integer)
        or (complex in kinds and not wanted.is_complex)
        or (wanted.is_bool and kinds - {bool, np.bool_})
    ):
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype {wanted.name}.")
    try:
        if wanted.is_integer and not isinstance(value, np.ndarray):
            exact = np.array(value, dtype=object if _too_big(value) else None)
            info = (wanted.min, wanted.max)
            if exact.size and (exact.min() < info[0] or exact.max() > info[1]):
                raise OverflowError
        with np.errstate(over="ignore"):
            array = np.array(value, dtype=wanted.as_numpy_dtype)
        if wanted is float32 and float in kinds and _overflowed(array, value):
            raise OverflowError
    except OverflowError:
        raise ValueError(
            f"convert_to_tensor expected values that fit dtype {wanted.name}; got {value!r}. "
            "Give a wider dtype, such as tf.int64."
        ) from None
    except MetSymbolic:
        raise
    except (ValueError, TypeError):
        raise ValueError(_ragged_or_unsupported(value)) from None
    return host_node(array)


def _overflowed(array: np.ndarray, value: object) -> bool:
    return not np.isfinite(array).all() and bool(np.isfinite(np.array(value, float))[np.isinf(array)].any())


def _too_big(value: object) -> bool:
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, (list, tuple)) and any(_too_big(v) for v in value)


def _ragged_or_unsupported(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return (
            "Can't convert non-rectangular Python sequence to Tensor: the rows differ in length. "
            "Pad them (tf.keras.utils.pad_sequences) or make one tensor a row."
        )
    return (
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor. "
        "Pass numbers, strings, lists of them, or an array."
    )


def _collect_kinds(value: object, kinds: set[type]) -> None:
    if isinstance(value, (list, tuple)):
        for v in value:
            _collect_kinds(v, kinds)
    elif isinstance(value, bool):
        kinds.add(bool)
    elif isinstance(value, np.ndarray):
        kinds.add({"f": float, "b": bool, "c": complex}.get(value.dtype.kind, int))
    else:
        for kind in (bool, np.bool_, int, np.integer, float, np.floating, complex, str, bytes, np.generic):
            if isinstance(value, kind):
                kinds.add({np.integer: int, np.floating: float, np.bool_: bool}.get(kind, kind))
                return
        if hasattr(value, "__array__") or hasattr(value, "__index__"):
            kinds.add(int)
            return
        raise ValueError(_ragged_or_unsupported(value))


def _python_dtype(value: object, kinds: set[type], hint: DType | None) -> DType:
    if bool in kinds and len(kinds) > 1:
        raise ValueError(
            "Can't convert Python sequence with mixed types to Tensor: it holds booleans and numbers. "
            "Convert them to one type first."
        )
    typed = [v.dtype for v in _leaves(value) if isinstance(v, (np.ndarray, np.generic))]
    if typed and any(d.kind != "i" for d in typed):  # numpy integers count as Python's
        return as_dtype(np.result_type(*typed))
    if hint is not None and hint is not string and not (float in kinds and hint.is_integer):
        return hint
    if complex in kinds:
        return as_dtype("complex128")
    if bool in kinds:
        return as_dtype("bool")
    if float in kinds or not kinds:
        return float32
    if all(np.min(v) >= _INT32_MIN and np.max(v) <= _INT32_MAX for v in _leaves(value) if np.size(v)):
        return int32
    return int64


def _leaves(value: object) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in _leaves(v)]
    return [value]


def _strings(value: Any, kinds: set[type], dtype: DType | None, shape: Any) -> Node:
    if dtype is not None and dtype is not string:
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype {dtype.name}.")
    if kinds - {str, bytes}:
        raise ValueError(
            "Can't convert Python sequence with mixed types to Tensor: it holds strings and numbers. Convert "
            "them to one type first."
        )
    array = np.array(value, dtype=object)
    if any(isinstance(v, (list, tuple)) for v in array.ravel()):
        raise ValueError(_ragged_or_unsupported(value))
    flat = [v.encode() if isinstance(v, str) else v for v in array.ravel()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    out = out.reshape(array.shape if shape is None else shape)
    return host_node(out, spec_of(out.shape, string))


def _holds_tensors(value: Any) -> bool:
    return any(
        isinstance(v, TensorBase) or (isinstance(v, (list, tuple)) and _holds_tensors(v)) for v in value
    )


def _stacked(value: Any, dtype: DType | None) -> Node:
    """A list with tensors among its elements, packed into one tensor."""
    from tapeflow.engine.primitives import stack_op  # cycle

    hint = dtype or next((v.dtype for v in _leaves(value) if isinstance(v, TensorBase)), None)
    rows = []
    for v in value:
        node = v._as_node() if isinstance(v, TensorBase) else to_node(v, None, hint)
        if hint is not None and node.spec.dtype is not hint:
            raise TypeError(
                f"Cannot convert {v!r} to a tensor of dtype {hint.name}: the list's other elements have it."
            )
        rows.append(node)
    if len({n.spec.shape for n in rows}) > 1:
        raise ValueError(_ragged_or_unsupported(value))
    return stack_op(*[tensor_of(n) for n in rows], axis=0)._node


def convert_to_tensor(
    value: object,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convert numbers, lists, arrays or Variables to a `Tensor`.

    Args:
        value: what to convert; a `Tensor` is returned as it is.
        dtype: the dtype to have; an error if the value cannot take it.
        dtype_hint: a dtype to prefer where the value leaves it open.
        name: ignored.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    return tensor_of(to_node(value, wanted, hint))


def constant(
    value: object,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | TensorLike | None = None,
    name: str = "Const",
) -> Tensor:
    """A tensor of a constant value, given a dtype or a shape to fill if wished.

    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    """
    if isinstance(value, TensorBase) and dtype is not None and value.dtype is not as_dtype(dtype):
        raise TypeError(
            f"tf.constant expected a value of dtype {as_dtype(dtype).name}; got a tensor of "
            f"{value.dtype.name}. Use tf.cast."
        )
    node = to_node(value, None if dtype is None else as_dtype(dtype))
    if shape is None:
        return tensor_of(node)
    array = np.asarray(tensor_of(node).numpy(), dtype=node.spec.np_dtype)
    target = tuple(int(d) for d in np.atleast_1d(np.asarray(shape)).tolist()) if shape != () else ()
    if array.size == 1:
        array = np.broadcast_to(array.reshape(()), target).copy()
    elif array.size == int(np.prod(target)):
        array = array.reshape(target)
    else:
        raise TypeError(
            f"tf.constant expected {int(np.prod(target))} elements for shape={target}; got {array.size} "
            f"(from value of shape {array.shape}). Give one value to fill the shape, or exactly as many."
        )
    return tensor_of(host_node(array, spec_of(target, node.spec.dtype)))
