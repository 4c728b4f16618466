"""Batches that lie in parts on the devices of a distribution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices.placement import Placement
from tapeflow.engine.values import nest


class SplitBatches:
    """A dataset whose batches are split over devices; strings, ragged and sparse tensors stay as they are.

    Args:
        dataset: its batches.
        placed: the devices.
    """

    def __init__(self, dataset: Any, placed: Placement) -> None:
        self._dataset = dataset
        self._placement = placed

    @property
    def element_spec(self) -> Any:
        """The specs of a batch."""
        return self._dataset.element_spec

    def __len__(self) -> int:
        return len(self._dataset)

    def __iter__(self) -> Iterator[Any]:
        for batch in self._dataset:
            yield nest.map_structure(self._split, batch)

    def _split(self, part: Any) -> Any:
        if isinstance(part, (tf.RaggedTensor, tf.SparseTensor)):
            return part
        array = np.asarray(part)
        return part if array.dtype == object else tf.convert_to_tensor(self._placement.split(array))
