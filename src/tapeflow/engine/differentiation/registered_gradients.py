"""`tf.RegisterGradient`: gradients under names that only graphs would look up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Gradient = TypeVar("_Gradient", bound=Callable[..., object])
_names: set[str] = set()


class RegisterGradient:
    """Takes note of a gradient's name.

    TensorFlow looks such names up for ops of a user's own and in `Graph.gradient_override_map`, neither of which
    there is here: `tf.custom_gradient` gives a function another gradient.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(
                f"tf.RegisterGradient expected the name of an op; got op_type={op_type!r}. Write "
                "@tf.RegisterGradient('Name') above the function."
            )
        self._op_type = op_type

    def __call__(self, f: _Gradient) -> _Gradient:
        if self._op_type in _names:
            raise KeyError(
                f"tf.RegisterGradient expected a name that is not taken; got op_type={self._op_type!r} twice. Choose "
                "another."
            )
        _names.add(self._op_type)
        return f
