"""Pairs of words that stand near one another, to learn word vectors from."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> np.ndarray:
    """The probability of keeping each of the `size` most frequent words, if their counts follow Zipf's law."""
    gamma = 0.577
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + gamma) + 0.5 - 1.0 / (12.0 * rank)
    kept = sampling_factor * inverse
    return np.minimum(1.0, kept / np.sqrt(kept))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Pairs of word numbers, and whether they occur within a window; 0 is not a word.

    Args:
        sequence: the numbers of a text's words.
        vocabulary_size: one more than the largest number.
        window_size: how far apart the two words of a pair may be.
        negative_samples: how many random pairs to add for each found one.
        shuffle: whether to mix the pairs.
        categorical: labels as `[0, 1]` instead of 1.
        sampling_table: how likely to keep each word.
        seed: decides what is random.
    """
    chance = random.Random(seed)
    couples: list[list[int]] = []
    labels: list[Any] = []
    for i, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < chance.random()):
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        words = [couple[0] for couple in couples]
        chance.shuffle(words)
        count = int(len(labels) * negative_samples)
        couples += [[words[i % len(words)], chance.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        order = list(range(len(couples)))
        chance.shuffle(order)
        couples, labels = [couples[i] for i in order], [labels[i] for i in order]
    return couples, labels
