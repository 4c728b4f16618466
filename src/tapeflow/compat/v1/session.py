"""Sessions and graphs as far as TensorFlow 2 scripts still make them: to set options of a device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

from tapeflow.compat.v1.behavior import no_graphs
from tapeflow.engine.functions.function_graph import FunctionGraph
from tapeflow.engine.recording.name_scope import current_name_scope, get_current_name_scope
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.ops.debugging.introspection import inside_function


class GPUOptions(SimpleNamespace):
    """Options for a GPU. They may be set; JAX manages the memory of devices in its own way."""


class ConfigProto(SimpleNamespace):
    """Options of a session. They may be set and have no effect.

    >>> config = tf.compat.v1.ConfigProto()
    >>> config.gpu_options.allow_growth = True
    """

    def __init__(self, **options: Any) -> None:
        options.setdefault("gpu_options", GPUOptions())
        super().__init__(**options)


class Session:
    """What scripts make to pass a `ConfigProto`; it runs nothing."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        self.config = config

    def run(self, fetches: Any, feed_dict: Any = None) -> NoReturn:
        """Not possible here: raises, saying what to do instead."""
        raise RuntimeError(no_graphs("tf.compat.v1.Session.run"))

    def close(self) -> None:
        """Nothing to do."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class InteractiveSession(Session):
    """A `Session`; there is no default one to install."""


class _GraphType(type):
    """Lets the graphs of functions count as `tf.Graph`s."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, (FunctionGraph, DefaultGraph))


class Graph(metaclass=_GraphType):
    """TensorFlow 1's graph, which there is none of here: making one raises. Those of functions are of this type."""

    def __init__(self) -> None:
        raise RuntimeError(no_graphs("tf.Graph"))


class DefaultGraph:
    """What stands for the graph that ops go to. It tells whether a function is being recorded, and takes nothing."""

    @property
    def building_function(self) -> bool:
        """Whether a `tf.function` is being recorded."""
        return inside_function()

    def get_name_scope(self) -> str:
        """The name scopes that are open, as `"outer/inner"`."""
        return get_current_name_scope()

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name with the open scopes before it; names need not be unique here."""
        return current_name_scope() + name

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(no_graphs(f"tf.compat.v1.get_default_graph().{name}"))


_DEFAULT_GRAPH = DefaultGraph()


def get_default_graph() -> DefaultGraph:
    """What stands for the graph; asking it for ops, or to take some, raises."""
    return _DEFAULT_GRAPH


def placeholder(dtype: DTypeLike, shape: TensorLike | None = None, name: str | None = None) -> NoReturn:
    """Not possible here: raises, as TensorFlow 2 does."""
    raise RuntimeError(no_graphs("tf.compat.v1.placeholder"))
