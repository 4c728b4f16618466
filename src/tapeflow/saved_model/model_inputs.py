"""What a Keras model takes, and calling it so."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor_spec import TensorSpec


def served(model: Any, inputs: tuple[Any, ...]) -> Any:
    """What a Keras model gives for its inputs, one after the other."""
    packed = nest.pack_sequence_as(input_structure(model), list(inputs))
    return model(packed, training=False)


def input_structure(model: Any) -> Any:
    """The structure of a model's inputs."""
    structure = getattr(model, "_nested_inputs", None)
    return vars(model).get("_export_inputs") if structure is None else structure


def input_specs(model: Any) -> list[TensorSpec]:
    """The specs of a Keras model's inputs, in their order."""
    structure = getattr(model, "_nested_inputs", None)
    if structure is None:
        if "_export_inputs" in vars(model):
            return nest.flatten(model._export_inputs)
        shapes = vars(model).get("_build_input_shape")
        if not model.built or shapes is None:
            raise ValueError(
                f"Exporting expected a model that knows its inputs; got {model.name!r}, which has not been called. "
                "Call it on some data first."
            )
        shapes = [shapes] if _is_shape(shapes) else shapes
        specs = [TensorSpec((None, *shape[1:]), model.compute_dtype) for shape in shapes]
        vars(model)["_export_inputs"] = specs[0] if len(specs) == 1 else specs
        return specs
    return [TensorSpec(x.shape, x.dtype, name=x.name) for x in nest.flatten(structure)]


def _is_shape(value: Any) -> bool:
    return all(d is None or isinstance(d, int) for d in value)
