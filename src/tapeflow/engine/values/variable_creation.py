"""`tf.variable_creator_scope`: functions that create a program's Variables in its place."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any


class _Creators(threading.local):
    def __init__(self) -> None:
        self.stack: tuple[Callable[..., Any], ...] = ()


_creators = _Creators()


class CreatedThroughScopes(type):
    """The type of `Variable`: making one goes through the creators in force, the innermost first."""

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of `__init__`, which `__call__` would hide."""
        whole = inspect.signature(cls.__init__)
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    if not TYPE_CHECKING:  # for whom a call is what `__init__` says

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            creators = _creators.stack
            if not creators:
                return super().__call__(*args, **kwargs)
            bound = inspect.signature(cls).bind(*args, **kwargs)
            bound.apply_defaults()
            made: Callable[..., Any] = super().__call__
            for creator in creators:
                made = functools.partial(creator, made)
            return made(**bound.arguments)


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Let a function create the Variables of the block, or change the arguments of their constructor.

    Args:
        variable_creator: called as `variable_creator(next_creator, **arguments_of_Variable)`; returns what
            `next_creator(**arguments)` gives, or another Variable.

    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(frozen):
    ...     tf.Variable(1.0).trainable
    False
    """
    before = _creators.stack
    _creators.stack = (*before, variable_creator)
    try:
        yield
    finally:
        _creators.stack = before
