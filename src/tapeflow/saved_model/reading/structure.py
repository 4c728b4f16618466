"""How arguments and results nest: StructuredValues as Python values with specs for tensors."""

from __future__ import annotations

import collections
import keyword
from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow.saved_model.interpreter.kernels import GraphError, dtype_of, shape_of
from tapeflow.saved_model.interpreter.values import proto_value

_DEEPEST = 60


class Other:
    """A kind of value that has no counterpart here, by the name that TensorFlow gives it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


def decoded(proto: Any, depth: int = 0) -> Any:
    """A StructuredValue as a Python value.

    Raises:
        GraphError: it nests too deep, or is damaged.
    """
    if depth > _DEEPEST:
        raise GraphError("a structure nests deeper than structures do")
    kind = proto.WhichOneof("kind")
    value: Any = getattr(proto, kind) if kind is not None else None
    if kind is None or kind == "none_value":
        return None
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return value
    if kind == "tensor_shape_value":
        return tf.TensorShape(shape_of(value))
    if kind == "tensor_dtype_value":
        return dtype_of(value)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return tf.TensorSpec(shape_of(value.shape), dtype_of(value.dtype), value.name or None)
    if kind in ("list_value", "tuple_value"):
        items = [decoded(v, depth + 1) for v in value.values]
        return items if kind == "list_value" else tuple(items)
    if kind == "dict_value":
        return {k: decoded(v, depth + 1) for k, v in value.fields.items()}
    if kind == "named_tuple_value":
        return _named_tuple(value, depth)
    if kind == "type_spec_value":
        return _type_spec(value, depth)
    return tf.constant(proto_value(value, kind))


def _named_tuple(proto: Any, depth: int) -> Any:
    names = [pair.key for pair in proto.values]
    values = [decoded(pair.value, depth + 1) for pair in proto.values]
    is_sound = all(n.isidentifier() and not n.startswith("_") and not keyword.iskeyword(n) for n in names)
    if not is_sound or len(set(names)) != len(names):
        return tuple(values)
    name = proto.name if proto.name.isidentifier() and not keyword.iskeyword(proto.name) else "Values"
    return collections.namedtuple(name, names)(*values)


def _type_spec(proto: Any, depth: int) -> Any:
    state = decoded(proto.type_state, depth + 1)
    try:
        if proto.type_spec_class == 1:
            return tf.SparseTensorSpec(*state)
        if proto.type_spec_class == 3:
            return tf.RaggedTensorSpec(*state[:4])
        if proto.type_spec_class == 2:
            return tf.IndexedSlicesSpec(*state[:2])
    except (TypeError, ValueError, IndexError) as error:
        raise GraphError(f"a {proto.type_spec_class_name} is damaged: {error}") from error
    return Other(proto.type_spec_class_name or "TypeSpec")


def leaves(structure: object) -> Iterator[Any]:
    """The leaves of a structure in TensorFlow's order: dicts by key."""
    if isinstance(structure, dict):
        for key in sorted(structure):
            yield from leaves(structure[key])
    elif isinstance(structure, (list, tuple)):
        for item in structure:
            yield from leaves(item)
    else:
        yield structure


def component_count(spec: object) -> int:
    """How many tensors a leaf stands for."""
    if isinstance(spec, tf.RaggedTensorSpec):
        return 1 + spec.ragged_rank
    if isinstance(spec, tf.SparseTensorSpec):
        return 3
    return int(isinstance(spec, tf.TensorSpec))


def packed(structure: object, tensors: Iterator[Any]) -> Any:
    """A structure with tensors, or what several of them make, at its specs."""
    if isinstance(structure, dict):
        found = {key: packed(structure[key], tensors) for key in sorted(structure)}
        return {key: found[key] for key in structure}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[packed(item, tensors) for item in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([packed(item, tensors) for item in structure])
    if isinstance(structure, tf.RaggedTensorSpec):
        values = next(tensors)
        splits = [next(tensors) for _ in range(structure.ragged_rank)]
        return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False) if splits else values
    if isinstance(structure, tf.SparseTensorSpec):
        return tf.SparseTensor(next(tensors), next(tensors), next(tensors))
    return next(tensors) if isinstance(structure, tf.TensorSpec) else structure
