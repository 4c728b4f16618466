"""`tensorflow.python.trackable`, its `base` and `data_structures`: what a module wraps its lists and dicts in.

A module finds the Variables in plain lists, tuples and dicts here, so nothing is wrapped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.train.trackable import Trackable as Trackable

List = ListWrapper = list
Mapping = dict
_DictWrapper = dict


def NoDependency(value: Any) -> Any:
    """The value itself: an attribute set to this is the value in TensorFlow too."""
    return value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """The value that is to be set as an attribute."""
    return value


def wrap_or_unwrap(value: Any) -> Any:
    """The value itself: nothing is wrapped."""
    return value


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that sets attributes which no checkpoint shall follow."""
    return method
