"""`Mean`, `Sum`, `MeanTensor`: how weights meet values, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.metrics import Mean, MeanTensor, Sum, SumOverBatchSize


def test_mean_of_nothing_is_zero() -> None:
    assert Mean().result().numpy() == 0.0


@pytest.mark.parametrize(
    ("shape", "weight_shape", "lined_up"),
    [
        ((4,), (), (1,)),
        ((4,), (4,), (4,)),
        ((4,), (4, 1), (4,)),
        ((4, 3), (4,), (4, 1)),
        ((4, 3), (4, 1), (4, 1)),
        ((4, 3), (4, 3), (4, 3)),
        ((4, 3, 2), (4, 3), (4, 3, 1)),
    ],
)
def test_mean_weights_values(
    shape: tuple[int, ...], weight_shape: tuple[int, ...], lined_up: tuple[int, ...]
) -> None:
    random = np.random.default_rng(0)
    values, weights = random.normal(size=shape), random.uniform(size=weight_shape)
    spread = np.broadcast_to(np.reshape(weights, lined_up), shape)
    mean = Mean(dtype="float64")
    mean.update_state(values, sample_weight=weights)
    np.testing.assert_allclose(mean.result().numpy(), np.sum(values * spread) / np.sum(spread))
    np.testing.assert_allclose(mean.count.numpy(), np.sum(spread))


def test_weights_for_leading_axes_average_the_rest() -> None:
    values = np.arange(12.0, dtype="float32").reshape(2, 3, 2)
    mean, total = Mean(), Sum()
    mean.update_state(values, sample_weight=[1.0, 3.0])
    total.update_state(values, sample_weight=[1.0, 3.0])
    assert mean.result().numpy() == (2.5 + 3 * 8.5) / 4
    assert total.result().numpy() == 15 + 3 * 51


def test_weights_that_fit_nowhere_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddWeightedMean"):
        Mean().update_state([1.0, 2.0, 3.0], sample_weight=[1.0, 2.0])


def test_sum_over_batch_size_counts_values_not_weights() -> None:
    metric = SumOverBatchSize()
    metric.update_state([1.0, 3.0], sample_weight=[1.0, 0.0])
    assert metric.result().numpy() == 0.5


def test_values_of_any_dtype_are_summed_in_the_metrics() -> None:
    mean = Mean()
    mean.update_state(np.array([True, False, True, True]))
    mean.update_state(tf.constant([60000.0, 60000.0], tf.float16))
    assert mean.total.numpy() == 3 + 2 * float(np.float16(60000))
    assert mean.count.numpy() == 6


def test_a_dict_of_values_is_refused() -> None:
    with pytest.raises(RuntimeError, match="can only be a single Tensor"):
        Mean().update_state({"a": 1.0})


def test_mean_tensor_keeps_the_shape_of_the_first() -> None:
    metric = MeanTensor()
    with pytest.raises(ValueError, match="does not have any value yet"):
        metric.result()
    metric.update_state([0.0, 1.0, 2.0])
    metric.update_state([4.0, 5.0, 6.0], sample_weight=[1.0, 0.0, 3.0])
    np.testing.assert_allclose(metric.result().numpy(), [2.0, 1.0, 5.0])
    with pytest.raises(ValueError, match="must always have the same shape"):
        metric.update_state([0.0, 1.0])
