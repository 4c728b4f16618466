"""`Family`: objects of one kind and how a name, a config, a class or a function becomes one."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from tapeflow.keras.saving.registry import deserialize_keras_object

_LOOKUPS = ("get", "serialize", "deserialize")


class Family:
    """The classes and functions of a package, known by every name they have there.

    Args:
        package: the package's name.
        base: the class that all its classes derive from.
        kind: what one of them is called in errors about names; `noun`, in others.
        advice: what to pass instead of something that is none.
    """

    def __init__(self, package: str, base: type, kind: str, noun: str, advice: str) -> None:
        self._package = package
        self._base = base
        self._kind = kind
        self._noun = noun
        self._advice = advice

    @cached_property
    def known(self) -> dict[str, Any]:
        """All there are, by every name."""
        package = importlib.import_module(self._package)
        found = {name: getattr(package, name) for name in dir(package) if name not in _LOOKUPS}
        return {name: value for name, value in found.items() if self._has(value)}

    def _has(self, value: Any) -> bool:
        return issubclass(value, self._base) if inspect.isclass(value) else inspect.isfunction(value)

    def get(self, identifier: Any) -> Any:
        """The object for a name, a config or a class; functions and objects as they are, None for None."""
        if identifier is None:
            return None
        if isinstance(identifier, (str, Mapping)):
            return self.deserialize(identifier)
        if inspect.isclass(identifier) and issubclass(identifier, self._base):
            return identifier()
        if callable(identifier):
            return identifier
        raise ValueError(f"Could not interpret {self._noun} identifier: {identifier}. {self._advice}")

    def deserialize(self, config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The object that a config or a name stands for."""
        return deserialize_keras_object(config, self.known, custom_objects, self._kind)
