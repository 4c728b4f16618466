"""Candidate sampling: a few classes drawn to stand for all, and the losses that use them.

Unique candidates are drawn until there are enough different ones; how many draws that took decides how
often each class was to be expected.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.random import next_key
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.host_args import describe, invalid, read_int
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.reduction import reduce_sum
from tapeflow.ops.nn.cross_entropy import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from tapeflow.ops.nn.embedding import embedding_lookup

lax = jax.lax


class Candidates(NamedTuple):
    """What a sampler gives: the classes drawn, and how often each class was to be expected."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


@op(name="CandidateSampler", same_dtype=False, differentiable=False)
def _sample_op(true: jax.Array, key: jax.Array, weights: jax.Array, *, count: int, unique: bool) -> Any:
    """Classes drawn by their weights, with the expected counts of the true ones and of those drawn."""
    chances = weights / jnp.sum(weights)
    edges = jnp.cumsum(chances)
    start = jax.random.wrap_key_data(key, impl="threefry2x32")
    last = chances.shape[0] - 1

    def draw(turn: Any) -> Any:
        point = jax.random.uniform(jax.random.fold_in(start, turn), (), jnp.float32) * edges[-1]
        return jnp.minimum(jnp.searchsorted(edges, point, side="right"), last).astype(jnp.int64)

    if unique:

        def is_short(found: Any) -> Any:
            return found[1] < count

        def step(found: Any) -> Any:
            drawn, size, tries = found
            value = draw(tries)
            is_new = jnp.all(drawn != value)
            at = jnp.where(is_new, size, count)  # a place out of range is dropped
            return drawn.at[at].set(value, mode="drop"), size + is_new.astype(jnp.int32), tries + 1

        begin = (jnp.full((count,), -1, jnp.int64), jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32))
        drawn, _, tries = lax.while_loop(is_short, step, begin)
    else:
        drawn = jax.vmap(draw)(jnp.arange(count, dtype=jnp.int32))
        tries = jnp.asarray(count, jnp.int32)

    def expected(classes: Any) -> Any:
        chance = chances[classes]
        if not unique:
            return chance * count
        several = -jnp.expm1(tries.astype(jnp.float32) * jnp.log1p(-chance))
        return jnp.where(tries == count, chance * count, several)

    return drawn, expected(true), expected(drawn)


