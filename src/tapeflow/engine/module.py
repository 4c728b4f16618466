"""`tf.Module`: an object whose attributes are searched for Variables and other Modules.

Nothing is registered when an attribute is set: `variables` and `submodules` look at what the object
holds now, in attributes and in lists, tuples and dicts of any depth below them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from tapeflow.engine.recording.name_scope import name_scope, scoped_prefix
from tapeflow.engine.values import nest
from tapeflow.engine.values.variable import Variable

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Module:
    """The base class of objects that own Variables.

    >>> class Dense(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable([[1.0]], name="w")
    >>> Dense().name, len(Dense().variables)
    ('dense', 1)
    """

    # Attributes that are not searched; subclasses add the names of their own bookkeeping.
    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset()
    # The restored checkpoint that has values for attributes which are not there yet.
    _deferred: Any = None

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not (isinstance(name, str) and name.isidentifier() and name.isascii()):
            raise ValueError(
                f"{name!r} is not a valid module name: tf.Module expected name to be a valid "
                f"Python identifier; got name={name!r}. Use letters, digits and underscores."
            )
        self._name = name
        # A path that ends in "/" is absolute: the scope stays that of construction.
        self._name_scope = name_scope(scoped_prefix(name))

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if self._deferred is not None:
            self._deferred.take_below(self, (name,), value)

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
        """Hold an object under a name, where checkpoints find it: what code from before attributes did so calls."""
        setattr(self, name, trackable)
        return trackable

    @property
    def name(self) -> str:
        """The name given, or the class name in snake case."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The scope of this module, below the one in which it was made."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All Variables of this module and its submodules, own ones first, by attribute name."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The Variables with `trainable=True`, in the order of `variables`."""
        return tuple(self._flatten(predicate=_is_trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The Variables with `trainable=False`, in the order of `variables`."""
        return tuple(self._flatten(predicate=_is_not_trainable))

    def _no_dependency(self, value: object) -> Any:
        """A value that is to be set as an attribute without being tracked; here that is the value itself."""
        return value

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All Modules below this one, without itself."""
        return tuple(self._flatten(predicate=_is_module))

    @classmethod
    def with_name_scope(cls, method: _Method) -> _Method:
        """Decorate a method so that it runs inside the name scope of its module.

        >>> class Dense(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self, x):
        ...         if not hasattr(self, "w"):
        ...             self.w = tf.Variable(x, name="w")
        ...         return x * self.w
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # pyright: ignore[reportReturnType]

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The values held by this module for which `predicate` is true.

        The own attributes come first, in the order of their sorted names, then those of each
        submodule. A value held twice is given once; with `with_path`, where (path, value) pairs are
        given, once per path, though no module is entered twice.
        """
        accept = predicate or _accept_all
        return _walk(self, (), {id(self)}, recursive, accept, attribute_traversal_key, with_path)


def _walk(
    module: Module,
    path: tuple[Any, ...],
    seen: set[int],
    recursive: bool,
    accept: Callable[[Any], bool],
    order: Callable[[str], Any] | None,
    with_path: bool,
) -> Iterator[Any]:
    attributes = vars(module)
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    submodules: list[tuple[tuple[Any, ...], Module]] = []
    for attribute in sorted(attributes, key=order):
        if attribute in ignored:
            continue
        for subpath, leaf in _leaves(module, attribute, attributes[attribute], with_path):
            is_module, accepted = isinstance(leaf, Module), accept(leaf)
            if not (is_module or accepted):
                continue
            is_new = id(leaf) not in seen
            seen.add(id(leaf))
            leaf_path = (*path, attribute, *subpath)
            if accepted and (is_new or with_path):
                yield (leaf_path, leaf) if with_path else leaf
            if is_module and is_new and recursive:
                submodules.append((leaf_path, leaf))
    for subpath, submodule in submodules:
        yield from _walk(submodule, subpath, seen, recursive, accept, order, with_path)


def _leaves(module: Module, attribute: str, value: object, with_path: bool) -> Any:
    """Pairs of path and leaf; the paths are left empty when nobody wants them, which is faster."""
    if not nest.is_nested(value):
        return (((), value),)
    try:
        if with_path:
            return nest.flatten_with_paths(value)
        return [((), leaf) for leaf in nest.flatten(value)]
    except TypeError as error:
        raise ValueError(
            f"{type(module).__name__}.variables expected every attribute to be a structure that "
            f"tf.nest can flatten; got {attribute}={value!r}. {error}"
        ) from error


def _accept_all(_: object) -> bool:
    return True


def _is_variable(value: object) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value: object) -> bool:
    return isinstance(value, Variable) and value.trainable


def _is_not_trainable(value: object) -> bool:
    return isinstance(value, Variable) and not value.trainable


def _is_module(value: object) -> bool:
    return isinstance(value, Module)


def _snake_case(class_name: str) -> str:
    # A word starts at a capital that follows, or is followed by, a small letter: http_server2_d.
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", class_name).lower()
