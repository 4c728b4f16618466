"""`tf.keras.preprocessing.text`: texts as lists of word numbers, in plain Python."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    input_text: str, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Split a text into words at the string `split`, and remove the characters in `filters`."""
    text = input_text.lower() if lower else input_text
    text = text.translate({ord(character): split for character in filters})
    return [word for word in text.split(split) if word]


def one_hot(
    input_text: str,
    n: int,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """The words of a text as numbers below `n`, by Python's hash, which changes from run to run."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """The words of a text as numbers from 1 to `n - 1`, by a hash; different words may share one.

    Args:
        hash_function: from a word to an integer; Python's `hash` if None, a stable one for "md5".
    """
    if hash_function == "md5":
        hash_function = _md5
    words = analyzer(text) if analyzer else text_to_word_sequence(text, filters, lower, split)
    return [(hash_function or hash)(word) % (n - 1) + 1 for word in words]


def _md5(word: str) -> int:
    return int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16)


class Tokenizer:
    """Words as numbers, the most frequent being 1.

    Args:
        num_words: how many numbers to use, 0 included; rarer words are left out.
        filters: characters that separate words.
        lower: whether to lower-case the texts.
        split: a string that separates words.
        char_level: take characters for words.
        oov_token: a word that stands for unknown ones, with the number 1.
        analyzer: a function from a text to its words, instead of all that.

    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
    >>> tokenizer.fit_on_texts(["The cat.", "the dog"])
    >>> tokenizer.texts_to_sequences(["the dog ran"])
    [[1, 3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], list[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        document_count = kwargs.pop("document_count", 0)
        kwargs.pop("nb_words", None)
        if kwargs:
            raise TypeError(f"Tokenizer got unrecognized keyword arguments: {sorted(kwargs)}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.analyzer = char_level, oov_token, analyzer
        self.document_count: int = document_count
        self.word_counts: dict[str, int] = {}
        self.word_docs: Counter[str] = Counter()
        self.index_docs: Counter[int] = Counter()
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> Iterable[str]:
        if isinstance(text, list):
            return [word.lower() for word in text] if self.lower else text
        if self.char_level:
            return text.lower() if self.lower else text
        if self.analyzer is not None:
            return self.analyzer(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Count the words of texts, or of lists of words, and number them."""
        for text in texts:
            self.document_count += 1
            words = list(self._words(text))
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            self.word_docs.update(set(words))
        ordered = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        if self.oov_token is not None:
            ordered.insert(0, self.oov_token)
        self.word_index = {word: i for i, word in enumerate(ordered, 1)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        self.index_docs.update({self.word_index[w]: 0 for w in self.word_docs})
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Count in how many sequences of numbers each number occurs."""
        self.document_count += len(sequences)
        for sequence in sequences:
            self.index_docs.update(set(sequence))

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """The numbers of the words of each text; unknown words are left out, or the `oov_token`."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """`texts_to_sequences`, one text at a time."""
        for text in texts:
            found = [self.word_index.get(word) for word in self._words(text)]
            yield self._known(found)

    def _known(self, numbers: Iterable[int | None]) -> list[int]:
        """Numbers that count, the others left out or replaced."""
        oov = None if self.oov_token is None else self.word_index.get(self.oov_token)
        kept = [n if n is not None and not (self.num_words and n >= self.num_words) else oov for n in numbers]
        return [n for n in kept if n is not None]

    def sequences_to_texts(self, sequences: Iterable[Any]) -> list[str]:
        """The words of each sequence of numbers, with a space between them."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Any]) -> Iterator[str]:
        """`sequences_to_texts`, one sequence at a time."""
        for sequence in sequences:
            known = self._known(n if n in self.index_word else None for n in sequence)
            yield " ".join(self.index_word[n] for n in known)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """A row for each text and a column for each number; see `sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """A row for each sequence and a column for each number.

        Args:
            mode: "binary" for whether it occurs, "count" or "freq" for how often, "tfidf" weighted by rarity.
        """
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError(f"Unknown vectorization mode: {mode}. Use 'binary', 'count', 'freq' or 'tfidf'.")
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        width = self.num_words or len(self.word_index) + 1
        matrix = np.zeros((len(sequences), width))
        for row, sequence in zip(matrix, sequences, strict=True):
            for number, count in Counter(n for n in sequence if n < width).items():
                if mode == "binary":
                    row[number] = 1
                elif mode == "count":
                    row[number] = count
                elif mode == "freq":
                    row[number] = count / len(sequence)
                else:
                    rarity = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    row[number] = (1 + np.log(count)) * rarity
        return matrix

    def get_config(self) -> dict[str, Any]:
        """Everything about it, the counts as JSON."""
        return {
            "num_words": self.num_words,
            "filters": self.filters,
            "lower": self.lower,
            "split": self.split,
            "char_level": self.char_level,
            "oov_token": self.oov_token,
            "document_count": self.document_count,
            "word_counts": json.dumps(self.word_counts),
            "word_docs": json.dumps(self.word_docs),
            "index_docs": json.dumps(self.index_docs),
            "index_word": json.dumps(self.index_word),
            "word_index": json.dumps(self.word_index),
        }

    def to_json(self, **kwargs: Any) -> str:
        """The config as a string for `tokenizer_from_json`; arguments are passed to `json.dumps`."""
        return json.dumps({"class_name": "Tokenizer", "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """The Tokenizer that `to_json` described."""
    config = json.loads(json_string)["config"]
    counts = {
        name: json.loads(config.pop(name)) for name in list(config) if name.startswith(("word_", "index_"))
    }
    tokenizer = Tokenizer(**config)
    tokenizer.word_counts = counts["word_counts"]
    tokenizer.word_docs = Counter(counts["word_docs"])
    tokenizer.index_docs = Counter({int(k): v for k, v in counts["index_docs"].items()})
    tokenizer.word_index = counts["word_index"]
    tokenizer.index_word = {int(k): v for k, v in counts["index_word"].items()}
    return tokenizer
