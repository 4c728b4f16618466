"""SavedModels of ordinary TensorFlow ops: what is in one, put together before anything is written."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.functions.concrete_function import ConcreteFunction
from tapeflow.engine.functions.function import Function
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers.features.index_lookup import IndexLookup
from tapeflow.keras.layers.features.text_vectorization import TextVectorization
from tapeflow.keras.models.kinds import AnyModel
from tapeflow.ops.graphs.nodes.lowering import CannotWrite
from tapeflow.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY as SERVING
from tapeflow.saved_model.constants import GRAPH_FILES
from tapeflow.saved_model.graph_writing import (
    BUNDLE,
    FILE,
    WHERE,
    Endpoint,
    GraphWriter,
    endpoint_of,
    endpoints_of,
    ranked,
)
from tapeflow.saved_model.keras_metadata import FILE as METADATA
from tapeflow.saved_model.keras_metadata import has_metadata, identifier_of, metadata
from tapeflow.saved_model.model_inputs import input_specs, input_structure, served
from tapeflow.saved_model.object_graph import ObjectGraph, Written
from tapeflow.train.bundle_writer import write_bundle
from tapeflow.train.trackable import children

_log = logging.getLogger("tapeflow.saved_model")


class GraphModel(NamedTuple):
    """A SavedModel, ready to be written.

    Attributes:
        files: the bytes of files, by name.
        tensors: what the checkpoint holds.
    """

    files: dict[str, bytes]
    tensors: dict[str, np.ndarray]

    @property
    def names(self) -> list[str]:
        """The files that it consists of, relative to its folder."""
        return [name for name in GRAPH_FILES if name in self.files or name.startswith(BUNDLE)]

    def write(self, folder: Path) -> None:
        """Write it; what makes it whole comes last."""
        (folder / "variables").mkdir(exist_ok=True)
        write_bundle(str(folder / BUNDLE), self.tensors)
        for name, data in sorted(self.files.items(), key=lambda item: item[0] == FILE):
            (folder / name).write_bytes(data)


def graph_model(
    obj: object,
    functions: dict[str, Function],
    signatures: dict[str, Any],
    training: dict[str, Any] | None = None,
) -> GraphModel:
    """The SavedModel of an object.

    Args:
        obj: a module, checkpoint or Keras model.
        functions: its functions, by name.
        signatures: functions of the object or others, by the names of signatures; of a Keras model, none means that
            it is served itself.
        training: how a Keras model was compiled, for Keras to compile it again.

    Raises:
        CannotWrite: a function has an op that TensorFlow's ops cannot do.
    """
    objects = ObjectGraph(children, _identified(obj))
    objects.add_all(obj)
    _add_weights_of_words(objects)
    writer = GraphWriter(objects)
    ends: dict[int, list[Endpoint]] = {}
    for name, function in functions.items():
        found = endpoints_of(function)
        if not found:
            continue
        try:
            objects.link(0, name, writer.write_function(name, found))
        except CannotWrite as error:
            if not any(spec.dtype.name == "string" for end in found for spec in end.specs):
                raise
            warnings.warn(f"tf.saved_model.save leaves out {name!r}: {error}", stacklevel=5)
            continue
        ends[id(function)] = found
    named = objects.add_plain("signatures", "signature_map")
    objects.link(0, "signatures", named)
    if isinstance(obj, AnyModel) and (not signatures or obj.built):
        _write_model(writer, obj, named if not signatures else None)
    for key, function in signatures.items():
        endpoint = ends[id(function)][0] if id(function) in ends else _endpoint(key, function)
        written = writer.write_concrete(f"signature_{key}", endpoint)
        _write_signature(writer, named, key, written, endpoint.specs)
    files = {FILE: writer.bytes()}
    if has_metadata(obj):
        files[METADATA] = metadata(objects, obj, training)
    return GraphModel(files, writer.tensors())


def _add_weights_of_words(objects: ObjectGraph) -> None:
    """The weights of `output_mode="tf_idf"`, which Keras keeps in Variables and wants to find in the checkpoint."""
    for number, layer in list(objects.numbered()):
        lookup = layer._lookup if isinstance(layer, TextVectorization) else layer
        if not isinstance(lookup, IndexLookup) or lookup.idf_weights is None:
            continue
        if lookup is not layer:
            number = objects.add_child(number, "_lookup_layer", lookup)
        objects.add_child(
            number, "idf_weights", Variable(lookup.idf_weights, trainable=False, name="idf_weights")
        )


def _identified(root: Any) -> Callable[[Any], str]:
    """Kinds of objects; a model that Keras cannot make again, and all in it, is an object like any other."""
    has_kinds = has_metadata(root)

    def identified(value: object) -> str:
        if has_kinds or isinstance(value, (list, tuple, dict)):
            return identifier_of(value)
        return "_generic_user_object"

    return identified


def _endpoint(key: str, function: Callable[..., Any]) -> Endpoint:
    if isinstance(function, ConcreteFunction):
        return ranked(endpoint_of(function))[0]
    found = endpoints_of(function) if isinstance(function, Function) else []
    if not found:
        raise ValueError(
            f"{WHERE} expected a function whose arguments are known for {key!r}; got {function!r}. Decorate it with "
            "@tf.function(input_signature=[tf.TensorSpec(...)])."
        )
    return found[0]


def _write_model(writer: GraphWriter, model: Any, signatures: int | None) -> None:
    """A Keras model's functions: `serve`, its call, and, unless there are others, the signature to serve."""
    objects, specs = writer.objects, input_specs(model)
    specs = [s if s.name else TensorSpec(s.shape, s.dtype, f"input_{i + 1}") for i, s in enumerate(specs)]
    structure = nest.pack_sequence_as(input_structure(model), specs)
    endpoint = Endpoint(lambda *inputs: served(model, inputs), specs, ((structure,), {}), ["inputs"])
    written = writer.write_concrete(model.name, endpoint)
    objects.link(0, "serve", writer.write_alias("serve", [(written, ((structure,), {}))], ["inputs"]))
    calls: list[tuple[Written, Any]] = [
        (written, ((structure, False, None), {})),
        (written, ((structure, None, None), {})),
    ]
    try:
        trained = Endpoint(
            lambda *inputs: model(nest.pack_sequence_as(input_structure(model), list(inputs)), training=True),
            specs,
            ((structure, True, None), {}),
            ["inputs"],
        )
        calls.append((writer.write_concrete(f"{model.name}_training", trained), trained.arguments))
    except CannotWrite as error:
        _log.info("The SavedModel has no call with training=True: %s", error)
    defaults = ["inputs", "training", "mask"]
    objects.link(0, "__call__", writer.write_alias("call", calls, defaults, (False, None)))
    if signatures is not None:
        labels = labels_of(model, written.outputs)
        _write_signature(writer, signatures, SERVING, written, specs, labels)


def _write_signature(
    writer: GraphWriter,
    signatures: int,
    key: str,
    written: Written,
    specs: list[TensorSpec],
    labels: list[str] | None = None,
) -> None:
    """A signature, if there can be one: a function with ragged results goes without."""
    try:
        writer.objects.link(signatures, key, writer.write_signature(key, written, specs, labels))
    except CannotWrite as error:
        warnings.warn(f"tf.saved_model.save leaves out a signature: {error}", stacklevel=6)


def labels_of(model: Any, outputs: Any) -> list[str] | None:
    """The names of a model's outputs, as signatures have them; none if they do not tell these apart."""
    names = list(getattr(model, "output_names", None) or [])
    count = len([part for part in nest.flatten(outputs) if isinstance(part, TensorSpec)])
    is_named = len(names) == count and len(set(names)) == count
    return names if is_named and not isinstance(outputs, dict) else None
