"""`TimeseriesGenerator`: batches of windows of a series and the value that comes after each."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tapeflow.keras.utils.sequence import Sequence


class TimeseriesGenerator(Sequence):
    """Windows of a series, with the target at the step after each window.

    Args:
        data: the series, one step a row.
        targets: one for each step.
        length: how many steps a window spans.
        sampling_rate: take every so-manieth step of a window.
        stride: steps from one window to the next.
        start_index, end_index: where in the series to begin and end.
        shuffle: draw windows at random instead of in order.
        reverse: give each window backwards.
        batch_size: windows a batch.

    >>> series = np.arange(6)
    >>> x, y = tf.keras.preprocessing.sequence.TimeseriesGenerator(series, series, 3, batch_size=2)[0]
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [1, 2, 3]], [3, 4])
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        super().__init__()
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of "
                "the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(
                first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride
            )
        samples = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """Everything about it, the series as JSON."""
        return {
            "data": json.dumps(np.asarray(self.data).tolist()),
            "targets": json.dumps(np.asarray(self.targets).tolist()),
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """The config as JSON; arguments are passed to `json.dumps`."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)
