"""Name scopes: the prefix that variables, summaries, and ops in a graph get in front of their names.

As in TensorFlow's eager mode, a scope entered twice gives the same prefix twice: names are labels
here, nothing is looked up by them, so they need not be unique.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from tapeflow.engine.recording.trace import state as recorder


class _State(threading.local):
    """The prefix in force on a thread, and those to go back to.

    The way back is kept here and not in the scope object: a module's scope is one object, which
    several threads may be inside of at once.
    """

    def __init__(self) -> None:
        self.prefix = ""
        # The path of Variables where the scope was entered, and the part of it that layers in progress gave.
        self.path = self.layers = ""
        self.outer: list[tuple[str, str, str]] = []


_state = _State()


class name_scope:
    """A context manager that prefixes names made inside it.

    A plain name goes below the current scope; one that ends in "/" is taken as a whole path; the
    empty name goes back to the root. One object can be entered again, also inside itself.

    >>> with tf.name_scope("encoder"), tf.name_scope("dense") as scope:
    ...     print(scope)
    encoder/dense/
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(
                f"tf.name_scope expected name to be a string; got name={name!r} "
                f"of type {type(name).__name__}. Pass for example tf.name_scope('encoder')."
            )
        self._name = name

    @property
    def name(self) -> str:
        """The name as given; the whole path is the value of the `with` statement."""
        return self._name

    def __enter__(self) -> str:
        state = _state
        prefix = scoped_prefix(self._name)
        state.outer.append((state.prefix, state.path, state.layers))
        is_whole = not self._name or self._name.endswith("/")
        state.path = self._name if is_whole else f"{variable_prefix()}{self._name}/"
        state.prefix, state.layers = prefix, layers_prefix()
        if recorder.recording is not None:
            recorder.recording.enter_scope(self._name)
        return prefix

    def __exit__(self, *exc_info: object) -> None:
        _state.prefix, _state.path, _state.layers = _state.outer.pop()
        if recorder.recording is not None:
            recorder.recording.leave_scope()


class op_scope:
    """Prefixes the names of ops in the graph of a function that is being recorded, and nothing else."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        if recorder.recording is not None:
            recorder.recording.enter_scope(self._name)

    def __exit__(self, *exc_info: object) -> None:
        if recorder.recording is not None:
            recorder.recording.leave_scope()


def _no_layers() -> str:
    return ""


layers_prefix: Callable[[], str] = _no_layers
"""The prefix that Keras layers in progress give to Variables made now; Keras sets it."""


def current_name_scope() -> str:
    """The prefix in force on this thread, ready to put before a name: "" or "encoder/dense/"."""
    return _state.prefix


def variable_prefix() -> str:
    """What goes before the name of a Variable made now: scopes and layers in progress, in the order of entering."""
    return _state.path + layers_prefix().removeprefix(_state.layers)


def get_current_name_scope() -> str:
    """The current name scope: "" or "encoder/dense", for example."""
    return _state.prefix.removesuffix("/")


def scoped_prefix(name: str) -> str:
    """The prefix that entering `name_scope(name)` here would put in force."""
    if not name or name.endswith("/"):
        return name
    return f"{_state.prefix}{name}/"
