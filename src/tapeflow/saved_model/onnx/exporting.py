"""`model.export(path, format="onnx")`: a Keras model as an ONNX file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tapeflow import version
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.graphs.nodes.function_body import CannotLower, Library
from tapeflow.ops.graphs.nodes.lowering import CannotWrite, Lowered, lower_function
from tapeflow.saved_model.graph_saving import labels_of
from tapeflow.saved_model.graph_writing import input_names, output_names
from tapeflow.saved_model.model_inputs import input_specs, served
from tapeflow.saved_model.onnx.backend import onnx
from tapeflow.saved_model.onnx.conversion import Converter
from tapeflow.saved_model.onnx.graph import Graph, Tensor
from tapeflow.saved_model.structured import filled_structure
from tapeflow.train.atomic import replacing

OLDEST_OPSET, NEWEST_OPSET = 18, min(24, onnx.defs.onnx_opset_version())
"""The versions of ONNX's ops that are written; the oldest runs in most runtimes, and is the default."""
_MOST_BYTES = (1 << 31) - 1  # of a message of protobuf
_WHERE = "Model.export"


def export_onnx(model: Any, filepath: Any, opset: int | None = None) -> None:
    """Write what a Keras model computes for prediction to an ONNX file, which is replaced whole.

    Args:
        model: a model that knows its inputs.
        filepath: the file.
        opset: the version of ONNX's ops; `OLDEST_OPSET` unless it is given.

    Raises:
        CannotWrite: a node has no form in ONNX; it is named, and nothing is written.
        ValueError: the opset is not known, or the file would be larger than 2 GiB.
    """
    data = onnx_model(model, opset).SerializeToString()
    if len(data) > _MOST_BYTES:
        raise ValueError(
            f"{_WHERE} expected a model of at most 2 GiB for ONNX; got {model.name!r} of {len(data)} bytes. Export it "
            "as a SavedModel, or with weights of half the precision."
        )
    with replacing(Path(os.fsdecode(filepath)).expanduser()) as temporary:
        temporary.write_bytes(data)


def onnx_model(model: Any, opset: int | None = None) -> Any:
    """A Keras model as a `ModelProto`."""
    version_of_ops = OLDEST_OPSET if opset is None else opset
    is_number = isinstance(version_of_ops, int) and not isinstance(version_of_ops, bool)
    if not is_number or not OLDEST_OPSET <= version_of_ops <= NEWEST_OPSET:
        raise ValueError(
            f"{_WHERE} expected an opset from {OLDEST_OPSET} to {NEWEST_OPSET}; got opset={opset!r}. Leave it out for "
            f"{OLDEST_OPSET}, which most runtimes know."
        )
    specs = input_specs(model)
    names = input_names(
        [s if s.name else TensorSpec(s.shape, s.dtype, f"input_{i + 1}") for i, s in enumerate(specs)]
    )
    library = Library()
    lowered = lower_function(library, model.name, lambda *inputs: served(model, inputs), specs, _WHERE)
    outputs = filled_structure(lowered.structure, lowered.results)
    try:
        graph = _graph(
            library, lowered, specs, names, labels_of(model, outputs) or output_names(outputs), version_of_ops
        )
    except CannotLower as error:
        raise CannotWrite(
            f"{_WHERE} expected a model that ONNX's ops can do; got {model.name!r}, which {error}. Export it as a "
            "SavedModel, or write that part with other ops."
        ) from error
    opsets = [onnx.helper.make_opsetid("", version_of_ops)]
    return onnx.helper.make_model(
        graph,
        producer_name="tapeflow",
        producer_version=version.VERSION,
        opset_imports=opsets,
        ir_version=onnx.helper.find_min_ir_version_for(opsets),
    )


def _graph(
    library: Library,
    lowered: Lowered,
    specs: list[TensorSpec],
    names: list[str],
    labels: list[str],
    opset: int,
) -> Any:
    graph = Graph(opset)
    inputs = [graph.argument(n, tuple(s.shape.as_list()), s.dtype) for n, s in zip(names, specs, strict=True)]
    named = [graph.unique(label) for label in labels]  # before any node takes one of these names
    results = Converter(library).convert(graph, lowered.name, [*inputs, *lowered.variables])
    graph.scope = ""
    outputs: list[Tensor] = []
    for label, result in zip(named, results, strict=True):
        if not isinstance(result, Tensor):
            raise CannotLower(f"gives a {type(result).__name__} as its result {label!r}")
        outputs.append(graph.own(result, label))
    return graph.finish(lowered.name.removeprefix("__inference_"), inputs, outputs)
