"""Types whose instances a layer may return in place of tensors: `register_symbolic_tensor_type`.

A library's distribution that acts like a tensor is one: while shapes are inferred its tensor stands for it, and in a
call with data the object itself goes on to the next layer, the loss and the caller.
"""

from __future__ import annotations

_types: list[type] = []


def register_symbolic_tensor_type(cls: type) -> None:
    """Let layers return instances of a class, which must be convertible to tensors."""
    if not isinstance(cls, type):
        raise TypeError(f"register_symbolic_tensor_type expected a class; got {cls!r}.")
    _types.append(cls)


def is_registered(value: object) -> bool:
    """Whether a value's type is one of these."""
    return isinstance(value, tuple(_types))
