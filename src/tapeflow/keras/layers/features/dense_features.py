"""`DenseFeatures`: the columns of a table as one matrix."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.features.feature_columns import Column, DenseColumn


class DenseFeatures(Layer):
    """Convert a dict of features into one vector, with feature columns sorted by name.

    Args:
        feature_columns: one dense column of `tf.feature_column`, or several; categorical ones need
            `indicator_column` or `embedding_column` around them.
        trainable, name, **kwargs: see `Layer`.
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        given: list[Any] = [feature_columns] if isinstance(feature_columns, Column) else list(feature_columns)
        wrong = [column for column in given if not isinstance(column, DenseColumn)]
        if wrong:
            raise ValueError(
                f"DenseFeatures expected dense columns; got {wrong[0]!r}. Items of feature_columns must be a "
                "DenseColumn: wrap a categorical column with indicator_column or embedding_column."
            )
        self._columns: list[DenseColumn] = sorted(given, key=lambda column: column.name)
        self._column_weights: dict[str, Any] = {}

    def build(self, input_shape: InputShape) -> None:
        for column in self._columns:
            self._column_weights[column.name] = column.build(self.add_weight)
        self.built = True

    def call(self, features: Any, cols_to_output_tensors: Any = None, training: bool | None = None) -> Tensor:
        if not isinstance(features, dict):
            raise ValueError(
                f"DenseFeatures expected a dict of features; got {features!r}. We expected a dictionary here."
            )
        found = {
            column.name: column.numbers(features, self._column_weights[column.name])
            for column in self._columns
        }
        if cols_to_output_tensors is not None:
            cols_to_output_tensors.update((column, found[column.name]) for column in self._columns)
        return tf.concat(list(found.values()), -1)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shapes = [tuple(shape) for shape in input_shape.values()]
        return tf.TensorShape(
            (shapes[0][0] if shapes else None, sum(column.size for column in self._columns))
        )
