"""`tf.compat.v1.data`: `tf.data`, and the iterators that TensorFlow 1 made by functions."""

from __future__ import annotations

from typing import Any

from tapeflow.data import Dataset as Dataset
from tapeflow.data import TextLineDataset as TextLineDataset
from tapeflow.data import TFRecordDataset as TFRecordDataset
from tapeflow.data import experimental as experimental


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator over a dataset, from its beginning; `get_next()` gives an element."""
    return iter(dataset)
