"""The `Embedding` layers of a model as points for the projector, and the labels of their points."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import tapeflow as tf
from tapeflow.summary.kinds.embeddings import read_embeddings
from tapeflow.summary.kinds.projector_files import locked, read_config, write_config

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer
    from tapeflow.keras.models.model import Model

_TENSOR = "layer_with_weights-{}/embeddings/.ATTRIBUTES/VARIABLE_VALUE"


def embedding_layers(model: Model) -> list[Any]:
    """The layers whose weights are points."""
    return [layer for layer in model.layers if isinstance(layer, tf.keras.layers.Embedding)]


def check_metadata(metadata: Any, model: Model) -> None:
    """Raise if labels are given for a layer that is not there."""
    if not isinstance(metadata, Mapping):
        return
    unknown = sorted(set(metadata) - {layer.name for layer in embedding_layers(model)})
    if unknown:
        raise ValueError(
            "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` `embeddings_metadata` "
            f"argument: {unknown}"
        )


def write_embeddings(model: Model, log_dir: str, metadata: Any, step: int) -> None:
    """Write the points of every `Embedding` layer to the default writer.

    Args:
        model: the model.
        log_dir: what the files of labels are relative to.
        metadata: such a file, or a file for each layer's name; None for no labels.
        step: the step.
    """
    for layer in embedding_layers(model):
        if not layer.weights:  # not built yet
            continue
        file = _labels_of(layer, metadata)
        columns = {} if file is None else dict(_columns(os.path.join(log_dir, file)))
        tf.summary.embedding(layer.name, layer.weights[0], metadata=columns, step=step)


def write_keras_config(model: Model, log_dir: str, run: str, metadata: Any) -> None:
    """Write the configuration that TensorFlow's callback writes to `log_dir`, with the newest points of a run.

    It names the weights of every `Embedding` layer as checkpoints do. What else the configuration has stays.

    Args:
        model: the model.
        log_dir: the folder.
        run: the folder in it that the points were written to, and are in by now.
        metadata: as for `write_embeddings`.
    """
    newest = {found.name: found for found in read_embeddings(os.path.join(log_dir, run))}
    entries: list[dict[str, Any]] = []
    for number, layer in enumerate(layer for layer in model.layers if layer.weights):
        if not isinstance(layer, tf.keras.layers.Embedding):
            continue
        entry: dict[str, Any] = {"tensor_name": _TENSOR.format(number)}
        file, points = _labels_of(layer, metadata), newest.get(layer.name)
        if file is not None:
            entry["metadata_path"] = file
        if points is not None:
            entry |= {"tensor_path": f"{run}/{points.vectors}", "tensor_shape": points.shape}
        entries.append(entry)
    with locked(log_dir):
        config, own = read_config(log_dir), {entry["tensor_name"] for entry in entries}
        kept = [entry for entry in config.embeddings if entry.tensor_name not in own]
        del config.embeddings[:]
        for entry in entries:
            config.embeddings.add(**entry)
        config.embeddings.extend(kept)
        write_config(log_dir, config)


def _labels_of(layer: Layer, metadata: Any) -> str | None:
    """The file of a layer's labels."""
    file = metadata.get(layer.name) if isinstance(metadata, Mapping) else metadata
    return None if file is None else os.fspath(file)


def _columns(path: str) -> Iterator[tuple[str, list[str]]]:
    """The columns of a file of labels: a line for each point, and before them the names if there are several."""
    with open(path, encoding="utf-8") as file:
        rows = [line.split("\t") for line in file.read().splitlines()]
    if rows and len(rows[0]) > 1:
        names, rows = rows[0], rows[1:]
    else:
        names = ["label"]
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        yield name, list(column)
