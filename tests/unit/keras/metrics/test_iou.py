"""The IoU family: confusion matrices, classes left out, class numbers out of range."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.metrics import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU


def test_documented_example() -> None:
    # tp = 1 of each class, unions 3 and 3
    assert MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1]).numpy() == pytest.approx(1 / 3)
    weighted = IoU(num_classes=2, target_class_ids=[0])([0, 0, 1, 1], [0, 1, 0, 1], [0.3, 0.3, 0.3, 0.1])
    assert weighted.numpy() == pytest.approx(0.3 / (0.3 + 0.3 + 0.3))


def test_class_that_never_occurs_does_not_count() -> None:
    assert MeanIoU(num_classes=5)([0, 1], [0, 1]).numpy() == 1.0


def test_shapes_do_not_matter() -> None:
    labels, found = np.arange(12).reshape(2, 3, 2) % 3, np.arange(12).reshape(2, 3, 2) % 2
    flat, deep = MeanIoU(3), MeanIoU(3)
    flat.update_state(labels.ravel(), found.ravel())
    deep.update_state(labels, found)
    np.testing.assert_array_equal(flat.total_cm.numpy(), deep.total_cm.numpy())
    assert flat.total_cm.numpy().sum() == 12


def test_ignored_class_is_left_out_and_may_be_out_of_range() -> None:
    metric = MeanIoU(num_classes=2, ignore_class=255)
    metric.update_state([0, 1, 255, 255], [0, 1, 0, 1])
    assert metric.result().numpy() == 1.0
    assert metric.total_cm.numpy().sum() == 2


@pytest.mark.parametrize(
    ("labels", "found", "value"), [([0, 3], [0, 1], 3), ([0, 1], [0, 2], 2), ([0, -1], [0, 1], -1)]
)
def test_class_numbers_out_of_range_raise(labels: list[int], found: list[int], value: int) -> None:
    metric = MeanIoU(num_classes=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"below num_classes=2; got {value}"):
        metric.update_state(labels, found)
        metric.result().numpy()


def test_scores_and_one_hot_labels() -> None:
    labels, scores = np.eye(3)[[0, 1, 2, 1]], np.eye(3)[[0, 1, 1, 1]] * 0.8
    plain = MeanIoU(3)
    plain.update_state([0, 1, 2, 1], [0, 1, 1, 1])
    assert OneHotMeanIoU(3)(labels, scores).numpy() == plain.result().numpy()
    assert OneHotIoU(3, [1])(labels, scores).numpy() == pytest.approx(2 / 3)
    moved = OneHotMeanIoU(3, axis=0)
    assert moved(labels.T, scores.T).numpy() == plain.result().numpy()


def test_binary_threshold_takes_equality_for_one() -> None:
    metric = BinaryIoU(target_class_ids=[1], threshold=0.5)
    assert metric([0, 1, 1], [0.5, 0.5, 0.1]).numpy() == pytest.approx(1 / 3)


def test_target_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Target class id 3 is out of range, which is \[0, 3\)"):
        IoU(num_classes=3, target_class_ids=[1, 3])


def test_scores_where_class_numbers_are_wanted_are_refused() -> None:
    with pytest.raises(ValueError, match="sparse_y_pred=False"):
        MeanIoU(3).update_state([0, 1], np.zeros((2, 3), "float32"))
