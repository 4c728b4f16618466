"""What stands for a ragged or sparse tensor at one size of unknown dimensions, while a call is sketched.

How it is divided into rows, or where its values are, is known to the host and has to be made up: rows of two
lengths, which differ from size to size, so that nobody takes them for settled; one value in each row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.graph.composite_tensor import RaggedKerasTensor, SparseKerasTensor
from tapeflow.ops.ragged.partition import splits_of_lengths
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor, SparseTensorSpec


class RaggedSample(NamedTuple):
    """The spec of a ragged tensor's flat values, and its row splits, the outermost first."""

    spec: Spec
    splits: tuple[np.ndarray, ...]
    value: None = None
    mask: None = None

    @property
    def type_spec(self) -> RaggedTensorSpec:
        """What a ragged tensor of this kind is like."""
        shape = (len(self.splits[0]) - 1, *[None] * len(self.splits), *self.spec.shape[1:])
        return RaggedTensorSpec(shape, self.spec.dtype, len(self.splits))

    def filled(self, values: Tensor) -> RaggedTensor:
        """The tensor with these values."""
        return RaggedTensor.from_nested_row_splits(values, self.splits)


class SparseSample(NamedTuple):
    """The spec of a sparse tensor's values, their places, and the shape of the whole."""

    spec: Spec
    places: np.ndarray
    shape: tuple[int, ...]
    value: None = None
    mask: None = None

    @property
    def type_spec(self) -> SparseTensorSpec:
        """What a sparse tensor of this kind is like."""
        return SparseTensorSpec(self.shape, self.spec.dtype)

    def filled(self, values: Tensor) -> SparseTensor:
        """The tensor with these values."""
        return SparseTensor(self.places, values, self.shape)


CompositeSample = RaggedSample | SparseSample


def sample_of_result(result: RaggedTensor | SparseTensor) -> CompositeSample:
    """The sample of what a sketched call gave."""
    if isinstance(result, SparseTensor):
        return SparseSample(result.values.spec, result._places, tuple(result._dense_shape.tolist()))
    return RaggedSample(result.flat_values.spec, result._nested_places)


def sample_of_input(symbol: RaggedKerasTensor | SparseKerasTensor, size: int) -> CompositeSample:
    """The sample of a model's input."""
    shape = [size if d is None else d for d in symbol.shape]
    if isinstance(symbol, SparseKerasTensor):
        places = np.zeros((shape[0], len(shape)), np.int64)
        places[:, 0] = np.arange(shape[0])
        return SparseSample(spec_of((shape[0],), symbol.dtype), places, tuple(shape))
    count, splits = shape[0], []
    for length in symbol.shape[1 : symbol.ragged_rank + 1]:
        lengths = np.full(count, size.bit_length() if length is None else length, np.int64)
        if length is None:
            lengths[1::2] -= 2
        splits.append(splits_of_lengths(lengths))
        count = int(splits[-1][-1])
    return RaggedSample(spec_of((count, *shape[symbol.ragged_rank + 1 :]), symbol.dtype), tuple(splits))


def joined_spec(one: Any, two: Any) -> Any:
    """The spec of what is like one sample at a size and like the other at another."""
    return one.type_spec.most_specific_compatible_type(two.type_spec)
