"""Where the file of a data set comes from, and what it must hash to."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tapeflow.keras.utils.download import fetch

KERAS_STORAGE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
OFFLINE_ADVICE = (
    "tf.keras.datasets.digits is embedded in TapeFlow and needs no network: 1,797 real digits to learn on."
)

Split = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""What every `load_data` returns: `(x_train, y_train), (x_test, y_test)`."""

# The real files unpack to five times their size at most.
_MAX_EXPANSION = 20
_FREE_BYTES = 1 << 20


def max_unpacked_bytes(path: Path) -> int:
    """What an archive may unpack to: compressed zeros are a thousand times smaller than unpacked."""
    return max(_FREE_BYTES, _MAX_EXPANSION * path.stat().st_size)


@dataclass(frozen=True)
class DatasetFile:
    """A file that Keras serves.

    Attributes:
        name: Its name in the cache.
        origin: Its URL.
        digest: Its SHA-256, or MD5 where nobody publishes a SHA-256.
        cache_subdir: The folder below the Keras home.
        other_names: Names that other versions of Keras cache it under.
    """

    name: str
    origin: str
    digest: str
    cache_subdir: str = "datasets"
    other_names: tuple[str, ...] = ()

    def fetch(self, where: str, path: str | os.PathLike[str] | None = None) -> Path:
        """Return a verified local copy, downloaded if need be.

        Args:
            where: The public function, for errors.
            path: The user's name for the file, relative to the cache folder or absolute.
        """
        return fetch(
            path or self.name,
            self.origin,
            file_hash=self.digest,
            cache_subdir=self.cache_subdir,
            other_names=self.other_names,
            where=where,
            advice=OFFLINE_ADVICE,
        )
