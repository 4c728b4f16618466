"""The projector's configuration: TensorBoard's `projector`.

    from tapeflow.plugins import projector

    config = projector.ProjectorConfig()
    embedding = config.embeddings.add(tensor_name="words", tensor_path="words.tsv", metadata_path="labels.tsv")
    projector.visualize_embeddings("logs", config)

`tf.summary.embedding` writes all these files in one line.
"""

from __future__ import annotations

import os
from typing import Any

from tapeflow.summary.kinds.projector_checkpoints import checkpoint_vectors
from tapeflow.summary.kinds.projector_files import FOLDER, safe_name, vectors_file, write_config, write_file
from tapeflow.summary.protos import message

EmbeddingInfo = message("projector.EmbeddingInfo")
ProjectorConfig = message("projector.ProjectorConfig")
SpriteMetadata = message("projector.SpriteMetadata")

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]


def visualize_embeddings(logdir: str | os.PathLike[str], config: Any) -> None:
    """Write a configuration for the projector.

    Vectors that are named and lie in a checkpoint of TapeFlow's, the latest one in the folder or
    `config.model_checkpoint_path`, are taken out into a file of their own, as TensorBoard cannot.

    Args:
        logdir: the run's folder, which is made if need be; the paths in the configuration are relative to it.
        config: a `ProjectorConfig`, ours or TensorBoard's. It stays as it is.
    """
    if not isinstance(logdir, (str, os.PathLike)):
        raise ValueError(
            f"visualize_embeddings expected logdir to be a path; got {logdir!r}: Expected logdir to be a path, "
            f"but got {logdir!r}."
        )
    folder = os.fspath(logdir)
    written = ProjectorConfig.FromString(config.SerializeToString())
    for info in written.embeddings:
        if info.tensor_name and not info.tensor_path:
            vectors = checkpoint_vectors(folder, written.model_checkpoint_path, info.tensor_name)
            if vectors is not None:
                ending, data = vectors_file(vectors)
                info.tensor_path = f"{FOLDER}/{safe_name(info.tensor_name)}/vectors.{ending}"
                del info.tensor_shape[:]
                info.tensor_shape.extend(vectors.shape)
                write_file(os.path.join(folder, *info.tensor_path.split("/")), data)
    write_config(folder, written)
