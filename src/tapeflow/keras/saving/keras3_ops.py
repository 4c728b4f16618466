"""Calls of tf functions in a functional model, as the operations that Keras 3 writes in their place.

Keras 3 has a class for each operation, whose config holds what is not a tensor. Calls without a
counterpart here are written by the function's tf name, as Keras 2 does: such a file loads in TapeFlow only.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tapeflow.keras.graph.op_layer import SlicingOpLambda, TFOpLambda

_PREFIX = "keras.src.ops."


@dataclass(frozen=True)
class _Operation:
    """A tf function and its counterpart.

    Attributes:
        symbol: the function's name in tf.
        module: where Keras 3 has the class.
        class_name: the class.
        tensors: the function's names of the arguments that the operation is called with, in its order.
        config: what Keras 3's config calls the function's other arguments.
    """

    symbol: str
    module: str
    class_name: str
    tensors: tuple[str, ...]
    config: dict[str, str] = field(default_factory=dict)


def _operations() -> list[_Operation]:
    pairs = ("x", "y")
    two = {
        "__operators__.add": "Add",
        "math.add": "Add",
        "math.subtract": "Subtract",
        "math.multiply": "Multiply",
        "math.truediv": "TrueDivide",
        "math.divide": "Divide",
        "math.floordiv": "FloorDivide",
        "math.floormod": "Mod",
        "math.pow": "Power",
        "math.maximum": "Maximum",
        "math.minimum": "Minimum",
        "math.equal": "Equal",
        "math.not_equal": "NotEqual",
        "math.less": "Less",
        "math.less_equal": "LessEqual",
        "math.greater": "Greater",
        "math.greater_equal": "GreaterEqual",
        "math.logical_and": "LogicalAnd",
        "math.logical_or": "LogicalOr",
        "math.logical_xor": "LogicalXor",
    }
    one = {
        "math.negative": "Negative",
        "math.abs": "Absolute",
        "math.exp": "Exp",
        "math.expm1": "Expm1",
        "math.log": "Log",
        "math.log1p": "Log1p",
        "math.sqrt": "Sqrt",
        "math.square": "Square",
        "math.tanh": "Tanh",
        "math.sin": "Sin",
        "math.cos": "Cos",
        "math.tan": "Tan",
        "math.floor": "Floor",
        "math.ceil": "Ceil",
        "math.sign": "Sign",
        "math.logical_not": "LogicalNot",
        "math.reciprocal": "Reciprocal",
    }
    reduced = {
        "math.reduce_mean": "Mean",
        "math.reduce_sum": "Sum",
        "math.reduce_max": "Max",
        "math.reduce_min": "Min",
        "math.reduce_prod": "Prod",
        "math.reduce_std": "Std",
        "math.reduce_variance": "Var",
        "math.reduce_any": "Any",
        "math.reduce_all": "All",
    }
    axes = {"axis": "axis", "keepdims": "keepdims"}
    axis = {"axis": "axis"}
    return [
        *[_Operation(symbol, "numpy", name, pairs) for symbol, name in two.items()],
        *[_Operation(symbol, "numpy", name, ("x",)) for symbol, name in one.items()],
        *[_Operation(symbol, "numpy", name, ("input_tensor",), axes) for symbol, name in reduced.items()],
        _Operation("math.reduce_logsumexp", "math", "Logsumexp", ("input_tensor",), axes),
        _Operation("linalg.matmul", "numpy", "Matmul", ("a", "b")),
        _Operation("__operators__.getitem", "numpy", "GetItem", ("tensor", "slice_spec")),
        _Operation("reshape", "numpy", "Reshape", ("tensor",), {"shape": "newshape"}),
        _Operation("transpose", "numpy", "Transpose", ("a",), {"perm": "axes"}),
        _Operation("expand_dims", "numpy", "ExpandDims", ("input",), axis),
        _Operation("squeeze", "numpy", "Squeeze", ("input",), axis),
        _Operation("concat", "numpy", "Concatenate", ("values",), axis),
        _Operation("stack", "numpy", "Stack", ("values",), axis),
        _Operation("where", "numpy", "Where", ("condition", "x", "y")),
        _Operation(
            "clip_by_value", "numpy", "Clip", ("t",), {"clip_value_min": "x_min", "clip_value_max": "x_max"}
        ),
        _Operation("cast", "core", "Cast", ("x",), {"dtype": "dtype"}),
        _Operation("math.rsqrt", "math", "Rsqrt", ("x",)),
        _Operation("math.erf", "math", "Erf", ("x",)),
        _Operation("math.sigmoid", "nn", "Sigmoid", ("x",)),
        _Operation("nn.relu", "nn", "Relu", ("features",)),
        _Operation("nn.relu6", "nn", "Relu6", ("features",)),
        _Operation("nn.silu", "nn", "Silu", ("features",)),
        _Operation("nn.elu", "nn", "Elu", ("features",)),
        _Operation("nn.selu", "nn", "Selu", ("features",)),
        _Operation("math.softplus", "nn", "Softplus", ("features",)),
        _Operation("math.softmax", "nn", "Softmax", ("logits",), axis),
        _Operation("math.log_softmax", "nn", "LogSoftmax", ("logits",), axis),
        _Operation("nn.gelu", "nn", "Gelu", ("features",), {"approximate": "approximate"}),
        _Operation("nn.leaky_relu", "nn", "LeakyRelu", ("features",), {"alpha": "negative_slope"}),
    ]


_BY_SYMBOL = {operation.symbol: operation for operation in _operations()}
_BY_CLASS = {(operation.module, operation.class_name): operation for operation in reversed(_operations())}


def operation_call(layer: TFOpLambda, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[Any]] | None:
    """The layer's dict in a config and the arguments of its call, as Keras 3 has them; None if it has not.

    Args:
        layer: stands for a tf function.
        arguments: what the function is called with, by name.
    """
    operation = _BY_SYMBOL.get(layer.symbol)
    if operation is None:
        return None
    given = _with_defaults(layer, arguments, operation)
    others = {k: v for k, v in arguments.items() if k not in given and v is not None and v is not False}
    if others or not all(k in given for k in operation.tensors):
        return None
    config = {theirs: _static(given[ours]) for ours, theirs in operation.config.items() if ours in given}
    written = {
        "module": _PREFIX + operation.module,
        "class_name": operation.class_name,
        "config": {"name": layer.name, **config},
        "registered_name": operation.class_name,
        "name": layer.name,
    }
    return written, [given[name] for name in operation.tensors]


def _with_defaults(layer: TFOpLambda, arguments: dict[str, Any], operation: _Operation) -> dict[str, Any]:
    """The arguments that the operation knows, defaults filled in: those of Keras differ from tf's."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(layer.function).parameters.items():
        if name not in (*operation.tensors, *operation.config):
            continue
        if name in arguments:
            found[name] = arguments[name]
        elif parameter.default is not inspect.Parameter.empty:
            found[name] = parameter.default
    return found


