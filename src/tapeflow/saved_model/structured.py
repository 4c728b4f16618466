"""Arguments and results as SavedModels describe them: `StructuredValue`s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.graphs.nodes.function_body import kind_of, shape_message
from tapeflow.ops.ragged.recorded import RaggedMark
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.summary.protos import message

_RAGGED = 3  # RAGGED_TENSOR_SPEC of TypeSpecProto
FULL_ARG_SPEC = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations")


def structured(value: object) -> Any:
    """A nested value as a message.

    Raises:
        ValueError: something in it has no place there.
    """
    found = message("StructuredValue")()
    if value is None:
        found.none_value.SetInParent()
    elif isinstance(value, bool):
        found.bool_value = value
    elif isinstance(value, int):
        found.int64_value = value
    elif isinstance(value, float):
        found.float64_value = value
    elif isinstance(value, str):
        found.string_value = value
    elif isinstance(value, TensorSpec):
        spec = found.tensor_spec_value
        spec.name, spec.dtype = value.name or "", kind_of(value.dtype)
        spec.shape.CopyFrom(shape_message(None if value.shape.rank is None else value.shape.as_list()))
    elif isinstance(value, RaggedTensorSpec):
        spec = found.type_spec_value
        spec.type_spec_class, spec.type_spec_class_name = _RAGGED, "RaggedTensorSpec"
        spec.num_flat_components = 1 + value.ragged_rank
        parts = spec.type_state.tuple_value.values
        parts.add().tensor_shape_value.CopyFrom(shape_message(value.shape.as_list()))
        parts.add().tensor_dtype_value = kind_of(value.dtype)
        parts.add().int64_value = value.ragged_rank
        parts.add().tensor_dtype_value = kind_of(value.row_splits_dtype)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        named = found.named_tuple_value
        named.name = type(value).__name__
        for key, part in zip(getattr(value, "_fields"), value, strict=True):  # noqa: B009 - pyright
            named.values.add(key=key).value.CopyFrom(structured(part))
    elif isinstance(value, tuple):
        found.tuple_value.SetInParent()
        found.tuple_value.values.extend([structured(part) for part in value])
    elif isinstance(value, list):
        found.list_value.SetInParent()
        found.list_value.values.extend([structured(part) for part in value])
    elif isinstance(value, dict):
        found.dict_value.SetInParent()
        for key, part in value.items():
            found.dict_value.fields[str(key)].CopyFrom(structured(part))
    else:
        raise ValueError(
            f"tf.saved_model.save expected arguments that are tensors, numbers, texts and structures of them; got a "
            f"{type(value).__name__}: {str(value)[:100]!r}. Leave it out of the function's arguments."
        )
    return found


def argument_spec(
    names: Sequence[str], keyword_only: Sequence[str] = (), defaults: Sequence[Any] = ()
) -> Any:
    """The message for the names of a function's arguments, as Python's `FullArgSpec`."""
    found = message("StructuredValue")()
    named = found.named_tuple_value
    named.name = "FullArgSpec"
    values: dict[str, Any] = {
        "args": list(names),
        "varargs": None,
        "varkw": None,
        "defaults": tuple(defaults) if defaults else None,
        "kwonlyargs": list(keyword_only),
        "kwonlydefaults": None,
        "annotations": {},
    }
    for key in FULL_ARG_SPEC:
        named.values.add(key=key).value.CopyFrom(structured(values[key]))
    return found


def filled_structure(structure: Any, results: Sequence[Any]) -> Any:
    """A structure of numbers with what these number."""

    def filled(part: Any) -> Any:
        if isinstance(part, RaggedMark):
            values, splits = (results[number] for number in part.numbers)
            rows = splits.shape.as_list()[0]
            shape = [None if rows is None else rows - 1, None, *values.shape.as_list()[1:]]
            return RaggedTensorSpec(shape, values.dtype, 1, splits.dtype)
        return None if part is None else results[part]

    return nest.map_structure(filled, structure)
