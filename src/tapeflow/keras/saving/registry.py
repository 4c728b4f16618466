"""Objects by name: how a config dict or a string becomes an initializer, a layer, a loss again.

The form is Keras 2's, `{"class_name": ..., "config": {...}}` for an object and its name for a
function; dicts written by Keras 3 are read too. Names are looked up in the `custom_objects` at hand,
then in the open `custom_object_scope`s, then among what was registered, then among Keras's own.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from tapeflow.keras.saving.function_body import imported

T = TypeVar("T")

_FAMILIES = (
    "layers",
    "models",
    "losses",
    "metrics",
    "optimizers",
    "optimizers.schedules",
    "initializers",
    "regularizers",
    "constraints",
    "activations",
    "mixed_precision",
    "callbacks",
)
# A nested object that a config holds as it is carries this mark once serialised, and is remade from it.
_PASSIVE = "__passive_serialization__"
# Arguments that classes read from their keyword arguments, or that `from_config` itself reads.
_USUAL = {"data_format": "channels_last", "fill_mode": "constant", "fill_value": 0.0}
_ALWAYS = frozenset(
    {"name", "dtype", "trainable", "layers", "input_layers", "output_layers", "learning_rate"}
)

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
    """The live dict of registered objects; what is put into it is found everywhere."""
    return _registered


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[T], T]:
    """A decorator that lets a class or function be found again as `package>name` when loading."""

    def register(target: T) -> T:
        if inspect.isclass(target) and not _has_config(target):
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
    if obj is None:
        return None
    if _has_config(obj) and not inspect.isclass(obj):
        config = {key: _serialize_item(item) for key, item in obj.get_config().items()}
        return {"class_name": get_registered_name(type(obj)), "config": config}
    name = _plain_name(obj)
    if name is None:
        raise ValueError(
            f"Cannot serialize {obj} because it doesn't implement `get_config()`. "
            "Define get_config to return the arguments that make it."
        )
    return _names[obj] if _is_registered(obj) else name


def deserialize_keras_object(
    identifier: Any,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Make the object that `identifier` stands for.

    Args:
        identifier: a dict or name as `serialize_keras_object` gives; a function passes unchanged.
        module_objects: Keras's own objects to look a name up in; without it, all of them.
        custom_objects: further objects, which come first.
        printable_module_name: what to call the kind of object in an error.
    """
    if identifier is None:
        return None
    if isinstance(identifier, Mapping):
        return _from_dict(identifier, module_objects, custom_objects, printable_module_name)
    if isinstance(identifier, str):
        found = _find(identifier, module_objects, custom_objects, printable_module_name)
        return found() if inspect.isclass(found) else found
    if inspect.isroutine(identifier):
        return identifier
    raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")


def program_objects() -> dict[str, Any]:
    """The Keras classes and the functions of the running script that no open scope has, by name.

    TensorFlow loads a folder without being told of such classes, and Keras 3 finds those of the script it runs in.
    """
    found: dict[str, Any] = {}
    for name, value in vars(sys.modules["__main__"]).items():
        if inspect.isclass(value):
            is_own = _has_config(value) and not value.__module__.startswith("tapeflow.")
        else:
            is_own = inspect.isfunction(value) and value.__module__ == "__main__"
        if is_own and value.__name__ == name and name not in _scopes.objects:
            found[name] = value
    return found


def _has_config(obj: Any) -> bool:
    return callable(getattr(obj, "get_config", None))


def _plain_name(obj: Any) -> str | None:
    return getattr(obj, "__name__", None)


def _is_registered(obj: Any) -> bool:
    # Only these can be registered; other callables need not even be hashable.
    return (inspect.isclass(obj) or callable(obj)) and obj.__hash__ is not None and obj in _names


def _serialize_item(item: Any) -> Any:
    """A value of a config: objects and functions are serialised, everything else stays."""
    if item is None or isinstance(item, (str, int, float, list, tuple, dict)):
        return item
    if _has_config(item) and not inspect.isclass(item):
        return {**serialize_keras_object(item), _PASSIVE: True}
    return item if _plain_name(item) is None else serialize_keras_object(item)


