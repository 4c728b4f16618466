"""A layer's inputs, from what users pass to what `call` receives: tensors, in the dtype the layer computes in."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.ragged.tensor import RaggedTensor
from tapeflow.ops.sparse.tensor import SparseTensor

_COMPOSITES = (RaggedTensor, SparseTensor)
_CASTABLE = (Tensor, *_COMPOSITES)


def as_tensors(inputs: TensorLike) -> Any:
    """Convert arrays and numbers among a layer's inputs to tensors; None and everything else stays as it is."""
    if isinstance(inputs, (TensorBase, np.ndarray, np.generic, float, int)):
        return tf.convert_to_tensor(inputs)
    if isinstance(inputs, (list, tuple)) and inputs and all(type(v) in (int, float, list) for v in inputs):
        return tf.convert_to_tensor(inputs) if not _has_tensors(inputs) else inputs
    return nest.map_structure(lambda x: x if x is None or isinstance(x, str) else _leaf(x), inputs)


def _has_tensors(value: object) -> bool:
    return any(isinstance(v, TensorBase) for v in nest.flatten(value))


def _leaf(value: TensorLike) -> Any:
    if type(value) is Tensor:
        return value
    if isinstance(value, (TensorBase, np.ndarray, np.generic, float, int)):
        return tf.convert_to_tensor(value)
    return value


def cast_floating(inputs: TensorLike, wanted: str | None) -> Any:
    """Cast floating inputs to a dtype, if that is floating too; masks stay with their tensors."""
    if type(inputs) is Tensor:
        dtype = inputs.spec.dtype
        if not dtype.is_floating or dtype.name == wanted or not _is_floating(wanted):
            return inputs
        mask, inputs = inputs._keras_mask, tf.cast(inputs, wanted)
        if mask is not None:
            inputs._keras_mask = mask
        return inputs
    if not _is_floating(wanted):
        return inputs
    if isinstance(inputs, _COMPOSITES):
        is_cast = inputs.dtype.is_floating and inputs.dtype.name != wanted
        return tf.cast(inputs, wanted) if is_cast else inputs
    return nest.map_structure(lambda x: cast_floating(x, wanted) if isinstance(x, _CASTABLE) else x, inputs)


def _is_floating(dtype: str | None) -> bool:
    return dtype is not None and tf.as_dtype(dtype).is_floating


def mask_of(inputs: TensorLike) -> Any:
    """The mask that inputs carry, in their structure; None if they carry none."""
    if type(inputs) is Tensor:
        return getattr(inputs, "_keras_mask", None)
    masks = [getattr(x, "_keras_mask", None) for x in nest.flatten(inputs)]
    return None if all(m is None for m in masks) else nest.pack_sequence_as(inputs, masks)
