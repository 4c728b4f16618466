"""`projector`: what `visualize_embeddings` refuses; what it writes is checked against TensorBoard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.plugins import projector
from tapeflow.summary.kinds.embeddings import read_embeddings, read_vectors


def test_a_configuration_is_read_back(tmp_path: Path) -> None:
    config = projector.ProjectorConfig()
    info = config.embeddings.add()
    info.tensor_name, info.metadata_path = "embedding/.ATTRIBUTES/VARIABLE_VALUE", "metadata.tsv"
    projector.visualize_embeddings(tmp_path / "new", config)
    (found,) = read_embeddings(tmp_path / "new")
    assert (found.name, found.step, found.metadata) == (info.tensor_name, None, "metadata.tsv")


@pytest.mark.parametrize("name", ["embedding/.ATTRIBUTES/VARIABLE_VALUE", "embedding", "embedding:0"])
def test_vectors_are_taken_out_of_a_checkpoint(tmp_path: Path, name: str) -> None:
    weights = tf.Variable(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))
    checkpoint = tf.train.Checkpoint(embedding=weights)
    for _ in range(2):  # the latest one counts
        checkpoint.save(tmp_path / "größe.ckpt")
        weights.assign(weights * 2)
    config = projector.ProjectorConfig()
    config.embeddings.add(tensor_name=name, metadata_path="metadata.tsv")
    projector.visualize_embeddings(tmp_path, config)
    (found,) = read_embeddings(tmp_path)
    assert (found.name, found.shape, found.metadata) == (name, (5, 3), "metadata.tsv")
    vectors = read_vectors(tmp_path / found.vectors, found.shape)
    np.testing.assert_array_equal(vectors, weights.numpy() / 2)
    assert not config.embeddings[0].tensor_path


@pytest.mark.parametrize("content", [b"", b"\xff" * 20, b"\x02" + bytes(7) + b"{}"], ids=["0", "f", "none"])
def test_a_checkpoint_that_cannot_be_read_is_only_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "x"\n')
    (tmp_path / "x.safetensors").write_bytes(content)
    config = projector.ProjectorConfig()
    config.embeddings.add(tensor_name="embedding")
    projector.visualize_embeddings(tmp_path, config)
    (found,) = read_embeddings(tmp_path)
    assert (found.name, found.vectors) == ("embedding", "")


def test_wrong_arguments_raise() -> None:
    with pytest.raises(ValueError, match="Expected logdir to be a path, but got None"):
        projector.visualize_embeddings(None, projector.ProjectorConfig())  # pyright: ignore[reportArgumentType]
