"""What IMDB and Reuters have in common: texts as lists of word numbers, by falling frequency."""

import json
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow.keras.datasets.source import DatasetFile

Texts = list[list[int]]


def load_word_index(source: DatasetFile, path: str, where: str) -> dict[str, int]:
    """Read the JSON file that maps words to their numbers."""
    return json.loads(source.fetch(where, path).read_text(encoding="utf-8"))


def legacy_num_words(num_words: int | None, kwargs: dict[str, Any], where: str) -> int | None:
    """Accept `nb_words`, the name that `num_words` had in Keras 1, and nothing else."""
    unknown = sorted(set(kwargs) - {"nb_words"})
    if unknown:
        raise TypeError(
            f"{where} expected the keyword arguments of Keras; got {', '.join(unknown)}. "
            "See its docstring for the ones there are."
        )
    if "nb_words" in kwargs:
        warnings.warn(f"{where}: nb_words is now called num_words.", FutureWarning, stacklevel=3)
        return kwargs["nb_words"]
    return num_words


def shuffle(
    generator: np.random.RandomState, texts: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bring texts and labels into one random order."""
    order = np.arange(len(texts))
    generator.shuffle(order)
    return texts[order], labels[order]


def number_words(texts: Iterable[Sequence[int]], start_char: int | None, index_from: int) -> Texts:
    """Move word numbers up to make room for special ones, and mark the start of each text.

    Without a start mark and with `index_from` 0 or None the numbers stay as they are in the file.
    """
    if start_char is None:
        return [[word + (index_from or 0) for word in text] for text in texts]
    return [[start_char, *(word + index_from for word in text)] for text in texts]


def drop_long(texts: Texts, labels: np.ndarray, maxlen: int | None, where: str) -> tuple[Texts, np.ndarray]:
    """Drop texts of `maxlen` words or more. (Keras's rule: shorter than `maxlen` stays.)"""
    if not maxlen:
        return texts, labels
    is_kept = [len(text) < maxlen for text in texts]
    if not any(is_kept):
        raise ValueError(
            f"{where} expected texts shorter than maxlen; got maxlen={maxlen!r}, which leaves "
            "none. Increase maxlen."
        )
    kept = [text for text, keep in zip(texts, is_kept, strict=True) if keep]
    return kept, labels[np.array(is_kept)]


def limit_vocabulary(texts: Texts, num_words: int | None, skip_top: int, oov_char: int | None) -> Texts:
    """Replace words outside `skip_top <= word < num_words` by `oov_char`; None drops them.

    Without `num_words` the limit is the largest number in use, and that word itself falls outside:
    a slip of Keras's that we keep, so that models trained there see the same data here.
    """
    limit = num_words or max((max(text) for text in texts if text), default=0)
    if oov_char is None:
        return [[word for word in text if skip_top <= word < limit] for text in texts]
    return [[word if skip_top <= word < limit else oov_char for word in text] for text in texts]


def ragged(texts: Texts) -> np.ndarray:
    """A one-dimensional object array of lists, even if all lists have one length."""
    array = np.empty(len(texts), dtype=object)
    for i, text in enumerate(texts):
        array[i] = text
    return array
