"""What belongs to which output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.outputs import (
    flat_data,
    flat_for,
    masked_weight,
    matched,
    metrics_for,
    names_for,
)

PAIR = [tf.ones((2, 3)), tf.ones((2, 1))]
NAMES = ["a", "b"]


def test_outputs_are_named_by_the_model_their_keys_or_their_place() -> None:
    assert names_for(PAIR, NAMES) == NAMES
    assert names_for({"y": 1, "x": 2}, None) == ["x", "y"]
    assert names_for({"y": 1, "x": 2}, NAMES) == NAMES
    assert names_for(PAIR, None) == ["output_1", "output_2"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, [None, None]),
        ("mse", ["mse", "mse"]),
        (["mse"], ["mse", "mse"]),
        (["mse", None], ["mse", None]),
        ({"b": "mae"}, [None, "mae"]),
    ],
)
def test_losses_are_given_for_all_in_order_or_by_name(value: Any, expected: Any) -> None:
    assert flat_for(PAIR, value, NAMES, "loss") == expected


def test_keys_are_those_of_the_outputs_where_they_are_a_dict() -> None:
    outputs = {"x": 1, "y": 2}
    assert flat_for(outputs, {"y": "mse"}, NAMES, "loss") == [None, "mse"]
    assert flat_for(outputs, {"a": "mse"}, NAMES, "loss") == ["mse", None]
    assert flat_data(outputs, {"y": 2, "x": 1}, NAMES, "y") == [1, 2]
    assert metrics_for(outputs, {"x": "mae"}, NAMES, "metrics") == [["mae"], []]


def test_a_wrong_number_or_name_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"list as `loss`, it should have one entry per model output: expected 2"
    ):
        flat_for(PAIR, ["mse"] * 3, NAMES, "loss")
    with pytest.raises(
        ValueError, match=r"Found unexpected loss keys that do not correspond to any Model output"
    ):
        flat_for(PAIR, {"c": "mse"}, NAMES, "loss")
    with pytest.raises(
        ValueError, match=r"expected y for each of the model's outputs \['a', 'b'\]; got 3 for 2"
    ):
        flat_data(PAIR, [tf.ones((2,))] * 3, NAMES, "y")
    with pytest.raises(
        ValueError, match="list of lists as `metrics`, it should have one entry per model output"
    ):
        metrics_for(PAIR, [["mae"]], NAMES, "metrics")


def test_labels_and_sample_weights_are_for_every_output_unless_given_for_each() -> None:
    weight = tf.ones((2,))
    assert flat_data(PAIR, weight, NAMES, "y") == flat_data(PAIR, [weight], NAMES, "y") == [weight, weight]
    assert flat_data(PAIR, weight, NAMES, "sample_weight") == [weight, weight]
    assert flat_data(PAIR, [weight, None], NAMES, "sample_weight") == [weight, None]
    assert flat_data(PAIR, None, NAMES, "sample_weight") == [None, None]


def test_metrics_for_all_outputs_are_objects_of_their_own() -> None:
    metric = tf.keras.metrics.MeanAbsoluteError(name="m")
    first, second = metrics_for(PAIR, [metric, "mse"], NAMES, "metrics")
    assert first[0] is metric
    assert second[0] is not metric
    assert second[0].name == "m"


def test_labels_take_rank_and_dtype_of_predictions() -> None:
    true, pred, weight = matched(np.ones(2), tf.ones((2, 3)), np.ones(2))
    assert (true.shape, weight.shape) == ((2, 1), (2, 1))
    assert true.dtype == weight.dtype == pred.dtype == tf.float32
    labels, _, _ = matched(np.ones(2, "int64"), tf.ones((2, 3)), None)
    assert labels.dtype == tf.int64


def test_masks_leave_weights_out() -> None:
    mask = tf.constant([[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(masked_weight(tf.constant([2.0, 3.0]), mask), [[2.0, 0.0], [3.0, 3.0]])
    assert masked_weight(tf.ones((2, 2, 1)), mask).shape == (2, 2, 1)


def test_losses_get_objects_that_stand_for_tensors_as_they_are() -> None:
    class Distribution:
        shape, dtype = tf.TensorShape([2, 1]), tf.float32

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.zeros((2, 1), np.float32)

    given = Distribution()
    assert matched(tf.ones([2, 1]), given, None)[1] is given
