"""`tf.edit_distance`: how many insertions, deletions and replacements lie between sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_value
from tapeflow.ops.sparse.functions import reorder
from tapeflow.ops.sparse.tensor import SparseTensor, only_sparse


def _rows(sparse: SparseTensor) -> dict[tuple[int, ...], list[Any]]:
    """The sequences along the last dimension, by their place in the others."""
    ordered = reorder(sparse)
    found: dict[tuple[int, ...], list[Any]] = {}
    for place, element in zip(ordered._places.tolist(), read_value(ordered.values).tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(element)
    return found


def _distance(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Levenshtein's distance, row by row of the table of all beginnings."""
    costs = list(range(len(second) + 1))
    for i, element in enumerate(first):
        last, costs[0] = costs[0], i + 1
        for j, other in enumerate(second, 1):
            replaced = last + (element != other)
            last, costs[j] = costs[j], min(replaced, costs[j] + 1, costs[j - 1] + 1)
    return costs[-1]


def edit_distance(
    hypothesis: TensorLike, truth: TensorLike, normalize: bool = True, name: str | None = None
) -> Tensor:
    """The Levenshtein distance between sequences along the last dimension of sparse tensors.

    Args:
        hypothesis: a sparse tensor.
        truth: another of the same rank.
        normalize: divide by the length of the truth; infinity where that is empty and the hypothesis is not.

    >>> truth = tf.sparse.from_dense([["a", "b"]])
    >>> float(tf.edit_distance(tf.sparse.from_dense([["a", "c"]]), truth)[0])
    0.5
    """
    where = "tf.edit_distance"
    guess = only_sparse(hypothesis, where, "hypothesis")
    known = only_sparse(truth, where, "truth")
    if len(guess._dense_shape) != len(known._dense_shape) or guess.dtype is not known.dtype:
        raise invalid(
            f"{where} expected hypothesis and truth of one rank and dtype; got {guess.shape}, {guess.dtype.name}, and "
            f"{known.shape}, {known.dtype.name}."
        )
    shape = np.maximum(guess._dense_shape, known._dense_shape)[:-1]
    guesses, truths = _rows(guess), _rows(known)
    found = np.zeros(shape, np.float32)
    for place in {*guesses, *truths}:
        given, wanted = guesses.get(place, []), truths.get(place, [])
        steps = float(_distance(given, wanted))
        if normalize:
            steps = steps / len(wanted) if wanted else float("inf")
        found[place] = steps
    return convert_to_tensor(found)