def _sampled(
    where: str,
    true_classes: Any,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    weights: np.ndarray,
    seed: Any,
) -> Candidates:
    true = convert_to_tensor(true_classes)
    count, a_row = read_int(num_sampled, where, "num_sampled"), read_int(num_true, where, "num_true")
    if true.ndim != 2 or true.spec.shape[1] != a_row:
        raise invalid(
            f"{where} expected true_classes of shape [batch, num_true={a_row}]: must be a matrix with num_true "
            f"columns; got true_classes {describe(true)}."
        )
    if unique and count > np.count_nonzero(weights):
        raise invalid(
            f"{where} expected num_sampled of at most {np.count_nonzero(weights)} when unique=True: sampler's range "
            f"is too small; got num_sampled={count}."
        )
    shares = weights.astype(np.float32)
    return Candidates(
        *_sample_op(cast(true, int64), next_key(seed), shares, count=count, unique=bool(unique))
    )


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Sample classes below `range_max` with equal probabilities."""
    where = "tf.random.uniform_candidate_sampler"
    weights = np.ones(read_int(range_max, where, "range_max"))
    return _sampled(where, true_classes, num_true, num_sampled, unique, weights, seed)


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below `range_max`, the first most often: for words sorted by how frequent they are."""
    where = "tf.random.log_uniform_candidate_sampler"
    weights = np.diff(np.log(np.arange(1, read_int(range_max, where, "range_max") + 2)))
    return _sampled(where, true_classes, num_true, num_sampled, unique, weights, seed)


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: TensorLike,
    num_sampled: TensorLike,
    unique: bool,
    range_max: TensorLike,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by given counts, each to the power of `distortion`; the reserved first ones are never drawn."""
    where = "tf.random.fixed_unigram_candidate_sampler"
    size = read_int(range_max, where, "range_max")
    counts = np.asarray(list(unigrams), float)
    if vocab_file or num_shards != 1 or len(counts) + num_reserved_ids != size:
        raise ValueError(
            f"{where} expected unigrams with a count for each of the {size - num_reserved_ids} classes after the "
            f"reserved ones, no vocab_file and one shard; got {len(counts)} unigrams, vocab_file={vocab_file!r}, "
            f"num_shards={num_shards}. Read the counts yourself and pass them as unigrams."
        )
    weights = np.concatenate([np.zeros(num_reserved_ids), counts**distortion])
    return _sampled(where, true_classes, num_true, num_sampled, unique, weights, seed)


@op(name="SampledLogits", same_dtype=False)
def _logits_op(
    inputs: jax.Array,
    weights: jax.Array,
    biases: jax.Array,
    sampled_weights: jax.Array,
    sampled_biases: jax.Array,
    true: jax.Array,
    sampled: jax.Array,
    true_counts: jax.Array,
    sampled_counts: jax.Array,
    *,
    remove_hits: bool,
) -> jax.Array:
    """Scores of the true classes, then of the sampled ones, less the logarithm of how often to expect them."""
    scores = jnp.einsum("bd,btd->bt", inputs, weights) + biases - jnp.log(true_counts).astype(inputs.dtype)
    others = inputs @ sampled_weights.T + sampled_biases
    if remove_hits:
        is_hit = jnp.any(true[:, :, None] == sampled, 1)
        others = jnp.where(is_hit, others + jnp.finfo(others.dtype).min, others)
    others = others - jnp.log(sampled_counts).astype(inputs.dtype)
    return jnp.concatenate([scores, others], 1)


def _sampled_logits(
    where: str,
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int,
    sampled_values: Any,
    remove_hits: bool,
    seed: Any,
) -> tuple[Tensor, np.ndarray]:
    """Logits of true and sampled classes, and the labels that go with them."""
    true = cast(labels, int64)
    if true.ndim == 1:
        true = reshape(true, [-1, 1])
    given = sampled_values or log_uniform_candidate_sampler(
        true, num_true, num_sampled, True, num_classes, seed
    )
    sampled, true_counts, sampled_counts = (convert_to_tensor(v) for v in given)
    sampled = cast(sampled, int64)
    features = convert_to_tensor(inputs)
    if features.ndim != 2:
        raise invalid(f"{where} expected inputs of shape [batch, dim]; got inputs {describe(features)}.")
    logits = _logits_op(
        features,
        embedding_lookup(weights, true),
        embedding_lookup(biases, true),
        embedding_lookup(weights, sampled),
        embedding_lookup(biases, sampled),
        true,
        sampled,
        true_counts,
        sampled_counts,
        remove_hits=remove_hits,
    )
    batch, width = logits.spec.shape
    marks = np.zeros((batch, width), features.spec.np_dtype)
    marks[:, :num_true] = 1 / num_true
    return logits, marks


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: TensorLike,
    num_classes: TensorLike,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: the loss of telling the true classes from sampled ones, for each example.

    Args:
        weights: shape (classes, dim), or a list of parts of it.
        biases: shape (classes,).
        labels: the true classes, shape (batch, num_true).
        inputs: shape (batch, dim).
        num_sampled: the number of classes to draw for the batch.
        num_classes: how many there are.
        sampled_values: what a sampler gave; drawn log-uniformly if not given.
        remove_accidental_hits: leave out draws that are true classes of an example.
    """
    logits, marks = _sampled_logits(
        "tf.nn.nce_loss",
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        bool(remove_accidental_hits),
        None,
    )
    return reduce_sum(sigmoid_cross_entropy_with_logits(marks, logits), 1)


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: TensorLike,
    num_classes: TensorLike,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross-entropy over the true classes and sampled ones; for training only. See `nce_loss`."""
    logits, marks = _sampled_logits(
        "tf.nn.sampled_softmax_loss",
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        bool(remove_accidental_hits),
        seed,
    )
    return softmax_cross_entropy_with_logits(marks, logits)
