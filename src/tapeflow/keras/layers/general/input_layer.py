"""Where a functional model begins: `Input` and `InputLayer`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.graph.call_node import CallNode
from tapeflow.keras.graph.composite_tensor import symbol_like
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.naming import unique_name


class InputLayer(Layer):
    """The layer behind a model's input.

    Args:
        input_shape: the shape of one sample, without the batch axis. Keras 3 says `shape`.
        batch_size: the batch's size, if it is fixed.
        dtype: the dtype of the input; floatx unless given.
        name: its name; `input_1` and so on unless given.
        batch_input_shape: the shape with the batch axis. Keras 3 says `batch_shape`.
        input_tensor: an existing KerasTensor to use as the input.
        sparse, ragged: whether the input is a `tf.SparseTensor`, or a `tf.RaggedTensor` whose dimensions up to the
            last None are ragged.
        type_spec: a TensorSpec, RaggedTensorSpec or SparseTensorSpec that says all this.
    """

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: bool | None = None,
        name: str | None = None,
        ragged: bool | None = None,
        type_spec: Any = None,
        optional: bool = False,
        **kwargs: Any,
    ) -> None:
        shape = kwargs.pop("shape", input_shape)
        batch_shape = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", None))
        if kwargs:
            raise ValueError(f"InputLayer expected no other arguments; got {sorted(kwargs)}.")
        if sparse and ragged:
            raise ValueError(
                "InputLayer expected at most one of sparse and ragged: Cannot set both sparse and ragged to True in "
                "a Keras input."
            )
        if input_tensor is not None:
            type_spec = input_tensor.type_spec
        if type_spec is not None:
            batch_shape, dtype = tuple(type_spec.shape), type_spec.dtype
        if batch_shape is None:
            if shape is None:
                raise ValueError(
                    "Input expected `shape`, the shape of one sample without the batch axis; got none. Pass for "
                    "example Input(shape=(32,)), or batch_shape with the batch axis."
                )
            batch_shape = (batch_size, *((shape,) if isinstance(shape, int) else tuple(shape)))
        found = tf.as_dtype(dtype or tf.keras.config.floatx())
        super().__init__(name=name or unique_name("input", is_zero_based=False), dtype=found.name)
        self._batch_input_shape = tuple(None if d is None else int(d) for d in batch_shape)
        self.is_placeholder = input_tensor is None
        self.built = True
        self.supports_masking = True
        if type_spec is None:
            type_spec = _spec_of(self._batch_input_shape, found, bool(sparse), bool(ragged))
        self.sparse = isinstance(type_spec, tf.SparseTensorSpec)
        self.ragged = isinstance(type_spec, tf.RaggedTensorSpec)
        if input_tensor is None:
            symbol = symbol_like(type_spec, self.name)
            symbol.node = CallNode(self, (), {}, symbol)

    def call(self, inputs: Tensor) -> Tensor:
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


def _spec_of(shape: tuple[int | None, ...], dtype: DType, is_sparse: bool, is_ragged: bool) -> Any:
    """The spec of an input; of a ragged one, the dimensions up to the last open one are ragged."""
    if is_sparse:
        return tf.SparseTensorSpec(shape, dtype)
    if is_ragged:
        depth = max((axis for axis, size in enumerate(shape) if size is None and axis), default=0)
        return tf.RaggedTensorSpec(shape, dtype, depth)
    return tf.TensorSpec(shape, dtype)


def Input(
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool | None = None,
    tensor: Any = None,
    ragged: bool | None = None,
    type_spec: Any = None,
    optional: bool = False,
    **kwargs: Any,
) -> KerasTensor:
    """Create a symbolic tensor, the input of a functional model.

    Args:
        shape: the shape of one sample, without the batch axis; None where any size will do.
        batch_size: the batch's size, if it is fixed.
        name: the name of the input, under which data can be given in a dict.
        dtype: the dtype of the data; floatx unless given.
        sparse, ragged: whether the data are `tf.SparseTensor`s, or `tf.RaggedTensor`s whose dimensions up to the
            last None are ragged.
        type_spec: a TensorSpec, RaggedTensorSpec or SparseTensorSpec in place of all this.
        **kwargs: `batch_shape` (or `batch_input_shape`), the shape with the batch axis.

    >>> x = tf.keras.Input((28, 28))
    >>> x.shape
    TensorShape([None, 28, 28])
    """
    layer = InputLayer(
        input_shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        input_tensor=tensor,
        sparse=sparse,
        name=name,
        ragged=ragged,
        type_spec=type_spec,
        optional=optional,
        **kwargs,
    )
    return tensor if tensor is not None else layer._inbound_nodes[0].outputs
