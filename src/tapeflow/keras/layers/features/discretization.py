"""`Discretization`: numbers as the numbers of the bins they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.features.category_numbers import MODES, check_mode, encoded_inputs, encoded_shape
from tapeflow.keras.layers.features.feature_scaling import PreprocessingLayer


class Discretization(PreprocessingLayer):
    """Sort numbers into bins, whose edges are given or learned with `adapt`.

    Args:
        bin_boundaries: the edges between bins; a number on an edge is in the bin above.
        num_bins: how many bins of about equally many numbers to learn.
        epsilon: accepted for Keras's sake; the learned edges are exact quantiles of what was seen.
        output_mode: "int" for the number of the bin, or a vector: "one_hot", "multi_hot" or "count".
        sparse: whether vectors are sparse tensors.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Discretization(bin_boundaries=[0.0, 1.0])([-1.0, 0.5, 1.0]).numpy()
    array([0, 1, 2])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        bin_boundaries: Sequence[float] | None = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if num_bins is None and "bins" in kwargs:
            num_bins = kwargs.pop("bins")
        mode = check_mode("Discretization", output_mode, MODES[:4], sparse)
        kwargs.setdefault("dtype", "int64" if mode == "int" else "float32")
        super().__init__(**kwargs)
        if num_bins is not None and num_bins < 0:
            raise ValueError(
                f"`num_bins` must be greater than or equal to 0. You passed `num_bins={num_bins}`"
            )
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError(
                "Both `num_bins` and `bin_boundaries` should not be set. You passed "
                f"`num_bins={num_bins}` and `bin_boundaries={bin_boundaries}`"
            )
        self.input_bin_boundaries = None if bin_boundaries is None else [float(b) for b in bin_boundaries]
        self.bin_boundaries: list[float] = self.input_bin_boundaries or []
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = mode
        self.sparse = sparse
        self._seen: list[np.ndarray] = []

    def build(self, input_shape: InputShape) -> None:
        self.built = True

    def update_state(self, data: Any) -> None:
        """Learn from a batch."""
        if self.input_bin_boundaries is not None:
            raise ValueError(
                "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use `num_bins` "
                f"instead. You passed `bin_boundaries={self.input_bin_boundaries}`."
            )
        self._seen.append(np.ravel(tf.convert_to_tensor(data).numpy()).astype(float))

    def finalize_state(self) -> None:
        """Work the edges out of what was seen."""
        if self.input_bin_boundaries is not None or not self._seen:
            return
        values = np.sort(np.concatenate(self._seen))
        count = self.num_bins or 1
        ranks = np.arange(1, len(values) + 1) / len(values)
        self.bin_boundaries = np.interp(np.arange(1, count) / count, ranks, values).tolist()
        self._seen = []

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Nothing: the edges are in the config."""

    def load_own_variables(self, store: Any) -> None:
        """Work the edges out of the summary that Keras keeps with a model's weights: values and how many there were."""
        summary = store.get("0")
        if summary is None or self.bin_boundaries or summary.ndim != 2 or not summary.size:
            return
        values, shares = summary[0], np.cumsum(summary[1]) / np.sum(summary[1])
        count = self.num_bins or 1
        if len(values) >= count:
            values = np.interp(np.arange(1, count + 1) / count, shares, values)
        self.bin_boundaries = values[:-1].tolist()

    def reset_state(self) -> None:
        """Forget what was learned."""
        if self.input_bin_boundaries is None:
            self.bin_boundaries, self._seen = [], []

    def call(self, inputs: TensorLike) -> Tensor:
        return encoded_inputs(self, inputs, self._numbers, self._depth())

    def _numbers(self, values: Tensor) -> Tensor:
        numbers = tf.cast(values, tf.float32)
        edges = tf.constant(self.bin_boundaries, tf.float32)
        flat = tf.searchsorted(edges, tf.reshape(numbers, [-1]), side="right", out_type=tf.int64)
        return tf.reshape(flat, tf.shape(numbers))

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return encoded_shape(input_shape, self.output_mode, self._depth())

    def _depth(self) -> int:
        return len(self.bin_boundaries) + 1 if self.bin_boundaries else self.num_bins or 1

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "bin_boundaries": self.bin_boundaries or None,
            "num_bins": None if self.bin_boundaries else self.num_bins,  # what was learned says it
            "epsilon": self.epsilon,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }
