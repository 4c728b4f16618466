"""Which symbolic calls take what a layer gives.

The references are weak and lie apart from the layers, so that a deep copy of a layer goes no further.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer

_followers: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()


def follow(layer: Layer, node: Any) -> None:
    """Note that a call takes what a layer gives."""
    _followers.setdefault(layer, []).append(weakref.ref(node))


def calls_after(layer: Any) -> list[Any]:
    """The symbolic calls that take what a layer gives."""
    return [node for follower in _followers.get(layer, ()) if (node := follower()) is not None]
