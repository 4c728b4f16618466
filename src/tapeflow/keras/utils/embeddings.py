"""`warmstart_embedding_matrix`: what was learnt of words, carried over to another vocabulary."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.annotations import InitializerLike


def warmstart_embedding_matrix(
    base_vocabulary: Any,
    new_vocabulary: Any,
    base_embeddings: Any,
    new_embeddings_initializer: InitializerLike = "uniform",
) -> Any:
    """An embedding matrix for a new vocabulary: the rows of known words as they were, others drawn.

    Args:
        base_vocabulary: the words that `base_embeddings` has rows for: a list, an array, a tensor, or the path
            of a file with one a line.
        new_vocabulary: the words that the new matrix is for.
        base_embeddings: the old matrix.
        new_embeddings_initializer: draws the rows of words that are new.

    >>> tf.keras.utils.warmstart_embedding_matrix(["a", "b"], ["b", "c"], tf.constant([[1.0], [2.0]]), "zeros").numpy()
    array([[2.],
           [0.]], dtype=float32)
    """
    old, new = _words(base_vocabulary, "base_vocabulary"), _words(new_vocabulary, "new_vocabulary")
    embeddings = tf.convert_to_tensor(base_embeddings)
    initializer = tf.keras.initializers.get(new_embeddings_initializer or "uniform")
    matrix = initializer((len(new), embeddings.shape[1]), dtype=embeddings.dtype)
    places = {word: i for i, word in enumerate(old)}
    known = [(i, places[word]) for i, word in enumerate(new) if word in places]
    if not known:
        return matrix
    rows, sources = np.array(known, np.int64).T
    return tf.tensor_scatter_nd_update(matrix, rows[:, None], tf.gather(embeddings, sources))


def _words(vocabulary: Any, name: str) -> list[str]:
    where = "tf.keras.utils.warmstart_embedding_matrix"
    if isinstance(vocabulary, (str, os.PathLike)):
        if not tf.io.gfile.exists(vocabulary):
            raise ValueError(f"{where} expected a file: Vocabulary file {vocabulary} does not exist.")
        with tf.io.gfile.GFile(vocabulary, "r") as file:
            words: Any = file.read().splitlines()
    elif tf.is_tensor(vocabulary):
        words = vocabulary.numpy().tolist()
    elif isinstance(vocabulary, (list, tuple, np.ndarray)):
        words = list(vocabulary)
    else:
        raise ValueError(
            f"{where} expected {name} to be a list, an array, a tensor or a file; got a {type(vocabulary).__name__}."
        )
    if not words:
        raise ValueError(f"{where} expected words; got an empty {name}.")
    return [w.decode() if isinstance(w, bytes) else str(w) for w in words]
