"""Components that are no arrays: ragged and sparse tensors, as elements, in batches and in slices.

They travel through a pipeline as they are, with values that have been run, since elements cross threads as
values. A row of a ragged tensor may be a plain array; its spec still says that it comes from a ragged one, so
that a batch of such rows becomes ragged again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.data.deferral import Deferred, made
from tapeflow.data.structure import as_tensor
from tapeflow.engine.programs.running import materialise
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.ragged.arranging import concat, stack
from tapeflow.ops.ragged.partition import splits_of_lengths
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse import functions as sparse_functions
from tapeflow.ops.sparse.tensor import SparseTensor, SparseTensorSpec


class RaggedRow(np.ndarray):
    """An array that is a row of a ragged tensor: a batch of such is ragged again."""


COMPOSITES = (RaggedTensor, SparseTensor, RaggedRow)
"""What is put together otherwise than by stacking arrays."""
COMPOSITE_SPECS = (RaggedTensorSpec, SparseTensorSpec)


def settled(value: TensorLike) -> Any:
    """A component whose values are arrays on the host."""
    if isinstance(value, Tensor):
        return np.asarray(materialise(value._node))
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(as_tensor(settled(value.flat_values)))
    if isinstance(value, SparseTensor):
        return value.with_values(as_tensor(settled(value.values)))
    return value


_RAGGED, _ROW, _SPARSE = "ragged", "ragged row", "sparse"


def packed_state(state: Any) -> Any:
    """A state in which ragged and sparse components are dicts of arrays, so that it can be written to a file."""
    if isinstance(state, RaggedTensor):
        splits = [s.numpy() for s in state.nested_row_splits]
        return {"composite": _RAGGED, "values": settled(state.flat_values), "splits": splits}
    if isinstance(state, SparseTensor):
        return {
            "composite": _SPARSE,
            "values": settled(state.values),
            "places": state._places,
            "shape": state._dense_shape,
        }
    if isinstance(state, RaggedRow):
        return {"composite": _ROW, "values": state.view(np.ndarray)}
    if isinstance(state, np.ndarray) and any(
        isinstance(v, Deferred) for v in state.flat if state.dtype == object
    ):
        return packed_state(made(state))
    if isinstance(state, Deferred):
        return packed_state(state.maker.make([state.note])[0])
    return mapped_state(packed_state, state)


def unpacked_state(state: Any) -> Any:
    """The state that `packed_state` was given."""
    if isinstance(state, dict) and "composite" in state:
        values = state["values"]
        if state["composite"] == _ROW:
            return values.view(RaggedRow)
        if state["composite"] == _SPARSE:
            return SparseTensor(state["places"], as_tensor(values), state["shape"])
        return RaggedTensor.from_nested_row_splits(as_tensor(values), state["splits"])
    return mapped_state(unpacked_state, state)


def mapped_state(function: Callable[[Any], Any], state: Any) -> Any:
    """A state with `function` applied to what its structures, and its arrays of elements, hold."""
    if isinstance(state, dict):
        return {k: function(v) for k, v in state.items()}
    if isinstance(state, (list, tuple)):
        found = [function(v) for v in state]
        return found if isinstance(state, list) else tuple(found)
    if (
        isinstance(state, np.ndarray)
        and state.dtype == object
        and any(isinstance(v, tuple) for v in state.flat)
    ):
        found = np.empty(state.shape, object)
        for i, value in enumerate(state.flat):
            found.flat[i] = function(value)
        return found
    return state


def concatenated(parts: Sequence[Any]) -> Any:
    """Batches of one component, one after the other."""
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(p, SparseTensor) for p in parts):
        return settled(sparse_functions.concat(0, list(parts), expand_nonconcat_dims=True))
    if any(isinstance(p, RaggedTensor) for p in parts):
        return settled(concat(list(parts), 0))
    return np.concatenate([np.asarray(p) for p in parts])


def row_count(value: Any) -> int:
    """How many rows a component of a batch has."""
    return int(value.shape[0])


def row(value: Any, number: int) -> Any:
    """One row of a component."""
    if isinstance(value, np.ndarray):
        return value[number, ...]
    if isinstance(value, RaggedTensor):
        part = settled(value[number])
        return part.view(RaggedRow) if isinstance(part, np.ndarray) else part
    shape = value.shape.as_list()
    part = sparse_functions.slice(value, [number] + [0] * (len(shape) - 1), [1, *shape[1:]])
    return settled(SparseTensor(part._places[:, 1:], part.values, part._dense_shape[1:]))


def together(parts: Sequence[Any]) -> Any:
    """Components, at least one of them composite, as a batch."""
    if any(isinstance(p, SparseTensor) for p in parts):
        wide = [sparse_functions.expand_dims(p, 0) for p in parts]
        return settled(sparse_functions.concat(0, wide, expand_nonconcat_dims=True))
    if all(isinstance(p, np.ndarray) for p in parts) and len({p.shape[1:] for p in parts}) == 1:
        splits = splits_of_lengths(np.array([len(p) for p in parts], np.int64))
        return RaggedTensor(as_tensor(np.concatenate(parts)), splits)
    return settled(stack([as_tensor(p) for p in parts]))


def batch_spec(spec: Any, size: int | None) -> Any:
    """The spec of `size` composite components put together."""
    shape = None if spec.shape.rank is None else [size, *spec.shape]
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)


def row_spec(spec: Any) -> Any:
    """The spec of a row of a composite component."""
    shape = None if spec.shape.rank is None else spec.shape[1:]
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)


def as_ragged_rows(element: Sequence[Any], specs: Sequence[Any]) -> tuple[Any, ...]:
    """An element whose components are rows of ragged tensors where the specs say so."""
    return tuple(
        [
            e.view(RaggedRow) if isinstance(s, RaggedTensorSpec) and isinstance(e, np.ndarray) else e
            for e, s in zip(element, specs, strict=True)
        ]
    )


def ragged_specs(specs: Sequence[Any], dtype: DTypeLike) -> tuple[Any, ...]:
    """Specs of arrays as rows of ragged tensors, where their shape is not known."""
    return tuple(
        [
            RaggedTensorSpec(s.shape, s.dtype, 0, dtype)
            if isinstance(s, TensorSpec) and not s.shape.is_fully_defined()
            else s
            for s in specs
        ]
    )
