"""The `Embedding` layers of a model as points for the projector, and the labels of their points."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import tapeflow as tf


def embedding_layers(model: Any) -> list[Any]:
    """The layers whose weights are points."""
    return [layer for layer in model.layers if isinstance(layer, tf.keras.layers.Embedding)]


def check_metadata(metadata: Any, model: Any) -> None:
    """Raise if labels are given for a layer that is not there."""
    if not isinstance(metadata, Mapping):
        return
    unknown = sorted(set(metadata) - {layer.name for layer in embedding_layers(model)})
    if unknown:
        raise ValueError(
            "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` `embeddings_metadata` "
            f"argument: {unknown}"
        )


def write_embeddings(model: Any, log_dir: str, metadata: Any, step: int) -> None:
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
        file = metadata.get(layer.name) if isinstance(metadata, Mapping) else metadata
        columns = {} if file is None else dict(_columns(os.path.join(log_dir, os.fspath(file))))
        tf.summary.embedding(layer.name, layer.weights[0], metadata=columns, step=step)


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
