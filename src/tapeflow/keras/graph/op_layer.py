"""Layers that stand for calls of tf functions and operators on symbolic tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values import nest
from tapeflow.keras.graph.composite_tensor import (
    RAGGED_METHODS,
    RAGGED_PROPERTIES,
    SPARSE_METHODS,
    SPARSE_PROPERTIES,
    symbol_like,
)
from tapeflow.keras.graph.keras_tensor import COMPARISONS, OPERATORS, UNARY, Calls, KerasTensor
from tapeflow.keras.graph.tensor_functions import ELSEWHERE, KERAS_SPACES, SPACES, namespace, tensor_function
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.naming import unique_name
from tapeflow.ops.ragged.tensor import RAGGED_CONSTRUCTORS

_FIRST_VERSION = "compat.v1."
# What Keras 2 calls functions: by the first of their names in TensorFlow, often one of its first version's namespace.
_NAMES = {
    **dict.fromkeys(("math.softmax", "keras.activations.softmax"), "nn.softmax"),
    "math.log_softmax": "nn.log_softmax",
    "keras.activations.sigmoid": "math.sigmoid",
    "complex": "dtypes.complex",
    "math.divide": "math.truediv",
    "math.floordiv": "compat.v1.floor_div",
    "linalg.norm": "compat.v1.norm",
    "linalg.einsum": "einsum",
    "linalg.eye": "eye",
    "linalg.tensordot": "tensordot",
    "nn.softmax_cross_entropy_with_logits": "compat.v1.nn.softmax_cross_entropy_with_logits_v2",
    **{
        name: _FIRST_VERSION + name
        for name in (
            *(
                "squeeze",
                "transpose",
                "shape",
                "gather",
                "gather_nd",
                "pad",
                "size",
                "boolean_mask",
                "nn.conv1d",
            ),
            *("math.scalar_mul", "nn.crelu", "nn.embedding_lookup", "nn.sigmoid_cross_entropy_with_logits"),
        )
    },
}
_OURS = {theirs: ours for ours, theirs in _NAMES.items()}
_OPERATORS = {**OPERATORS, **COMPARISONS, **UNARY}
# The functions as which Keras keeps operators.
_PUBLIC = {
    "sub": "math.subtract",
    "mul": "math.multiply",
    "truediv": "math.truediv",
    "floordiv": "math.floordiv",
    "mod": "math.floormod",
    "pow": "math.pow",
    "matmul": "linalg.matmul",
    "lt": "math.less",
    "le": "math.less_equal",
    "gt": "math.greater",
    "ge": "math.greater_equal",
    "neg": "math.negative",
    "abs": "math.abs",
    "and": "math.logical_and",
    "or": "math.logical_or",
    "invert": "math.logical_not",
}
_LOGICAL = ("and", "or", "invert")  # of numbers they are bitwise


class TFOpLambda(Layer):
    """One call of a tf function in a functional model; made whenever a function meets a KerasTensor.

    Args:
        function: the function, or its name in the `tf` namespace (`'math.reduce_mean'`), if it only makes tensors of
            tensors.
    """

    def __init__(self, function: Any, **kwargs: Any) -> None:
        self.function = _named(function) if isinstance(function, str) else function
        self.symbol = _name_of(self.function)
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name(f"tf.{_NAMES.get(self.symbol, self.symbol)}")
        super().__init__(**kwargs)
        self.built = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # The function's arguments are its own: no `training`, no mask, no casting.
        if any(isinstance(leaf, Symbolic) for leaf in nest.flatten((args, kwargs))):
            return self._symbolic_call(args, kwargs)
        return self.function(*args, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        # A name that the user registered has become a function on the way here; no file may have it called.
        function = config.get("function", "")
        if not isinstance(function, str):
            raise ValueError(_unknown(getattr(function, "__name__", repr(function))))
        return super().from_config(config)

    def copied(self) -> TFOpLambda:
        """A layer for another model that calls the same function, whatever that is."""
        return type(self)(self.function, name=self.name)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "function": _NAMES.get(self.symbol, self.symbol)}


class SlicingOpLambda(TFOpLambda):
    """Indexing of a symbolic tensor: `x[:, 0]`."""

    def __init__(self, function: Any = "__operators__.getitem", **kwargs: Any) -> None:
        super().__init__(function, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = nest.map_structure(_without_slice, (args, kwargs))
        return super().__call__(*args, **kwargs)


class ClassMethod(TFOpLambda):
    """A ragged tensor made of symbolic ones: `tf.RaggedTensor.from_row_splits(values, row_splits)`.

    Args:
        cls_symbol: the class, below `tf`.
        method_name: its method. Both may come from a file, so they are among those that are known.
    """

    def __init__(self, cls_symbol: str, method_name: str, **kwargs: Any) -> None:
        if cls_symbol != "RaggedTensor" or method_name not in RAGGED_CONSTRUCTORS:
            raise ValueError(
                f"ClassMethod expected RaggedTensor and one of {sorted(RAGGED_CONSTRUCTORS)}; got "
                f"cls_symbol={cls_symbol!r}, method_name={method_name!r}."
            )
        self.cls_symbol, self.method_name = cls_symbol, method_name
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name(f"tf.{cls_symbol}.{method_name}")
        super().__init__(self._made, **kwargs)

    def _made(
        self, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:  # the names that Keras writes down
        return getattr(tf.RaggedTensor, self.method_name)(*_listed(args), **(kwargs or {}))

    def made_results(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        inner_args, inner_kwargs = (*args, {})[:2] if args else (kwargs["args"], kwargs.get("kwargs") or {})
        method = getattr(tf.RaggedTensor, self.method_name)
        bound = inspect.signature(method).bind(*_listed(inner_args), **inner_kwargs).arguments
        return symbol_like(_ragged_spec(self.method_name, bound))

    def copied(self) -> TFOpLambda:
        return type(self)(self.cls_symbol, self.method_name, name=self.name)

    def get_config(self) -> dict[str, Any]:
        given = {"cls_symbol": self.cls_symbol, "method_name": self.method_name}
        return {**Layer.get_config(self), **given}


def _listed(args: Any) -> Any:
    """The arguments; a config has a single one without its list."""
    return args if isinstance(args, (list, tuple)) else (args,)


def _ragged_spec(method: str, arguments: dict[str, Any]) -> tf.RaggedTensorSpec:
    """What a constructor of ragged tensors gives, before there are values."""
    if method == "from_tensor":
        tensor = arguments["tensor"]
        return tf.RaggedTensorSpec(tensor.shape, tensor.dtype, arguments.get("ragged_rank", 1))
    if method == "from_sparse":
        return tf.RaggedTensorSpec((None, None), arguments["st_input"].dtype, 1)
    values = arguments["values"]
    length = arguments["uniform_row_length"] if method == "from_uniform_row_length" else None
    shape = (None, length if isinstance(length, int) else None, *tuple(values.shape)[1:])
    inner = getattr(values, "ragged_rank", 0)
    return tf.RaggedTensorSpec(shape, values.dtype, inner + 1)


class InstanceProperty(TFOpLambda):
    """What a ragged or sparse tensor has: `x.flat_values`.

    Args:
        attr_name: the attribute. It may come from a file, so it is one of those that symbols have.
    """

    known: ClassVar[frozenset[str]] = frozenset({*RAGGED_PROPERTIES, *SPARSE_PROPERTIES, "_keras_mask"})

    def __init__(self, attr_name: str, **kwargs: Any) -> None:
        if attr_name not in self.known:
            raise ValueError(
                f"{type(self).__name__} expected attr_name to be one of {sorted(self.known)}; got {attr_name!r}."
            )
        self.attr_name = attr_name
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name(f"input.{attr_name}")
        super().__init__(self._asked, **kwargs)

    def _asked(self, obj: object) -> Any:
        return getattr(obj, self.attr_name)

    def copied(self) -> TFOpLambda:
        return type(self)(self.attr_name, name=self.name)

    def get_config(self) -> dict[str, Any]:
        return {**Layer.get_config(self), "attr_name": self.attr_name}


class InstanceMethod(InstanceProperty):
    """What a ragged or sparse tensor can do: `x.to_tensor()`."""

    known: ClassVar[frozenset[str]] = frozenset({*RAGGED_METHODS, *SPARSE_METHODS})

    def _asked(
        self, obj: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:  # the names that Keras writes down
        return getattr(obj, self.attr_name)(*args, **(kwargs or {}))


def operator_call(name: str, *operands: Any) -> Any:
    """The symbol for an operator applied to operands of which one is symbolic."""
    if name in _PUBLIC and (name not in _LOGICAL or all(x.dtype.is_bool for x in operands)):
        return TFOpLambda(_named(_PUBLIC[name]))(*operands)
    return TFOpLambda(_operator_function(name))(*operands)


@functools.cache
def _operator_function(name: str) -> Callable[..., Any]:
    if name == "getitem":
        return _getitem
    operate = _OPERATORS.get(name)
    if operate is None:
        raise ValueError(_unknown(f"__operators__.{name}"))

    # The names of the arguments are those that Keras writes into a config.
    def binary(x: Any, y: Any, name: str | None = None) -> Any:
        return operate(x, y)

    def unary(x: Any, name: str | None = None) -> Any:
        return operate(x)

    function = unary if name in UNARY else binary
    function.__name__ = name
    function.__qualname__ = f"__operators__.{name}"
    return function


def _getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    is_several = isinstance(slice_spec, (list, tuple))
    if isinstance(tensor, list):  # a constant, out of a config
        tensor = tf.constant(tensor)
    return tensor[tuple(map(_with_slice, slice_spec)) if is_several else _with_slice(slice_spec)]


def _without_slice(part: Any) -> Any:
    """A slice with symbols in it as a structure, in which they are found."""
    if not isinstance(part, slice):
        return part
    ends = {"start": part.start, "stop": part.stop, "step": part.step}
    return ends if any(isinstance(end, Symbolic) for end in ends.values()) else part


def _with_slice(part: Any) -> Any:
    return slice(part["start"], part["stop"], part["step"]) if isinstance(part, dict) else part


_getitem.__qualname__ = "__operators__.getitem"


def _name_of(function: Callable[..., Any]) -> str:
    """The function's name in the `tf` namespace."""
    qualified = function.__qualname__
    if qualified.startswith("__operators__."):
        return qualified
    name = function.__name__
    for space in (*SPACES, *KERAS_SPACES):
        if getattr(namespace(space), name, None) is function:
            return f"{space}.{name}"
    for path in ELSEWHERE:
        if path.rpartition(".")[2] == name:
            return path
    return name


def _named(path: str) -> Callable[..., Any]:
    """The function of a name that may come from a file."""
    space, _, name = path.removeprefix(_FIRST_VERSION).rpartition(".")
    if space == "__operators__":
        return _operator_function(name)
    function = tensor_function(path.removeprefix(_FIRST_VERSION))
    if function is not None:
        return function
    if path in _OURS:
        return _named(_OURS[path])
    raise ValueError(_unknown(path))


def _unknown(path: str) -> str:
    return (
        "TFOpLambda expected the name of a tf function that only makes tensors of tensors, such as 'math.reduce_mean'; "
        f"got function={path!r}. Put the call into a Layer of your own."
    )


KerasTensor._calls = Calls(
    function=lambda function, args, kwargs: TFOpLambda(function)(*args, **kwargs),
    operate=operator_call,
    item=lambda tensor, key: SlicingOpLambda()(tensor, key),
    ask=lambda tensor, name: InstanceProperty(name)(tensor),
    method=lambda tensor, name, args, kwargs: InstanceMethod(name)(tensor, args, kwargs),
    construct=lambda made, method, args, kwargs: ClassMethod(made, method)(args, kwargs),
)
