"""`tensorflow.python.framework.{composite_tensor,type_spec,type_spec_registry}` and what else is about composites."""

from __future__ import annotations

from collections.abc import Callable

from tapeflow.engine.values.composite_tensor import BatchableTypeSpec as BatchableTypeSpec
from tapeflow.engine.values.composite_tensor import CompositeTensor as CompositeTensor
from tapeflow.engine.values.composite_tensor import VariableSpec as VariableSpec
from tapeflow.engine.values.composite_tensor import (
    convert_variables_to_tensors as convert_variables_to_tensors,
)
from tapeflow.engine.values.tensor_spec import TensorSpec as DenseSpec  # noqa: F401
from tapeflow.engine.values.type_spec import TypeSpec
from tapeflow.ops.debugging.introspection import type_spec_from_value as type_spec_from_value

_NAME_TO_TYPE_SPEC: dict[str, type[TypeSpec]] = {}
_TYPE_SPEC_TO_NAME: dict[type[TypeSpec], str] = {}


def register(name: str) -> Callable[[type[TypeSpec]], type[TypeSpec]]:
    """Give a class of specs a name that is its own."""

    def registered(cls: type[TypeSpec]) -> type[TypeSpec]:
        if not issubclass(cls, TypeSpec):
            raise TypeError(f"type_spec_registry.register expected a subclass of tf.TypeSpec; got {cls!r}.")
        if _NAME_TO_TYPE_SPEC.get(name, cls) is not cls:
            raise ValueError(
                f"type_spec_registry.register expected a unique name: Name {name} has already been registered; "
                f"got it for {cls.__qualname__}, too. Use another name."
            )
        _NAME_TO_TYPE_SPEC[name], _TYPE_SPEC_TO_NAME[cls] = cls, name
        return cls

    return registered


def get_name(cls: type[TypeSpec]) -> str:
    """The name of a class of specs."""
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(
            f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered. Register it first."
        )
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type[TypeSpec]:
    """The class of specs that has a name."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}. Register it first.")
    return _NAME_TO_TYPE_SPEC[name]
