"""The names of the user's classes and functions, and configs of objects: registering, scopes, serialising.

The form is Keras 2's, `{"class_name": ..., "config": {...}}` for an object and its name for a function. `family` is
the way back.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

# A nested object that a config holds as it is carries this mark once serialised, and is remade from it.
PASSIVE = "__passive_serialization__"
_registered: dict[str, Any] = {}
_names: dict[Any, str] = {}


class _Scopes(threading.local):
    """The objects of this thread's open scopes."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}


_scopes = _Scopes()


class CustomObjectScope:
    """`with custom_object_scope({"my_loss": my_loss}):` makes names known to whatever loads configs."""

    def __init__(self, *args: Mapping[str, Any]) -> None:
        self.custom_objects = args
        self._outer: list[dict[str, Any]] = []

    def __enter__(self) -> CustomObjectScope:
        self._outer.append(_scopes.objects)
        merged = dict(_scopes.objects)
        for objects in self.custom_objects:
            merged.update(objects)
        _scopes.objects = merged
        return self

    def __exit__(self, *exc: object) -> None:
        _scopes.objects = self._outer.pop()


custom_object_scope = CustomObjectScope


def get_custom_objects() -> dict[str, Any]:
    """The dict of registered objects; objects added to it are registered."""
    return _registered


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[T], T]:
    """A decorator that lets a class or function be found again as `package>name` when loading."""

    def register(target: T) -> T:
        if inspect.isclass(target) and not has_config(target):
            raise ValueError(
                "Cannot register a class that does not have a get_config() method. "
                f"Received: {target.__name__}. Define get_config to return the constructor's arguments."
            )
        full_name = f"{package}>{name if name is not None else _plain_name(target)}"
        _registered[full_name] = target
        _names[target] = full_name
        return target

    return register


def get_registered_name(obj: Any) -> str:
    """The name `obj` was registered under, or else its Python name."""
    return _names[obj] if _is_registered(obj) else obj.__name__


def get_registered_object(
    name: str,
    custom_objects: Mapping[str, Any] | None = None,
    module_objects: Mapping[str, Any] | None = None,
) -> Any:
    """The class or function known as `name`, or `None`."""
    for objects in (_scopes.objects, _registered, custom_objects, module_objects):
        if objects and name in objects:
            return objects[name]
    return None


def serialize_keras_object(obj: Any) -> Any:
    """`obj` as something JSON can hold: `{"class_name", "config"}`, or the name of a function."""
    if obj is None or isinstance(obj, (bool, int, float, str)):
        return obj
    if isinstance(obj, dict):
        return {key: serialize_keras_object(item) for key, item in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)([serialize_keras_object(item) for item in obj])
    if has_config(obj) and not inspect.isclass(obj):
        config = {key: _serialize_item(item) for key, item in obj.get_config().items()}
        return {"class_name": get_registered_name(type(obj)), "config": config}
    name = _plain_name(obj)
    if name is None:
        raise ValueError(
            f"Cannot serialize {obj} because it doesn't implement `get_config()`. "
            "Define get_config to return the arguments that make it."
        )
    return _names[obj] if _is_registered(obj) else name


def named_by_user(custom_objects: Mapping[str, Any] | None = None) -> Iterator[Mapping[str, Any]]:
    """Where the user's classes and functions are looked up: in `custom_objects`, the open scopes, the registry."""
    yield from (custom_objects or {}, _scopes.objects, _registered)


def has_config(obj: object) -> bool:
    """Whether an object, or a class, tells the arguments that make it."""
    return callable(getattr(obj, "get_config", None))


def _plain_name(obj: object) -> str | None:
    return getattr(obj, "__name__", None)


def _is_registered(obj: object) -> bool:
    # Only these can be registered; other callables need not even be hashable.
    return (inspect.isclass(obj) or callable(obj)) and obj.__hash__ is not None and obj in _names


def _serialize_item(item: object) -> Any:
    """A value of a config: objects and functions are serialised, everything else stays."""
    if item is None or isinstance(item, (str, int, float, list, tuple, dict)):
        return item
    if has_config(item) and not inspect.isclass(item):
        return {**serialize_keras_object(item), PASSIVE: True}
    return item if _plain_name(item) is None else serialize_keras_object(item)
