"""Arguments that are not tensors but handle calls of ops themselves: symbolic inputs of Keras, ragged tensors.

A public op that meets one has no array to work on. Whatever code notices raises `MetSymbolic`, and the
public function it was called through (`dispatching`) hands its call over to the argument: a symbol, which
stands for a tensor that does not exist yet, keeps it for when there are values; a tensor made of tensors
works it out. Other calls pay for one `try`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike


OP_MODULES = ("tapeflow.ops.", "tapeflow.engine.values.convert")


class DispatchTarget:
    """An argument that handles the calls of public ops itself."""

    __slots__ = ()
    # numpy leaves operators with such an argument on the right to the argument.
    __array_ufunc__ = None

    def keep_call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call that has this among its arguments."""
        raise NotImplementedError

    def _why_no_array(self) -> str:
        """The message for an array that is read outside of an op."""
        raise NotImplementedError

    def _meet(self, *_: Any, **__: Any) -> NoReturn:
        raise MetSymbolic(self)

    __tf_tensor__ = __array__ = __float__ = __int__ = __index__ = __bool__ = _meet
    numpy = _meet

    @property
    def spec(self) -> NoReturn:
        """Raises: shape and dtype are known only when there is a value."""
        raise MetSymbolic(self)

    _node = _spec = spec


class Symbolic(DispatchTarget):
    """Stands for a tensor in the calls of public ops."""

    __slots__ = ()

    def keep_index(self, tensor: TensorLike, key: object) -> Any:
        """The result of `tensor[key]`, where this is part of the key."""
        raise MetSymbolic(self)

    def keep_construction(self, made: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the class method of a public class called with this among its arguments."""
        raise MetSymbolic(self)

    def _why_no_array(self) -> str:
        return (
            f"A tensor's value was asked for; got {self!r}, which has none until the model is called with "
            "data: it cannot be turned into a number, a numpy array or a truth value. Use tf ops on it, or "
            "put the code into a Layer's call or a Lambda layer."
        )


class MetSymbolic(TypeError):
    """Raised when an array is read from an argument that has none."""

    def __init__(self, symbol: DispatchTarget) -> None:
        super().__init__(symbol._why_no_array())
        self.symbol = symbol


class NoneGiven(ValueError):
    """Raised when None is passed for a tensor; the public function adds the name of its argument."""


def dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` so that symbols among its arguments handle the call. Gives the same wrapper every time."""
    known = getattr(function, "_dispatching", None)
    if known is not None:
        return known

    @functools.wraps(function)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except MetSymbolic as met:
            symbol = met.symbol
        except NoneGiven as refusal:
            text = str(refusal)
            if text.startswith("Attempt"):
                text = f"{function.__name__} expected tensors; got None. {text}"
            raise ValueError(text) from None
        return symbol.keep_call(dispatched, args, kwargs)

    # `inspect.getfullargspec` does not look behind a wrapper.
    vars(dispatched)["__signature__"] = inspect.signature(function)
    for callee in (function, dispatched):
        setattr(callee, "_dispatching", dispatched)  # noqa: B010 - pyright
    return dispatched


def dispatch_all(namespace: dict[str, Any]) -> None:
    """Wrap every op of a public namespace with `dispatching`."""
    for name, value in namespace.items():
        if is_public_op(value) and not name.startswith("_"):
            namespace[name] = dispatching(value)


def is_public_op(value: object) -> bool:
    """Whether a value is a plain function that takes tensors: one of `tapeflow.ops`, or a conversion."""
    return type(value) is FunctionType and value.__module__.startswith(OP_MODULES)
