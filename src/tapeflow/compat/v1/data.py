"""`tf.compat.v1.data`: `tf.data`, and the iterators that TensorFlow 1 made by functions."""

from __future__ import annotations

from typing import Any

from tapeflow.data import Dataset as Dataset
from tapeflow.data import TextLineDataset as TextLineDataset
from tapeflow.data import TFRecordDataset as TFRecordDataset
from tapeflow.data import experimental as experimental
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator over a dataset, from its beginning; `get_next()` gives an element."""
    return iter(dataset)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of its elements, in their structure."""
    return nest.map_structure(lambda spec: spec.shape, dataset_or_iterator.element_spec)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of its elements, in their structure."""
    return nest.map_structure(lambda spec: spec.dtype, dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The types of its elements, in their structure."""
    return nest.map_structure(
        lambda spec: getattr(spec, "value_type", Tensor), dataset_or_iterator.element_spec
    )
