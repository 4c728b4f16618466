"""The accuracies: shapes that Keras takes, shapes that would fool, and the figures of document 002's trap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import metrics
from tapeflow.keras.losses import shape_warning
from tapeflow.keras.metrics.match_shapes import check_match_shapes


@pytest.fixture(autouse=True)
def _fresh_warnings() -> None:
    check_match_shapes.cache_clear()
    shape_warning._warned.clear()


SCORES = [[0.1, 0.9, 0.8], [0.05, 0.95, 0.0], [0.9, 0.1, 0.0]]


def test_categorical_accuracy_of_class_numbers_counts_one_sample_and_says_so() -> None:
    wrong, right = metrics.CategoricalAccuracy(), metrics.Accuracy()
    with pytest.warns(UserWarning, match=r"sees one sample, not a batch.*use Accuracy"):
        wrong.update_state([1, 2, 3], [1, 2, 2])
    right.update_state([1, 2, 3], [1, 2, 2])
    assert (wrong.result().numpy(), wrong.count.numpy()) == (0.0, 1.0)
    assert (round(float(right.result()), 2), right.count.numpy()) == (0.67, 3.0)


def test_categorical_accuracy_of_class_numbers_against_scores_points_to_the_sparse_one() -> None:
    with pytest.warns(UserWarning, match="For class numbers use SparseCategoricalAccuracy"):
        metrics.CategoricalAccuracy().update_state([1, 1, 0], SCORES)


def test_sparse_accuracy_of_one_hot_labels_points_to_the_categorical_one() -> None:
    with pytest.raises(ValueError, match="For one-hot labels use CategoricalAccuracy"):
        metrics.SparseCategoricalAccuracy().update_state(np.eye(3), SCORES)


def test_accuracy_of_scores_points_to_the_categorical_ones() -> None:
    with pytest.raises(ValueError, match="are incompatible.*use SparseCategoricalAccuracy"):
        metrics.Accuracy().update_state([1, 1, 0], SCORES)


def test_binary_accuracy_warns_of_a_broadcast_and_squeezes_what_is_meant() -> None:
    with pytest.warns(UserWarning, match=r"\(3, 1\).*\(3, 3\)"):
        metrics.BinaryAccuracy().update_state([[1], [1], [0]], SCORES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        squeezed = metrics.BinaryAccuracy()
        squeezed.update_state([1, 1, 0], [[0.9], [0.4], [0.1]])
    assert squeezed.count.numpy() == 3
    with pytest.raises(ValueError, match="are incompatible"):
        metrics.BinaryAccuracy().update_state([1, 0], [0.5, 0.5, 0.1])


def test_sparse_labels_that_broadcast_over_time_warn() -> None:
    with pytest.warns(UserWarning, match="one label is compared with several"):
        metrics.SparseCategoricalAccuracy().update_state([[1]], np.zeros((1, 4, 3), "float32"))


def test_usual_shapes_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metrics.SparseCategoricalAccuracy().update_state([1, 1, 0], SCORES)
        metrics.SparseCategoricalAccuracy().update_state([[1], [1], [0]], SCORES)
        metrics.CategoricalAccuracy().update_state(np.eye(3), SCORES)
        metrics.Accuracy().update_state([[1], [2]], [1, 2])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "bool"])
def test_labels_of_any_dtype(dtype: str) -> None:
    metric = metrics.SparseCategoricalAccuracy()
    metric.update_state(np.array([1, 1, 0], dtype), SCORES)
    assert metric.result().numpy() == 1.0


def test_many_classes_and_small_labels() -> None:
    scores = np.zeros((2, 300), "float32")
    scores[:, 256 + 3] = 1
    metric = metrics.SparseCategoricalAccuracy()
    metric.update_state(np.array([3, 3], "uint8"), scores)  # 259 is not 3, though it is in uint8
    assert metric.result().numpy() == 0.0


def test_all_nan_scores_count_as_class_zero_as_in_tensorflow() -> None:
    metric = metrics.SparseCategoricalAccuracy()
    metric.update_state([0, 1], np.full((2, 3), np.nan, "float32"))
    assert metric.result().numpy() == 0.5


@pytest.mark.parametrize(("k", "wanted"), [(1, 1 / 3), (2, 2 / 3), (3, 1.0), (9, 1.0)])
def test_top_k(k: int, wanted: float) -> None:
    sparse, categorical = metrics.SparseTopKCategoricalAccuracy(k), metrics.TopKCategoricalAccuracy(k)
    sparse.update_state([2, 1, 2], SCORES)
    categorical.update_state(np.eye(3)[[2, 1, 2]], SCORES)
    np.testing.assert_allclose([sparse.result().numpy(), categorical.result().numpy()], wanted, rtol=1e-6)


def test_top_k_counts_neither_unknown_labels_nor_infinite_scores() -> None:
    metric = metrics.SparseTopKCategoricalAccuracy(k=2)
    metric.update_state([7, 0, 1], [[0.1, 0.2], [np.inf, 0.0], [0.3, 0.2]])
    np.testing.assert_allclose(metric.result().numpy(), 1 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "args", "wanted"),
    [
        ("binary_accuracy", ([[1, 1], [1, 0]], [[0.9, 0.4], [0.6, 0.2]]), [0.5, 1.0]),
        ("binary_accuracy", ([[1], [0]], [[0.4], [0.2]], 0.3), [1.0, 1.0]),
        ("categorical_accuracy", ([[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]]), [1.0, 0.0]),
        ("sparse_categorical_accuracy", ([[1], [0]], [[0.1, 0.9], [0.2, 0.8]]), [1.0, 0.0]),
        ("top_k_categorical_accuracy", ([[0, 0, 1]], [[0.1, 0.9, 0.3]], 2), [1.0]),
        ("sparse_top_k_categorical_accuracy", ([0], [[0.1, 0.9, 0.3]], 2), [0.0]),
        ("accuracy", ([1, 2], [1, 3]), [1.0, 0.0]),
    ],
)
def test_functions_give_a_value_for_each_sample(function: str, args: Any, wanted: list[float]) -> None:
    assert getattr(metrics, function)(*args).numpy().tolist() == wanted


def test_function_in_a_wrapper_is_counted_by_one_op() -> None:
    metric = metrics.MeanMetricWrapper(metrics.binary_accuracy, name="accuracy", threshold=0.3)
    metric.update_state([[1, 0], [1, 1]], [[0.4, 0.4], [0.1, 0.9]])
    assert (metric.result().numpy(), metric.count.numpy()) == (0.5, 2.0)
    assert metric._matching is not None


def test_mask_that_a_function_leaves_on_its_values_weighs_them() -> None:
    def masked(y_true: Any, y_pred: Any) -> Any:
        values = tf.abs(y_true - y_pred)
        values._keras_mask = tf.constant([True, False, True])
        return values

    metric = metrics.MeanMetricWrapper(masked, name="masked")
    metric.update_state([1.0, 1.0, 1.0], [0.0, 9.0, 4.0])
    assert (metric.result().numpy(), metric.count.numpy()) == (2.0, 2.0)
    metric.reset_state()
    metric.update_state([1.0, 1.0, 1.0], [0.0, 9.0, 4.0], sample_weight=[3.0, 1.0, 1.0])
    assert (metric.result().numpy(), metric.count.numpy()) == (1.5, 4.0)


def test_loss_object_is_a_metric_of_batch_means() -> None:
    metric = metrics.MeanMetricWrapper(tf.keras.losses.MeanSquaredError(), name="loss")
    metric.update_state([[0.0], [0.0]], [[1.0], [3.0]])
    metric.update_state([[0.0]], [[1.0]])
    assert (metric.result().numpy(), metric.count.numpy()) == (3.0, 2.0)
