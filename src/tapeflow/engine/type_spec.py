"""`tf.TypeSpec`: what every description of a value is an instance of."""

from __future__ import annotations

from typing import Any


class TypeSpec:
    """The base class of specs: of tensors, ragged and sparse ones, and extension types."""

    __slots__ = ()

    def is_compatible_with(self, spec_or_value: Any, /) -> bool:
        """Whether a value, or some value of a spec, can meet this spec."""
        raise NotImplementedError
