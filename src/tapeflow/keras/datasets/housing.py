"""What the two housing data sets have in common: a table, shuffled and split."""

from pathlib import Path

import numpy as np

from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.source import Split


def check_test_split(test_split: float, where: str) -> None:
    """Refuse a fraction outside 0..1 before anything is downloaded."""
    if not 0 <= test_split < 1:
        raise ValueError(
            f"{where} expected 0 <= test_split < 1; got test_split={test_split!r}. "
            "Pass the fraction of rows to test on, such as 0.2."
        )


def load_table(
    path: Path, test_split: float, seed: int | None, where: str, row_limit: int | None = None
) -> Split:
    """Read arrays `x` and `y`, shuffle their rows with `seed`, and cut off the test part.

    The generator is NumPy's old `RandomState`, as in Keras: the same seed gives the same rows.
    """
    arrays = load_npz(path, where, ("x", "y"))
    x, y = arrays["x"][:row_limit], arrays["y"][:row_limit]
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    x, y = x[order], y[order]
    train_size = int(len(x) * (1 - test_split))
    return (x[:train_size], y[:train_size]), (x[train_size:], y[train_size:])
