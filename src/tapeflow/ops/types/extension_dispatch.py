"""What ops do with extension types: `tf.experimental.dispatch_for_api` and its kin.

A public op that meets an extension type hands its call over, and the first registered function whose annotated
parameters fit the arguments answers it.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.types.extension_type import ExtensionType, accepts

_Function = TypeVar("_Function", bound=Callable[..., Any])

UNARY = frozenset(
    (
        *("abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "bessel_i0", "bessel_i0e"),
        *("bessel_i1", "bessel_i1e", "bitcast", "cast", "ceil", "check_numerics", "clip_by_value", "conj"),
        *("cos", "cosh", "digamma", "dropout", "elu", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1"),
        *("floor", "gelu", "identity", "imag", "is_finite", "is_inf", "is_nan", "leaky_relu", "lgamma"),
        *("log", "log1p", "log_sigmoid", "logical_not", "ndtri", "negative", "ones_like", "real"),
        *("reciprocal", "reciprocal_no_nan", "relu", "relu6", "rint", "round", "rsqrt", "saturate_cast"),
        *("selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "softsign", "sqrt", "square"),
        *("stop_gradient", "swish", "tan", "tanh", "zeros_like"),
    )
)
"""Ops of one tensor, element by element."""
BINARY = frozenset(
    (
        *("add", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "complex", "divide", "divide_no_nan"),
        *("equal", "floordiv", "floormod", "greater", "greater_equal", "left_shift", "less", "less_equal"),
        *("logical_and", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply"),
        *("multiply_no_nan", "not_equal", "polygamma", "pow", "realdiv", "right_shift", "squared_difference"),
        *("subtract", "truediv", "truncatediv", "truncatemod", "xdivy", "xlog1py", "xlogy", "zeta"),
    )
)
"""Ops of two tensors, element by element."""
ASSERTS = frozenset(
    (
        *("assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal"),
        *("assert_near", "assert_none_equal"),
    )
)
"""Assertions of two tensors, element by element."""


class _Rule(NamedTuple):
    """A function and the types of the arguments it takes: by name, or of the first ones."""

    function: Callable[..., Any]
    types: Any


_by_api: dict[Callable[..., Any], list[_Rule]] = {}
_by_kind: dict[frozenset[str], list[_Rule]] = {UNARY: [], BINARY: [], ASSERTS: []}


def dispatched(
    met: ExtensionType, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The answer of the first rule that fits a call of a public op."""
    for rule in _by_api.get(function, ()):
        if _fits(rule, args, kwargs):
            answer = rule.function(*args, **kwargs)
            if answer is not NotImplemented:
                return answer
    for kind, rules in _by_kind.items():
        count = 1 if kind is UNARY else 2
        if function.__name__ not in kind:
            continue
        given, rest = _first(function, count, args, kwargs)
        for rule in rules:
            if len(given) == count and all(_suits(t, v) for t, v in zip(rule.types, given, strict=True)):
                answer = rule.function(functools.partial(function, **rest), *given)
                if answer is not NotImplemented:
                    return answer
    raise TypeError(
        f"tf.{function.__name__} expected tensors; got a {type(met).__name__} and nothing that takes it. Register a "
        "function with tf.experimental.dispatch_for_api, or use its fields."
    )


def _first(
    function: Callable[..., Any], count: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The tensors of an elementwise call, and its other arguments by name."""
    given = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    names = list(inspect.signature(function).parameters)[:count]
    return [given.pop(n) for n in names if n in given], given


def _suits(annotation: object, value: Any) -> bool:
    """Whether an argument fits: what can become a tensor counts as one."""
    options = typing.get_args(annotation) or (annotation,)
    return accepts(annotation, value) or (Tensor in options and not isinstance(value, ExtensionType))


def _fits(rule: _Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        given = inspect.signature(rule.function).bind(*args, **kwargs).arguments
    except TypeError:
        return False
    return all(name in given and _suits(kind, given[name]) for name, kind in rule.types.items())


def dispatch_for_api(
    api: Callable[..., Any], *signatures: dict[str, Any]
) -> Callable[[_Function], _Function]:
    """Let a function answer the calls of an op whose arguments have certain types.

    Args:
        api: the public op, such as `tf.concat`.
        signatures: types by the names of parameters, one dict for each way to call it; the function's annotations if
            none is given.
    """

    def register(function: _Function) -> _Function:
        found = signatures
        if not found:
            hints = typing.get_type_hints(function)
            hints.pop("return", None)
            found = (hints,)
        known = set(inspect.signature(api).parameters)
        for types in found:
            if not types or not set(types) <= known:
                raise ValueError(
                    f"tf.experimental.dispatch_for_api expected annotations of parameters of tf.{api.__name__}, "
                    f"{sorted(known)}; got {sorted(types)}. Annotate what must be an extension type."
                )
            _by_api.setdefault(api, []).append(_Rule(function, types))
        return function

    return register


def _for_kind(kind: frozenset[str], types: tuple[Any, ...]) -> Callable[[_Function], _Function]:
    def register(function: _Function) -> _Function:
        _by_kind[kind].append(_Rule(function, types))
        return function

    return register


def dispatch_for_unary_elementwise_apis(x_type: DTypeLike) -> Callable[[_Function], _Function]:
    """Let `function(api, x)` answer every op of one tensor, element by element, whose argument is an `x_type`."""
    return _for_kind(UNARY, (x_type,))


def dispatch_for_binary_elementwise_apis(x_type: DTypeLike, y_type: Any) -> Callable[[_Function], _Function]:
    """Let `function(api, x, y)` answer every op of two tensors, element by element, of these types."""
    return _for_kind(BINARY, (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(
    x_type: DTypeLike, y_type: Any
) -> Callable[[_Function], _Function]:
    """Let `function(api, x, y)` answer `tf.debugging.assert_equal` and its kin."""
    return _for_kind(ASSERTS, (x_type, y_type))


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Take back what a function was registered for."""
    groups = [*_by_api.values(), *_by_kind.values()]
    count = sum(len(rules) for rules in groups)
    for rules in groups:
        rules[:] = [rule for rule in rules if rule.function is not dispatch_target]
    if count == sum(len(rules) for rules in groups):
        raise ValueError(
            "tf.experimental.unregister_dispatch_for expected a function that was registered; got "
            f"{dispatch_target!r}: it was not registered."
        )