def _from_dict(
    config: Mapping[str, Any],
    module_objects: Mapping[str, Any] | None,
    custom_objects: Mapping[str, Any] | None,
    kind: str,
) -> Any:
    if "class_name" not in config or "config" not in config:
        raise ValueError(
            f"Improper config format for {dict(config)}. Expecting python dict contains "
            "`class_name` and `config` as keys."
        )
    if config["class_name"] == "function":  # Keras 3's form of a function
        name = config["config"]
        return _find(name, module_objects, custom_objects, kind, config)
    made_by = _find(config["class_name"], module_objects, custom_objects, kind, config)
    arguments = config["config"]
    if isinstance(arguments, Mapping):  # old Sequential configs are lists
        arguments = {
            key: _deserialize_item(key, item, module_objects, custom_objects)
            for key, item in arguments.items()
        }
        arguments = _known_arguments(made_by, arguments)
    from_config = getattr(made_by, "from_config", None)
    if from_config is None:  # a function that returns an object: the config is its arguments
        with CustomObjectScope(custom_objects or {}):
            return made_by(**arguments)
    if "custom_objects" in inspect.signature(from_config).parameters:
        known = {**_registered, **_scopes.objects, **(custom_objects or {})}
        return from_config(arguments, custom_objects=known)
    with CustomObjectScope(custom_objects or {}):
        return from_config(arguments)


def _known_arguments(made_by: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without those that other versions of Keras write although they say nothing.

    A class of Keras's own may meet arguments of a newer or older Keras; if they are None, False or what is done
    here anyway they are left out. Whatever else is not known is for the class to refuse.
    """
    if not inspect.isclass(made_by) or not made_by.__module__.startswith("tapeflow."):
        return arguments
    known: set[str] = set()
    for base in made_by.__mro__:
        parameters = inspect.signature(base.__init__).parameters.values() if "__init__" in vars(base) else ()
        known.update(p.name for p in parameters)
    known |= _ALWAYS

    def is_idle(key: str, value: Any) -> bool:
        return value is None or value is False or (key in _USUAL and value == _USUAL[key])

    return {k: v for k, v in arguments.items() if k in known or not is_idle(k, v)}


def _deserialize_item(
    key: str, item: Any, module_objects: Mapping[str, Any] | None, custom_objects: Mapping[str, Any] | None
) -> Any:
    if isinstance(item, Mapping) and _PASSIVE in item:
        return deserialize_keras_object(item, module_objects, custom_objects, "config_item")
    if isinstance(item, str) and key != "name":  # a name is a name, even if a function has it too
        found = get_registered_object(item, custom_objects)
        return found if inspect.isfunction(found) else item
    return item


def _find(
    name: str,
    module_objects: Mapping[str, Any] | None,
    custom_objects: Mapping[str, Any] | None,
    kind: str,
    said: Mapping[str, Any] | None = None,
) -> Any:
    """The class or function called `name`, or as Keras 3 has `said` beside it."""
    said = said or {}
    for candidate in (said.get("registered_name"), name):
        if candidate is None:
            continue
        for objects in (custom_objects, _scopes.objects, _registered, module_objects):
            if objects and candidate in objects and objects[candidate] is not None:
                return objects[candidate]
    if module_objects is None:
        for family in _families():
            found = getattr(family, name, None)
            if callable(found):  # not a module that happens to have the name
                return found
    found = imported(said.get("module"), name)
    if found is not None:
        return found
    known = [*(module_objects or {}), *_registered, *_scopes.objects, *(custom_objects or {})]
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise ValueError(
        f"Unknown {kind}: '{name}'. Please ensure you are using a `keras.utils.custom_object_scope` "
        f"and that this object is included in the scope.{hint}"
    )


def _families() -> Iterator[Any]:
    """The packages that hold Keras's own objects, imported one after the other as they are needed."""
    for family in _FAMILIES:
        yield importlib.import_module(f"tapeflow.keras.{family}")
