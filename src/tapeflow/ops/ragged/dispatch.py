"""What a public op means for ragged tensors.

Ops that work element by element work on the values. A dense argument of such an op goes with every value
if it is a scalar or has the inner dimensions' shape, and with every row if it has one element for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array import indexing, joining, shaping
from tapeflow.ops.host_args import invalid
from tapeflow.ops.math import arithmetic, comparison, division, power
from tapeflow.ops.nn import activation
from tapeflow.ops.ragged import arranging, construction, masking, padded, partition, reducing
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.ops.ragged.tensor import RaggedTensor

ELEMENTWISE = {
    f"tapeflow.ops.{name}"
    for name in (
        "nn.activation", "math.arithmetic", "math.casting", "debugging.check_numerics", "math.clip",
        "math.comparison", "math.division", "nn.dropout", "math.elementwise", "nn.embedding",
        "math.power", "math.special", "strings.conversion", "strings.text", "strings.hashing",
        "strings.script", "strings.search", "strings.splitting", "strings.unicode",
    )
}  # fmt: skip
_ALSO_ELEMENTWISE = {"one_hot", "ones_like", "zeros_like", "identity", "stop_gradient", "where"}


def called(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of a public op called with ragged tensors among its arguments."""
    name = function.__name__
    own = vars(function).get("_for_ragged")
    if own is not None:
        return own(*args, **kwargs)
    if name in _OWN:
        return _OWN[name](*args, **kwargs)
    if name in _REDUCTIONS:
        return _reduced(name, *args, **kwargs)
    if function.__module__ in ELEMENTWISE or name in _ALSO_ELEMENTWISE:
        return elementwise(function, args, kwargs)
    raise TypeError(
        f"tf.{name} expected tensors; got a ragged tensor, which it does not take. Use to_tensor(), or "
        "tf.ragged.map_flat_values for an op that works on each value."
    )


