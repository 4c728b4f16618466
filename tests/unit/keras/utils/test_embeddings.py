"""Embeddings carried over to another vocabulary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

U = tf.keras.utils


def test_embeddings_carried_over(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("b\nc\n")
    table = U.warmstart_embedding_matrix(
        tf.constant(["a", "b"]), str(file), np.eye(2, dtype="float32"), "zeros"
    )
    assert table.numpy().tolist() == [[0, 1], [0, 0]]
    assert U.warmstart_embedding_matrix(
        ["a"], ["b"], np.ones((1, 2), "float32"), "zeros"
    ).numpy().tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="does not exist"):
        U.warmstart_embedding_matrix("nowhere.txt", ["b"], np.eye(2))
    with pytest.raises(ValueError, match="expected base_vocabulary to be a list"):
        U.warmstart_embedding_matrix(3, ["b"], np.eye(2))
    with pytest.raises(ValueError, match="got an empty new_vocabulary"):
        U.warmstart_embedding_matrix(["a"], [], np.eye(2))
