"""Reuters: newswires by topic."""

from typing import Any

import numpy as np

from tapeflow.keras.datasets import text
from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.reuters.load_data"
FILE = DatasetFile(
    "reuters.npz",
    KERAS_STORAGE + "reuters.npz",
    "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916",
)
WORD_INDEX_FILE = DatasetFile(
    "reuters_word_index.json",
    KERAS_STORAGE + "reuters_word_index.json",
    "4d44cc38712099c9e383dc6e5f11a921",
)
# fmt: off
LABEL_NAMES = (
    "cocoa", "grain", "veg-oil", "earn", "acq", "wheat", "copper", "housing", "money-supply",
    "coffee", "sugar", "trade", "reserves", "ship", "cotton", "carcass", "crude", "nat-gas", "cpi",
    "money-fx", "interest", "gnp", "meal-feed", "alum", "oilseed", "gold", "tin", "strategic-metal",
    "livestock", "retail", "ipi", "iron-steel", "rubber", "heat", "jobs", "lei", "bop", "zinc",
    "orange", "pet-chem", "dlr", "gas", "silver", "wpi", "hog", "lead",
)
# fmt: on


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int | None = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Split:
    """Load the Reuters newswires: 11,228 texts on 46 topics.

    A newswire is a list of word numbers, as in `imdb`. `get_label_names` names the topics.

    Args:
        path: Name of the file in the cache folder, or an absolute path.
        num_words: Keep numbers below this one; None keeps (nearly) all.
        skip_top: Leave out numbers below this one.
        maxlen: Keep only newswires shorter than this.
        test_split: Fraction of the newswires for the test part.
        seed: Seed of the shuffle before the split.
        start_char: Number put before each newswire; None for none.
        oov_char: Number put for words left out; None drops them.
        index_from: Added to each word number.
        **kwargs: `nb_words`, the old name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: object arrays of lists, and int64 topics.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
        ValueError: No newswire is shorter than `maxlen`.
    """
    num_words = text.legacy_num_words(num_words, kwargs, WHERE)
    arrays = load_npz(FILE.fetch(WHERE, path), WHERE, ("x", "y"))
    shuffled, labels = text.shuffle(np.random.RandomState(seed), arrays["x"], arrays["y"])
    texts = text.number_words(shuffled, start_char, index_from)
    texts, labels = text.drop_long(texts, labels, maxlen, WHERE)
    texts = text.limit_vocabulary(texts, num_words, skip_top, oov_char)
    train_size = int(len(texts) * (1 - test_split))
    return (
        (text.ragged(texts[:train_size]), labels[:train_size]),
        (text.ragged(texts[train_size:]), labels[train_size:]),
    )


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """Return the number of each word, 1 for the most frequent.

    Add `index_from` of `load_data` (3 by default) to get the number in the data.
    """
    return text.load_word_index(WORD_INDEX_FILE, path, "tf.keras.datasets.reuters.get_word_index")


def get_label_names() -> tuple[str, ...]:
    """Return the 46 topics in the order of their labels."""
    return LABEL_NAMES
