"""Symbolic arguments: things that stand for tensors which do not exist yet, such as `tf.keras.Input`.

A public op that meets one has no value to work on. Whatever code notices raises `MetSymbolic`, and the
public function it was called through (`dispatching`) hands its call over to the symbol, which keeps it
for when there are values. Calls without symbols pay for one `try`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, NoReturn

OP_MODULES = ("tapeflow.ops.", "tapeflow.engine.convert")


class Symbolic:
    """Stands for a tensor in the calls of public ops."""

    __slots__ = ()
    # numpy leaves operators with a symbol on the right to the symbol.
    __array_ufunc__ = None

    def keep_call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The symbol for the result of a call in whose arguments this symbol was met."""
        raise NotImplementedError

    def _meet(self, *_: Any, **__: Any) -> NoReturn:
        raise MetSymbolic(self)

    __tf_tensor__ = __array__ = __float__ = __int__ = __index__ = __bool__ = _meet
    numpy = _meet

    @property
    def spec(self) -> NoReturn:
        """Known only when there is a value."""
        raise MetSymbolic(self)

    _node = _spec = spec


class MetSymbolic(TypeError):
    """A value was asked of a symbol."""

    def __init__(self, symbol: Symbolic) -> None:
        super().__init__(
            f"A tensor's value was asked for; got {symbol!r}, which has none until the model is called with "
            "data: it cannot be turned into a number, a numpy array or a truth value. Use tf ops on it, or "
            "put the code into a Layer's call or a Lambda layer."
        )
        self.symbol = symbol


def dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose calls with symbols are handed to them. The same wrapper every time."""
    known = getattr(function, "_dispatching", None)
    if known is not None:
        return known

    @functools.wraps(function)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except MetSymbolic as met:
            symbol = met.symbol
        return symbol.keep_call(dispatched, args, kwargs)

    for callee in (function, dispatched):
        setattr(callee, "_dispatching", dispatched)  # noqa: B010 - pyright
    return dispatched


def dispatch_all(namespace: dict[str, Any]) -> None:
    """Make every op of a public namespace dispatching."""
    for name, value in namespace.items():
        if is_public_op(value) and not name.startswith("_"):
            namespace[name] = dispatching(value)


def is_public_op(value: Any) -> bool:
    """Whether a value is a plain function that takes tensors: one of `tapeflow.ops`, or a conversion."""
    return type(value) is FunctionType and value.__module__.startswith(OP_MODULES)
