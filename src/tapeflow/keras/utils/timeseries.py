"""`timeseries_dataset_from_array`: windows that slide over an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data import AUTOTUNE, Dataset
from tapeflow.ops.array.indexing import gather


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
) -> Dataset:
    """Batches of windows of consecutive rows, with the target of each window if there are targets.

    >>> dataset = tf.keras.utils.timeseries_dataset_from_array(np.arange(6), None, sequence_length=3)
    >>> next(iter(dataset)).numpy().tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]

    Args:
        data: rows in the order of time.
        targets: row i is the target of the window that begins at row i; or None.
        sequence_length: how many rows a window has.
        sequence_stride: how many rows lie between the beginnings of windows.
        sampling_rate: how many rows lie between the rows of a window.
        batch_size: how many windows a batch has; single windows if it is None.
        shuffle: whether windows come in random order.
        seed: for the same order again.
        start_index: rows before it are not used.
        end_index: rows from it on are not used.
    """
    where = "tf.keras.utils.timeseries_dataset_from_array"
    rows = np.asarray(data)
    for name, value in (
        ("sequence_length", sequence_length),
        ("sequence_stride", sequence_stride),
        ("sampling_rate", sampling_rate),
    ):
        if value <= 0 or value >= len(rows):
            raise ValueError(
                f"{where} expected {name} above 0 and below the number of rows, {len(rows)}; got {name}={value}."
            )
    first = 0 if start_index is None else int(start_index)
    last = len(rows) if end_index is None else int(end_index)
    if not 0 <= first < len(rows) or not first < last <= len(rows):
        raise ValueError(
            f"{where} expected start_index below end_index, both within {len(rows)} rows; got "
            f"start_index={start_index}, end_index={end_index}."
        )
    count = last - first - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    starts = np.arange(0, max(count, 0), sequence_stride, dtype=np.int64)
    if shuffle:
        np.random.RandomState(np.random.randint(1_000_000) if seed is None else seed).shuffle(starts)
    part = rows[first:last]
    offsets = np.arange(sequence_length, dtype=np.int64) * sampling_rate

    def window(start: Any) -> Any:
        return gather(part, start + offsets)

    dataset = Dataset.from_tensor_slices(starts)
    if targets is None:
        dataset = dataset.map(window)
    else:
        wanted = np.asarray(targets)[first:last]
        dataset = dataset.map(lambda start: (window(start), gather(wanted, start)))
    if shuffle:
        dataset = dataset.shuffle(1024 if batch_size is None else batch_size * 8, seed)
    if batch_size is not None:
        dataset = dataset.batch(batch_size)
    return dataset.prefetch(AUTOTUNE)
