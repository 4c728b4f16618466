"""Losses and decoding of sequences without marks between their labels: CTC, as text recognition uses it."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config


def ctc_batch_cost(
    y_true: TensorLike, y_pred: TensorLike, input_length: TensorLike, label_length: TensorLike
) -> Tensor:
    """The CTC loss of each sample, shape (samples, 1); the last class is the blank.

    Args:
        y_true: class numbers, shape (samples, longest).
        y_pred: probabilities, shape (samples, time, classes).
        input_length: how many steps of each sample count, shape (samples, 1).
        label_length: how many labels each sample has, shape (samples, 1).
    """
    scores = tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + config.epsilon())
    losses = tf.nn.ctc_loss(
        tf.cast(y_true, tf.int32),
        scores,
        tf.cast(tf.squeeze(label_length, -1), tf.int32),
        tf.cast(tf.squeeze(input_length, -1), tf.int32),
        blank_index=-1,
    )
    return tf.expand_dims(losses, 1)


def ctc_label_dense_to_sparse(labels: TensorLike, label_lengths: Any) -> Any:
    """The labels of each row up to its length, as a SparseTensor."""
    rows = tf.convert_to_tensor(labels)
    places = tf.where(tf.sequence_mask(label_lengths, rows.shape[1]))
    return tf.SparseTensor(places, tf.gather_nd(rows, places), rows.shape.as_list())


def ctc_decode(
    y_pred: np.ndarray,
    input_length: TensorLike,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[Any], Any]:
    """The likeliest labels of each sample, filled up with -1, and their log-probabilities.

    Args:
        y_pred: probabilities, shape (samples, time, classes); the last class is the blank.
        input_length: how many steps of each sample count.
        greedy: take the best class at each step instead of searching.
        beam_width: how many beginnings a search keeps.
        top_paths: how many label sequences a search gives.
    """
    scores = tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + config.epsilon())
    lengths = tf.cast(input_length, tf.int32)
    if greedy:
        paths, chances = tf.nn.ctc_greedy_decoder(scores, lengths)
    else:
        paths, chances = tf.nn.ctc_beam_search_decoder(scores, lengths, beam_width, top_paths)
    whole = [tf.SparseTensor(p.indices, p.values, tuple(y_pred.shape[:2])) for p in paths]
    found = [tf.sparse.to_dense(path, default_value=-1) for path in whole]
    return (found if greedy else [_without_repeats(labels) for labels in found]), chances


def _without_repeats(labels: Any) -> Tensor:
    """Labels that a search found, with a label once that comes twice in a row: Keras 2 merges them."""
    steps = labels.shape[1]
    kept, counts = tf.nn.collapse_repeated(labels, tf.math.count_nonzero(labels >= 0, 1))
    kept = tf.pad(kept, [[0, 0], [0, steps - kept.shape[1]]])
    return tf.where(tf.sequence_mask(counts, steps), kept, tf.cast(-1, kept.dtype))
