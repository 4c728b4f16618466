"""Intersection over union, for segmentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.weighting import as_tensor, as_weights
from tapeflow.ops.training.confusion_counts import add_confusion, class_numbers, mean_iou
from tapeflow.ops.variables.update import update_variable


class IoU(Metric):
    """The mean over some classes of tp / (tp + fp + fn); a class that never occurs does not count.

    Args:
        num_classes: the number of classes.
        target_class_ids: those that count.
        name: the key in logs.
        dtype: of the result.
        ignore_class: a label that stands for no class; samples with it are left out.
        sparse_y_true: labels are class numbers, not one-hot.
        sparse_y_pred: predictions are class numbers, not scores.
        axis: where the classes are in what is not sparse.
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"{type(self).__name__} expected target_class_ids below num_classes: Target class id "
                f"{max(target_class_ids)} is out of range, which is [0, {num_classes})."
            )
        self.num_classes = num_classes
        self.target_class_ids = list(target_class_ids)
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros"
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch; the shapes do not matter but for their size."""
        labels = as_tensor(y_true) if self.sparse_y_true else tf.argmax(y_true, axis=self.axis)
        found = as_tensor(y_pred) if self.sparse_y_pred else tf.argmax(y_pred, axis=self.axis)
        weights = as_weights(sample_weight, self._dtype)
        labels = class_numbers(labels, size=self.num_classes, ignored=self.ignore_class)
        found = class_numbers(found, size=self.num_classes, ignored=None)
        if labels.shape != found.shape:
            raise ValueError(
                f"{type(self).__name__} expected as many predictions as labels; got y_true with "
                f"{labels.shape[0]} and y_pred with {found.shape[0]} of them. Scores and one-hot labels need "
                "sparse_y_pred=False and sparse_y_true=False."
            )
        update_variable(self.total_cm, add_confusion, labels, found, weights, ignored=self.ignore_class)

    def result(self) -> Tensor:
        """The mean of the chosen classes."""
        return mean_iou(self.total_cm, classes=tuple(self.target_class_ids))

    def get_config(self) -> dict[str, Any]:
        given = {
            "num_classes": self.num_classes,
            "target_class_ids": self.target_class_ids,
            "ignore_class": self.ignore_class,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "axis": self.axis,
        }
        return {**super().get_config(), **given}

    def _config_without(self, *names: str) -> dict[str, Any]:
        return {key: value for key, value in IoU.get_config(self).items() if key not in names}


class BinaryIoU(IoU):
    """`IoU` of two classes for scores: those at or above `threshold` belong to class 1."""

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_classes=2, target_class_ids=target_class_ids, name=name, dtype=dtype)
        self.threshold = threshold

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch of scores."""
        is_one = tf.cast(tf.cast(y_pred, self._dtype) >= self.threshold, tf.int32)
        super().update_state(y_true, is_one, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dtype": self.dtype,
            "target_class_ids": self.target_class_ids,
            "threshold": self.threshold,
        }


class MeanIoU(IoU):
    """`IoU` of all classes."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            list(range(num_classes)),
            name,
            dtype,
            ignore_class,
            sparse_y_true,
            sparse_y_pred,
            axis,
        )

    def get_config(self) -> dict[str, Any]:
        return self._config_without("target_class_ids")


class OneHotIoU(IoU):
    """`IoU` for one-hot labels and scores."""

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        return self._config_without("sparse_y_true")


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` for one-hot labels and scores."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        return self._config_without("target_class_ids", "sparse_y_true")
