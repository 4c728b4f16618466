"""Sessions and graphs as far as TensorFlow 2 scripts still make them: to set options of a device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

from tapeflow.compat.v1.behavior import no_graphs


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


class Graph:
    """TensorFlow 1's graph, which there is none of here: making one raises."""

    def __init__(self) -> None:
        raise RuntimeError(no_graphs("tf.Graph"))


def get_default_graph() -> NoReturn:
    """Not possible here: raises, saying what to do instead."""
    raise RuntimeError(no_graphs("tf.compat.v1.get_default_graph"))


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> NoReturn:
    """Not possible here: raises, as TensorFlow 2 does."""
    raise RuntimeError(no_graphs("tf.compat.v1.placeholder"))
