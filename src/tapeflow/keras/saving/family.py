"""What a config may name: how a dict or a string becomes a layer, a loss, an initializer again.

A config comes from a file, and whoever wrote the file chose every word in it. So each place in a config belongs to a
`Family`, and what a name stands for is checked before anything is made:

- a class must be one of the family's, Keras's own or the user's; only then is it called, with the config;
- a function can be referred to where the family takes functions, and is never called here;
- anything else is refused by name.

Names are looked up in the `custom_objects` at hand, in the open `custom_object_scope`s, among what was registered,
and among the family's own. Dicts in the form of Keras 2 and of Keras 3 are read.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from tapeflow.keras.saving.function_body import code_allowed, imported
from tapeflow.keras.saving.registry import (
    PASSIVE,
    CustomObjectScope,
    get_registered_object,
    has_config,
    named_by_user,
)

_ALL = {
    "layers.serialization": "LAYERS",
    "losses.serialization": "LOSSES",
    "metrics.serialization": "METRICS",
    "optimizers.serialization": "OPTIMIZERS",
    "optimizers.schedules.schedule": "SCHEDULES",
    "initializers.serialization": "INITIALIZERS",
    "regularizers": "REGULARIZERS",
    "constraints": "CONSTRAINTS",
    "activations": "ACTIVATIONS",
    "mixed_precision.policy": "POLICIES",
}
"""Every family, by the module below `tapeflow.keras` that has it."""
_LOOKUPS = ("get", "serialize", "deserialize")
# Arguments that classes read from their keyword arguments, or that `from_config` itself reads.
_USUAL = {"data_format": "channels_last", "fill_mode": "constant", "fill_value": 0.0}
_ALWAYS = frozenset(
    {"name", "dtype", "trainable", "layers", "input_layers", "output_layers", "learning_rate"}
)


class Family:
    """Objects of one kind: what may stand where a config has one, and how it is found.

    Args:
        kind: what one is called in errors about names.
        base: the class that all classes of the family derive from.
        own: gives Keras's own classes and functions, by every name.
        takes_functions: whether a function can stand in for an object.
        protocol: the methods that make a class the user named one of the family without the base; none, if empty.
        noun: what one is called in other errors, if not `kind`.
        advice: what to pass instead of something that is none.
    """

    def __init__(
        self,
        kind: str,
        base: type,
        own: Callable[[], Mapping[str, Any]],
        takes_functions: bool = False,
        protocol: tuple[str, ...] = (),
        noun: str = "",
        advice: str = "",
    ) -> None:
        self.kind = kind
        self.base = base
        self._own = own
        self._takes_functions = takes_functions
        self._protocol = protocol
        self._noun = noun or kind
        self._advice = advice

    @cached_property
    def known(self) -> Mapping[str, Any]:
        """Keras's own, by every name."""
        return self._own()

    def get(self, identifier: object) -> Any:
        """The object for a name, a config or a class; functions and objects as they are, None for None."""
        if identifier is None:
            return None
        if isinstance(identifier, (str, Mapping)):
            return self.deserialize(identifier)
        if inspect.isclass(identifier):
            return identifier()
        if callable(identifier):
            return identifier
        advice = f". {self._advice}" if self._advice else ""
        raise ValueError(f"Could not interpret {self._noun} identifier: {identifier}{advice}")

    def deserialize(self, identifier: object, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The object that a config or a name stands for.

        Args:
            identifier: a dict or name as `serialize_keras_object` gives; a function passes unchanged.
            custom_objects: the user's classes and functions by name, which come first.

        Raises:
            ValueError: nothing of the family is known by the name.
        """
        if identifier is None:
            return None
        if isinstance(identifier, Mapping):
            return self._from_dict(identifier, custom_objects)
        if isinstance(identifier, str):
            member = self._find(identifier, custom_objects)
            return member() if inspect.isclass(member) else member
        if inspect.isroutine(identifier) and self._takes_functions:
            return identifier
        raise ValueError(f"Could not interpret serialized {self.kind}: {identifier}")

    def named_by_user(self, name: str) -> Any:
        """What the user registered, or has in an open scope, under a name; None if it is not of the family."""
        registered = get_registered_object(name)
        return registered if registered is not None and self._has(registered, is_users=True) else None

    def _has(self, value: object, is_users: bool) -> bool:
        if not inspect.isclass(value):
            return self._takes_functions and callable(value)
        return self.has_class(value) or (is_users and self._has_protocol(value))

    def has_class(self, value: type) -> bool:
        """Whether a class derives from the base."""
        return issubclass(value, self.base)

    def _has_protocol(self, value: type) -> bool:
        is_like = bool(self._protocol) and all(
            callable(getattr(value, name, None)) for name in self._protocol
        )
        return is_like and not any(family.has_class(value) for family in families())

    def _from_dict(self, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None) -> Any:
        name = config.get("class_name")
        if not isinstance(name, str) or "config" not in config:
            raise ValueError(
                f"Improper config format for {str(dict(config))[:500]}. Expecting python dict contains "
                "`class_name` and `config` as keys."
            )
        arguments = config["config"]
        if name == "function":  # Keras 3's form of a function
            if not isinstance(arguments, str):
                raise ValueError(f"Loading expected the name of a function; got config={arguments!r}.")
            return self._find(arguments, custom_objects, config)
        made_by = self._find(name, custom_objects, config)
        if not inspect.isclass(made_by):
            raise ValueError(
                f"Loading expected the name of a class of {self.kind}s; got class_name={name!r}, the name of a "
                "function, and a config cannot have functions called. Make the object in a class of your own."
            )
        if isinstance(arguments, Mapping):  # old Sequential configs are lists
            arguments = {
                key: self._deserialize_item(key, item, custom_objects) for key, item in arguments.items()
            }
            arguments = _known_arguments(made_by, arguments)
        return _made(made_by, arguments, custom_objects)

    def _deserialize_item(self, key: str, item: object, custom_objects: Mapping[str, Any] | None) -> Any:
        if isinstance(item, Mapping) and PASSIVE in item:
            return self._for_items().deserialize(item, custom_objects)
        if isinstance(item, str) and key != "name":  # a name is a name, even if a function has it too
            registered = get_registered_object(item, custom_objects)
            return registered if inspect.isfunction(registered) else item
        return item

    def _for_items(self) -> Family:
        return _AnyFamily("config_item")

    def _find(
        self, name: str, custom_objects: Mapping[str, Any] | None, said: Mapping[str, Any] | None = None
    ) -> Any:
        """The class or function of the family called `name`, or as Keras 3 has `said` beside it."""
        said = said or {}
        refused = None
        for candidate in (said.get("registered_name"), name):
            if not isinstance(candidate, str):
                continue
            for objects in (*named_by_user(custom_objects), self.known):
                candidate_object = objects.get(candidate)
                if candidate_object is not None and self._has(
                    candidate_object, is_users=objects is not self.known
                ):
                    return candidate_object
                refused = candidate_object if refused is None else refused
        candidate_object = imported(said.get("module"), name)
        if candidate_object is not None and self._has(candidate_object, is_users=True):
            return candidate_object
        refused = candidate_object if refused is None else refused
        if refused is not None:
            raise ValueError(
                f"Loading expected {name!r} to name {self._article} {self.kind}; got {_described(refused)}. "
                f"{self._rule()}"
            )
        known = [*self.known, *(n for objects in named_by_user(custom_objects) for n in objects)]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise ValueError(
            f"Unknown {self.kind}: '{name}'. Please ensure you are using a `keras.utils.custom_object_scope` "
            f"and that this object is included in the scope.{hint}"
        )

    @property
    def _article(self) -> str:
        return "an" if self.kind[0] in "aeiou" else "a"

    def _rule(self) -> str:
        functions = ", or a function" if self._takes_functions else ""
        return f"Name a class that derives from {self.base.__name__}{functions}."


class _AnyFamily(Family):
    """Whatever belongs to a family, where a config does not say which: in the attributes of users' classes."""

    def __init__(self, kind: str, module_objects: Mapping[str, Any] | None = None) -> None:
        own = _known_anywhere if module_objects is None else lambda: module_objects
        super().__init__(kind, object, own, takes_functions=True)

    def _has(self, value: object, is_users: bool) -> bool:
        return super()._has(value, is_users) or (inspect.isclass(value) and has_config(value))

    def _for_items(self) -> Family:
        return self

    def has_class(self, value: type) -> bool:
        return any(family.has_class(value) for family in families())

    def _rule(self) -> str:
        return "Name a class of Keras's, one of yours with get_config, or a function."


def named_in(package: str, base: type) -> dict[str, Any]:
    """The classes with this base and the functions of a package, by every name; not what looks them up."""
    module = importlib.import_module(package)
    members = {name: getattr(module, name) for name in dir(module) if name not in _LOOKUPS}
    return {
        name: value
        for name, value in members.items()
        if (issubclass(value, base) if inspect.isclass(value) else inspect.isfunction(value))
    }


def families() -> Iterator[Family]:
    """All families, imported one after the other as they are needed."""
    for module, name in _ALL.items():
        yield getattr(importlib.import_module(f"tapeflow.keras.{module}"), name)


@cache
def _known_anywhere() -> Mapping[str, Any]:
    """What every family has of its own; a name that two of them have is the first one's."""
    return ChainMap(*(family.known for family in families()))  # pyright: ignore[reportArgumentType] - never written


def deserialize_keras_object(
    identifier: object,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
    safe_mode: bool = True,
) -> Any:
    """Create the object that `identifier` describes, or the objects in a list or dict.

    Args:
        identifier: a dict or name as `serialize_keras_object` gives; a function passes unchanged.
        module_objects: classes and functions to look a name up in; without it, Keras's own.
        custom_objects: further ones, which come first.
        printable_module_name: what to call the kind of object in an error.
        safe_mode: whether to refuse Python code in it, that of a `Lambda` layer; pass False for what you trust.
    """
    if isinstance(identifier, (bool, int, float)):
        return identifier
    is_object = isinstance(identifier, Mapping) and "class_name" in identifier
    if isinstance(identifier, (list, tuple, dict)) and not is_object:
        given = (module_objects, custom_objects, printable_module_name, safe_mode)
        if isinstance(identifier, dict):
            return {key: _plain_or_made(item, *given) for key, item in identifier.items()}
        return type(identifier)([_plain_or_made(item, *given) for item in identifier])
    family = _AnyFamily(printable_module_name, module_objects)
    if safe_mode:  # inside a load, that says whether code may run
        return family.deserialize(identifier, custom_objects)
    with code_allowed(True):
        return family.deserialize(identifier, custom_objects)


def _plain_or_made(item: object, *given: Any) -> Any:
    """A part of a list or dict: texts are texts there, and name nothing."""
    return item if isinstance(item, str) else deserialize_keras_object(item, *given)


def script_classes() -> dict[str, type]:
    """The classes of the running script that belong to a family, by name.

    TensorFlow loads a folder without being told of such classes. The script's functions are not among them: a file
    may only name those that the user registered or passed.
    """
    own = {
        name: value
        for name, value in vars(sys.modules["__main__"]).items()
        if inspect.isclass(value) and value.__name__ == name and not value.__module__.startswith("tapeflow.")
    }
    return {n: c for n, c in own.items() if any(family.has_class(c) for family in families())} if own else {}


def _made(made_by: type, arguments: Any, custom_objects: Mapping[str, Any] | None) -> Any:
    """The object that a class, which has been checked, makes of a config."""
    from_config = getattr(made_by, "from_config", None)
    if from_config is not None and "custom_objects" in inspect.signature(from_config).parameters:
        known: dict[str, Any] = {}
        for objects in reversed([*named_by_user(custom_objects)]):
            known.update(objects)
        return from_config(arguments, custom_objects=known)
    with CustomObjectScope(custom_objects or {}):
        return made_by(**arguments) if from_config is None else from_config(arguments)


def _known_arguments(made_by: type, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without those that other versions of Keras write although they say nothing.

    A class of Keras's own may meet arguments of a newer or older Keras; if they are None, False or what is done
    here anyway they are left out. Whatever else is not known is for the class to refuse.
    """
    if not made_by.__module__.startswith("tapeflow."):
        return arguments
    known: set[str] = set()
    for base in made_by.__mro__:
        parameters = inspect.signature(base.__init__).parameters.values() if "__init__" in vars(base) else ()
        known.update(p.name for p in parameters)
    known |= _ALWAYS

    def is_idle(key: str, value: object) -> bool:
        return value is None or value is False or (key in _USUAL and value == _USUAL[key])

    return {k: v for k, v in arguments.items() if k in known or not is_idle(k, v)}


def _described(value: Any) -> str:
    what = "class" if inspect.isclass(value) else "function" if inspect.isroutine(value) else "object"
    return f"the {what} {getattr(value, '__qualname__', type(value).__qualname__)}"