def for_ragged(function: Callable[..., Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, a public one, which means `own` if there are ragged tensors among its arguments."""
    vars(function)["_for_ragged"] = own
    return function


_REDUCTIONS = tuple(
    f"reduce_{kind}" for kind in ("sum", "prod", "max", "min", "mean", "any", "all", "variance", "std")
)


def operator(name: str, operands: tuple[Any, ...]) -> RaggedTensor:
    """What an operator gives; for one that the other operand does not know, NotImplemented."""
    return elementwise(function_of_operator(name), operands, {})


def function_of_operator(name: str) -> Callable[..., Any]:
    """The public function that does what an operator does."""
    for module in (arithmetic, comparison, division, power):
        function = getattr(module, name, None)
        if function is not None:
            return function
    raise AttributeError(name)


def elementwise(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[Any, Any]) -> RaggedTensor:
    """An op of the values, and of dense arguments that are made to fit them."""
    ragged = [a for a in nest.flatten((args, kwargs)) if isinstance(a, RaggedTensor)]
    widest = max(ragged, key=lambda r: r.ragged_rank)
    draws = function.__module__ == "tapeflow.ops.nn.dropout"  # how many numbers would show
    if args and args[0] is widest and len(ragged) == 1 and _is_alone(args[1:], kwargs) and not draws:
        return widest.mapped(lambda values: function(values, *args[1:], **kwargs))

    def fitted(value: TensorLike) -> Any:
        if isinstance(value, RaggedTensor):
            return _values_like(value, widest, function.__name__)
        if isinstance(value, (Tensor, np.ndarray, list)) and function.__module__ not in _WITH_OTHER_TENSORS:
            return _spread(value, widest, function.__name__)
        return value

    # A list is one dense argument, unless ragged tensors are among its elements.
    flat_args = [_each(fitted, a) for a in args]
    flat_kwargs = {k: _each(fitted, v) for k, v in kwargs.items()}
    return widest.with_flat_values(function(*flat_args, **flat_kwargs))


def _is_alone(args: Any, kwargs: Any) -> bool:
    """Whether the other arguments are no tensors, which would have to be made to fit."""
    return all(a is None or isinstance(a, (bool, int, float, str, DType)) for a in (*args, *kwargs.values()))


_WITH_OTHER_TENSORS = {"tapeflow.ops.nn.embedding", "tapeflow.ops.nn.dropout"}


def _each(function: Callable[[Any], Any], value: TensorLike) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(v, RaggedTensor) for v in value):
        return [function(v) for v in value]
    return function(value)


def _values_like(value: RaggedTensor, widest: RaggedTensor, name: str) -> Tensor:
    if construction.same_rows(value, widest):
        return value.flat_values
    raise invalid(
        f"tf.{name} expected ragged tensors with equal rows: dimensions do not broadcast; got row lengths "
        f"{value.row_lengths().numpy().tolist()} and {widest.row_lengths().numpy().tolist()}."
    )


def _spread(value: Any, widest: RaggedTensor, name: str) -> Tensor:
    """A dense argument as values that go with those of a ragged tensor."""
    dense = convert_to_tensor(value, dtype_hint=widest.dtype)
    rank, depth = len(widest.shape), widest.ragged_rank
    if dense.ndim <= rank - 1 - depth:
        return value
    while dense.ndim < rank:
        dense = shaping.expand_dims(dense, 0)
    shape = dense.shape.as_list()
    rows, inner, index = len(widest._places) - 1, widest, None
    if shape[0] not in (1, rows):
        raise invalid(f"tf.{name} expected {rows} rows, or one; got a tensor of shape {shape}.")
    places = np.arange(rows) if shape[0] == rows else np.zeros(rows, np.int64)
    index = [places]
    for axis in range(1, depth + 1):
        splits = inner._places
        ids, within = partition.row_ids(splits), partition.columns(splits)
        longest = int(np.diff(splits).max(initial=0))
        if shape[axis] not in (1, longest) or (shape[axis] != 1 and (np.diff(splits) != longest).any()):
            raise invalid(
                f"tf.{name} expected a tensor that matches rows of lengths {np.diff(splits).tolist()}; got "
                f"shape {shape}."
            )
        index = [*[i[ids] for i in index], within if shape[axis] != 1 else np.zeros_like(within)]
        inner = inner._values
    return indexing.gather_nd(dense, np.stack(index, axis=1))


def _reduced(
    kind: str,
    input_tensor: RaggedTensor,
    axis: int | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    return reducing.reduce(kind, input_tensor, axis, keepdims)


def _size(input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    return shaping.size(input.flat_values, out_type)


def _softmax(logits: RaggedTensor, axis: int | None = None, name: str | None = None) -> RaggedTensor:
    """Along rows, or along an axis of the values."""
    rank, depth = len(logits.shape), logits.ragged_rank
    number = rank - 1 if axis is None else axis % rank
    if number > depth:
        return logits.mapped(lambda values: activation.softmax(values, number - depth))
    if number != depth:
        raise invalid(
            f"tf.nn.softmax expected the innermost ragged axis ({depth}) or one behind it; got axis={axis}."
        )
    filled = padded.to_tensor(logits, logits.dtype.min, None)
    weights = activation.softmax(filled, number)
    return padded.from_tensor(weights, logits.nested_row_lengths(), None, depth, logits.row_splits.dtype)


def _rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    return convert_to_tensor(len(input.shape))


def _shape(input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    return input.bounding_shape(out_type=out_type)


def _stack(values: TensorLike, axis: int = 0, name: str | None = None) -> Any:
    return arranging.stack(values, axis)


def _map_fn(
    fn: Callable[..., Any], elems: TensorLike, *rest: Any, fn_output_signature: Any = None, **kwargs: Any
) -> Any:
    """Row by row; the results are ragged if they are rows themselves or the signature says so."""
    parts = nest.flatten(elems)
    count = len(parts[0]._places) - 1 if isinstance(parts[0], RaggedTensor) else len(parts[0])
    rows = [fn(nest.map_structure(lambda e, i=i: e[i], elems)) for i in range(count)]
    flat = [nest.flatten(r) for r in rows]
    wanted = nest.flatten(fn_output_signature)
    found = []
    for k, column in enumerate(zip(*flat, strict=True)):
        asked = wanted[k] if k < len(wanted) else None
        is_row = fn_output_signature is None and len(getattr(column[0], "shape", ())) > 0
        is_ragged = (
            isinstance(asked, RaggedTensorSpec) or is_row or any(isinstance(c, RaggedTensor) for c in column)
        )
        found.append(arranging.stack(list(column)) if is_ragged else joining.stack(list(column)))
    return nest.pack_sequence_as(rows[0], found)


def _boolean_mask(tensor: TensorLike, mask: Any, axis: object = None, name: str | None = None) -> Any:
    return masking.boolean_mask(tensor, mask)


def _convert(value: RaggedTensor, *_: Any, **__: Any) -> Any:
    raise ValueError(
        f"tf.convert_to_tensor expected rows of one length; got a ragged tensor of shape {value.shape}. Use "
        "to_tensor()."
    )


_OWN: dict[str, Callable[..., Any]] = {
    "boolean_mask": _boolean_mask,
    "concat": arranging.concat,
    "constant": _convert,
    "convert_to_tensor": _convert,
    "expand_dims": arranging.expand_dims,
    "gather": arranging.gather,
    "map_fn": _map_fn,
    "rank": _rank,
    "reverse": arranging.reverse,
    "shape": _shape,
    "size": _size,
    "softmax": _softmax,
    "squeeze": arranging.squeeze,
    "stack": _stack,
    "tile": arranging.tile,
    "type_spec_from_value": lambda value: value._type_spec,
    "zeros_like": lambda input, dtype=None, **_: padded.zeros_like(input, dtype),
}


def install() -> None:
    """Give ragged tensors their operators, and public ops that meet one their meaning."""
    RaggedTensor._called = staticmethod(called)
    RaggedTensor._operated = staticmethod(operator)
