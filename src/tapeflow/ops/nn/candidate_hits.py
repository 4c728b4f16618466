"""All classes as candidates, and candidates that are true classes: `tf.nn.all_candidate_sampler` and its kin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_array, read_int
from tapeflow.ops.nn.candidates import Candidates


class AccidentalHits(NamedTuple):
    """Of each hit the example, the candidate, and what to add to its logit."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def _true_classes(where: str, true_classes: Any, num_true: TensorLike) -> np.ndarray:
    true, count = read_array(true_classes, where, "true_classes"), read_int(num_true, where, "num_true")
    if true.ndim != 2 or true.shape[1] != count:
        raise invalid(
            f"{where} expected true_classes of shape [batch, num_true={count}]: must be a matrix with num_true "
            f"columns; got true_classes of shape {list(true.shape)}."
        )
    return true


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Every class below `num_sampled`, each expected once: to test training with what it approximates."""
    where = "tf.random.all_candidate_sampler"
    true = _true_classes(where, true_classes, num_true)
    count = read_int(num_sampled, where, "num_sampled")
    if count < 1:
        raise invalid(f"{where} expected num_sampled of at least 1; got num_sampled={count}.")
    parts = (np.arange(count, dtype=np.int64), np.ones(true.shape, np.float32), np.ones(count, np.float32))
    return Candidates(*map(convert_to_tensor, parts))


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> AccidentalHits:
    """Find sampled candidates that are true classes of an example, with the lowest float as weight to exclude them."""
    where = "tf.nn.compute_accidental_hits"
    true = _true_classes(where, true_classes, num_true)
    sampled = read_array(sampled_candidates, where, "sampled_candidates").reshape(-1)
    row, _, place = np.nonzero(true[:, :, None] == sampled)
    weights = np.full(len(row), np.finfo(np.float32).min, np.float32)
    return AccidentalHits(
        convert_to_tensor(row.astype(np.int32)),
        convert_to_tensor(place.astype(np.int64)),
        convert_to_tensor(weights),
    )
