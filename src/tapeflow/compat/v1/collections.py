"""Functions of TensorFlow 1 that ask a graph for what is in it, and assign to Variables."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.variable import Variable


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """What a graph's collection holds: nothing, as in eager mode."""
    return []


def add_to_collection(name: str, value: Any) -> None:
    """Nothing to do: there are no collections, as in eager mode."""


def global_variables(scope: str | None = None) -> list[Variable]:
    """The Variables of the graph: none, as in eager mode, where layers and modules keep them."""
    return []


local_variables = model_variables = trainable_variables = global_variables


def assign(
    ref: Variable,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """`ref.assign(value)`."""
    return ref.assign(value)


def assign_add(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref.assign_add(value)`."""
    return ref.assign_add(value)


def assign_sub(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref.assign_sub(value)`."""
    return ref.assign_sub(value)
