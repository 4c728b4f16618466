"""What a program does, apart from the sizes in it.

`split` takes the whole numbers out of a structure and leaves the rest, to be compared; `filled` puts others in their
place. Both go through the structure in the same order. Which numbers are sizes is not known here: those that
never change do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Rebuild = Callable[[Any, tuple[Any, ...]], Any]

structured: dict[type, tuple[Callable[[Any], tuple[Any, ...]], Rebuild]] = {}
"""By type: the parts of an object that may have sizes in them, and how to make another object of such parts.

The first part, if it is a `Fixed`, is the rest of the object, for comparison.
"""


class Fixed:
    """A part that is compared as it is."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def split(value: Any, sizes: list[int]) -> Any:
    """What is left of `value` without its whole numbers, which are appended to `sizes`; hashable."""
    kind = type(value)
    if kind is int:
        sizes.append(value)
        return _SIZE
    if kind is Fixed:
        return value.value
    if kind is tuple or kind is list:
        return (kind, tuple([split(part, sizes) for part in value]))
    if kind is dict:
        return (kind, tuple([(key, split(part, sizes)) for key, part in value.items()]))
    known = structured.get(kind)
    if known is not None:
        return (kind, tuple([split(part, sizes) for part in known[0](value)]))
    if isinstance(value, tuple):  # a named one
        return (kind, tuple([split(part, sizes) for part in value]))
    if kind is np.ndarray:
        return (kind, value.dtype.str, value.shape, value.tobytes())
    if kind is float:
        return (kind, value.hex())
    return (kind, value)


_SIZE = ("a size",)


def filled(value: Any, sizes: Iterator[Any]) -> Any:
    """`value` with these sizes for its whole numbers."""
    kind = type(value)
    if kind is int:
        return next(sizes)
    if kind is tuple or kind is list:
        return kind([filled(part, sizes) for part in value])
    if kind is dict:
        return {key: filled(part, sizes) for key, part in value.items()}
    known = structured.get(kind)
    if known is not None:
        return known[1](value, tuple([filled(part, sizes) for part in known[0](value)]))
    if isinstance(value, tuple):
        return kind(*[filled(part, sizes) for part in value])
    return value
