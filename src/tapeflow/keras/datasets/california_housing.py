"""California housing: prices by district, 1990."""

from tapeflow.keras.datasets.housing import check_test_split, load_table
from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.california_housing.load_data"
FILE = DatasetFile(
    "california_housing.npz",
    KERAS_STORAGE + "california_housing.npz",
    "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f",
)
ROW_LIMITS = {"small": 600, "large": None}


def load_data(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int | None = 113,
) -> Split:
    """Load the California housing data: 20,640 districts of the 1990 census.

    The 8 features: median income, median house age, average rooms, average bedrooms, population,
    average household size, latitude, longitude. The target is the median price in dollars.

    Args:
        version: "large", or "small" for the first 600 rows.
        path: Name of the file in the cache folder, or an absolute path.
        test_split: Fraction of the rows for the test part.
        seed: Seed of the shuffle before the split.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: arrays of shapes `(n, 8)` and `(n,)`.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
    """
    check_test_split(test_split, WHERE)
    if version not in ROW_LIMITS:
        raise ValueError(
            f"{WHERE} expected version to be 'small' or 'large'; got version={version!r}. "
            "Pass 'small' for 600 rows or 'large' for all 20,640."
        )
    return load_table(FILE.fetch(WHERE, path), test_split, seed, WHERE, ROW_LIMITS[version])
