"""Boston housing: prices by district, 1970s."""

from tapeflow.keras.datasets.housing import check_test_split, load_table
from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.boston_housing.load_data"
FILE = DatasetFile(
    "boston_housing.npz",
    KERAS_STORAGE + "boston_housing.npz",
    "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
)


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int | None = 113) -> Split:
    """Load the Boston housing data: 506 districts, 13 attributes, median price in 1,000 dollars.

    One attribute ("B") rests on the assumption that racial self-segregation moves prices. Use
    `california_housing` unless that is what you want to show.

    Args:
        path: Name of the file in the cache folder, or an absolute path.
        test_split: Fraction of the rows for the test part.
        seed: Seed of the shuffle before the split.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: float64 of shapes `(n, 13)` and `(n,)`.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
    """
    check_test_split(test_split, WHERE)
    return load_table(FILE.fetch(WHERE, path), test_split, seed, WHERE)
