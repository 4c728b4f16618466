"""IMDB: film reviews, positive or negative."""

from typing import Any

import numpy as np

from tapeflow.keras.datasets import text
from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.imdb.load_data"
FILE = DatasetFile(
    "imdb.npz",
    KERAS_STORAGE + "imdb.npz",
    "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
)
WORD_INDEX_FILE = DatasetFile(
    "imdb_word_index.json",
    KERAS_STORAGE + "imdb_word_index.json",
    "bfafd718b763782e994055a2d397834f",
)


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int | None = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Split:
    """Load the IMDB reviews: 25,000 to train on and 25,000 to test, half of each positive.

    A review is a list of word numbers; the more frequent the word, the smaller the number. With
    the default arguments 0 is free for padding, 1 starts a review, 2 stands for a word left out,
    and the word that `get_word_index` numbers `i` is `i + 3`.

    Args:
        path: Name of the file in the cache folder, or an absolute path.
        num_words: Keep numbers below this one; None keeps (nearly) all.
        skip_top: Leave out numbers below this one.
        maxlen: Keep only reviews shorter than this.
        seed: Seed of the shuffle.
        start_char: Number put before each review; None for none.
        oov_char: Number put for words left out; None drops them.
        index_from: Added to each word number.
        **kwargs: `nb_words`, the old name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: object arrays of lists, and int64 labels, 1 for a
        positive review.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
        ValueError: No review is shorter than `maxlen`.
    """
    num_words = text.legacy_num_words(num_words, kwargs, WHERE)
    arrays = load_npz(FILE.fetch(WHERE, path), WHERE, ("x_train", "y_train", "x_test", "y_test"))
    generator = np.random.RandomState(seed)
    parts = []
    for name in ("train", "test"):
        texts, labels = text.shuffle(generator, arrays[f"x_{name}"], arrays[f"y_{name}"])
        numbered = text.number_words(texts, start_char, index_from)
        parts.append(text.drop_long(numbered, labels, maxlen, WHERE))
    (train_texts, y_train), (test_texts, y_test) = parts
    texts = text.limit_vocabulary(train_texts + test_texts, num_words, skip_top, oov_char)
    train_size = len(train_texts)
    return (
        (text.ragged(texts[:train_size]), y_train),
        (text.ragged(texts[train_size:]), y_test),
    )


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """Return the number of each word, 1 for the most frequent.

    Add `index_from` of `load_data` (3 by default) to get the number in the data.
    """
    return text.load_word_index(WORD_INDEX_FILE, path, "tf.keras.datasets.imdb.get_word_index")
