"""`Embedding`: a learned vector for each of a number of things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import constraints, initializers, regularizers
from tapeflow.keras.annotations import ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.ops.nn.embedding import embed_op


class Embedding(Layer):
    """Turn integers into vectors, the rows of a trainable table. An integer outside of the table raises an error.

    Args:
        input_dim: the number of rows; inputs are from 0 to `input_dim - 1`.
        output_dim: the size of a row.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: of the table.
        activity_regularizer: a penalty on the output, added to the losses.
        mask_zero: take 0 as padding, and give a mask that says so to the layers after.
        input_length: the length of the sequences, if it is always the same.
        sparse: whether to give a sparse tensor.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Embedding(10, 4)(tf.constant([[1, 2, 3]])).shape
    TensorShape([1, 3, 4])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: InitializerLike = "uniform",
        embeddings_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        embeddings_constraint: ConstraintLike = None,
        mask_zero: bool = False,
        input_length: int | Sequence[int | None] | None = None,
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(
                f"Both `input_dim` and `output_dim` should be positive, Received input_dim = {input_dim} "
                f"and output_dim = {output_dim}"
            )
        if not {"input_shape", "batch_input_shape"} & set(kwargs):
            lengths = input_length if isinstance(input_length, (list, tuple)) else (input_length or None,)
            kwargs["input_shape"] = tuple(lengths)
        # Cast to float16, a number above 2048 would be another one.
        kwargs["autocast"] = False
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim = int(input_dim)
        self.output_dim = int(output_dim)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length
        self.sparse = sparse

    @property
    def knows_output_shape(self) -> bool:
        """Not where it makes a mask, which only its call gives."""
        return super().knows_output_shape and not self.mask_zero

    def build(self, input_shape: InputShape | None = None) -> None:
        self.embeddings = self.add_weight(
            "embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
            experimental_autocast=False,
        )
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        rows = self._rows(tf.sparse.to_dense(inputs) if isinstance(inputs, tf.SparseTensor) else inputs)
        return tf.sparse.from_dense(rows) if self.sparse and tf.is_tensor(rows) else rows

    def _rows(self, inputs: Any) -> Any:
        if isinstance(inputs, tf.RaggedTensor):
            return inputs.mapped(self._rows)
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = tf.cast(inputs, tf.int32)
        rows = embed_op(self.embeddings, inputs)
        # The rows are cast, not the table: it may be far larger.
        return rows if self.compute_dtype == self.dtype else tf.cast(rows, self.compute_dtype)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor | None:
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        if self.input_length is None:
            return tf.TensorShape((*shape, self.output_dim))
        lengths = self.input_length if isinstance(self.input_length, (list, tuple)) else [self.input_length]
        is_same = len(lengths) == len(shape) - 1 and all(
            a is None or b is None or a == b for a, b in zip(lengths, shape[1:], strict=True)
        )
        if not is_same:
            raise ValueError(f'"input_length" is {self.input_length}, but received input has shape {shape}')
        known = [b if a is None else a for a, b in zip(lengths, shape[1:], strict=True)]
        return tf.TensorShape((shape[0], *known, self.output_dim))

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            "embeddings_initializer": initializers.serialize(self.embeddings_initializer),
            "embeddings_regularizer": regularizers.serialize(self.embeddings_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "embeddings_constraint": constraints.serialize(self.embeddings_constraint),
            "mask_zero": self.mask_zero,
            "input_length": self.input_length,
        }
