"""`tf.register_tensor_conversion_function`: how objects of users' classes become tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

converters: list[tuple[int, tuple[type, ...], Callable[..., Any]]] = []
"""What has been registered: priority, types and function; the smallest priority first, then the latest."""


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let `tf.convert_to_tensor` and all ops accept objects of a type.

    Args:
        base_type: the type, or several; not those of numbers, arrays and tensors, which are known.
        conversion_func: called as `conversion_func(value, dtype=None, name=None, as_ref=False)`; returns a tensor, or
            `NotImplemented` to leave it to others.
        priority: those of smaller ones are asked first.
    """
    where = "tf.register_tensor_conversion_function"
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError(
            f"{where} expected a type: base_type must be a type or a tuple of types; got {base_type!r}."
        )
    if not callable(conversion_func):
        raise TypeError(
            f"{where} expected a function: conversion_func must be callable; got {conversion_func!r}."
        )
    known = [t.__name__ for t in types if issubclass(t, (bool, int, float, complex, str, bytes))]
    if known:
        raise TypeError(
            f"{where} expected types that you defined: Cannot register conversions for Python numeric types and NumPy "
            f"scalars and arrays; got {', '.join(known)}."
        )
    converters.insert(0, (priority, types, conversion_func))
    converters.sort(key=lambda entry: entry[0])


def converted(value: object, dtype: Any) -> Any:
    """The result of the first function registered for a value's type; NotImplemented if there is none."""
    for _, types, function in converters:
        if isinstance(value, types):
            found = function(value, dtype=dtype, name=None, as_ref=False)
            if found is not NotImplemented:
                return found
    return NotImplemented
