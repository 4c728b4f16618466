"""The arguments of a layer's `__init__`: noted for the default `get_config`, and given again by `from_config`."""

from __future__ import annotations

import inspect
from typing import Any, Protocol, TypeVar

from tapeflow.engine.values import nest

_PLAIN = (bool, int, float, str, type(None))
# What every layer may be told.
_COMMON = ("name", "trainable", "dtype")


class Configurable(Protocol):
    """What this module needs of a layer.

    Attributes:
        _given: the positional and keyword arguments of `__init__`.
    """

    _given: tuple[tuple[Any, ...], dict[str, Any]]
    _name: str

    @property
    def trainable(self) -> bool: ...
    @trainable.setter
    def trainable(self, value: bool) -> None: ...


_L = TypeVar("_L", bound=Configurable)


def noted_arguments(layer: Configurable) -> dict[str, Any]:
    """The arguments of a user's `__init__` that the default config does not know."""
    signature = inspect.signature(type(layer).__init__)
    args, kwargs = layer._given
    bound = signature.bind(layer, *args, **kwargs).arguments
    named = {
        k: v for k, v in bound.items() if signature.parameters[k].kind is not inspect.Parameter.VAR_KEYWORD
    }
    extra = {k: v for k, v in list(named.items())[1:] if k not in _COMMON}
    if not all(isinstance(leaf, _PLAIN) for v in extra.values() for leaf in nest.flatten(v)):
        raise NotImplementedError(
            f"Layer {type(layer).__name__} was created by passing non-serializable argument values in "
            f"`__init__()` ({sorted(extra)}), and therefore the layer must override `get_config()` in order "
            "to be serializable. Please implement `get_config()`."
        )
    return extra


def make_layer(cls: type[_L], arguments: dict[str, Any]) -> _L:
    """A layer; what every layer may be told but this class's `__init__` does not take is set afterwards."""
    taken = inspect.signature(cls.__init__).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in taken.values())
    late = {} if takes_all else {k: arguments[k] for k in _COMMON if k in arguments and k not in taken}
    layer = cls(**{k: v for k, v in arguments.items() if k not in late})
    layer._name = late.get("name", layer._name)
    if not late.get("trainable", True):
        layer.trainable = False
    return layer