def _static(value: object) -> Any:
    return getattr(value, "name", None) or (list(value) if isinstance(value, tuple) else value)


def is_operation(config: dict[str, Any]) -> bool:
    """Whether a layer's dict in a config is an operation of Keras 3."""
    return str(config.get("module")).startswith((_PREFIX, "keras.ops"))


def operation_layer(config: dict[str, Any]) -> TFOpLambda:
    """The layer that stands for an operation."""
    operation = _operation(config)
    make = SlicingOpLambda if operation.class_name == "GetItem" else TFOpLambda
    return make(operation.symbol, name=config["config"].get("name", config.get("name")))


def function_arguments(config: dict[str, Any], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments, by name, of the tf function that stands for a call of an operation."""
    operation = _operation(config)
    found = {**dict(zip(operation.tensors, args, strict=False)), **kwargs}
    for ours, theirs in operation.config.items():
        if theirs in config["config"]:
            found[ours] = config["config"][theirs]
    return found


def _operation(config: dict[str, Any]) -> _Operation:
    module = str(config["module"]).rpartition(".")[2]
    found = _BY_CLASS.get((module, config["class_name"]))
    if found is None:
        raise ValueError(
            f"Loading expected operations that TapeFlow has; got Keras 3's {config['module']}."
            f"{config['class_name']} (layer {config.get('name')!r}). Put the call into a Layer of your own, and pass "
            "that as custom_objects."
        )
    return found
