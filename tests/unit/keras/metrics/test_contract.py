"""What every metric promises: staged as eager, a config that makes it again, a state that resets and merges."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import metrics
from tapeflow.keras.metrics.serialization import METRICS

_random = np.random.default_rng(3)
_BINARY = (_random.integers(0, 2, (6, 3)).astype("int32"), _random.uniform(size=(6, 3)).astype("float32"))
_ONE_HOT = (np.eye(3, dtype="float32")[[0, 2, 1, 1, 0, 2]], _BINARY[1])
_SPARSE = (np.array([0, 2, 1, 1, 0, 2]), _BINARY[1])
_CLASSES = (np.array([0, 2, 1, 1, 0, 2]), np.array([0, 2, 2, 1, 0, 1]))
_FLOATS = (_random.uniform(size=(6, 3)).astype("float32"), _BINARY[1])
_WEIGHTS = np.array([1.0, 0.5, 0.0, 2.0, 1.0, 1.5], "float32")

_ARGUMENTS: dict[str, dict[str, Any]] = {
    "BinaryIoU": {"threshold": 0.4},
    "IoU": {"num_classes": 3, "target_class_ids": [0, 2]},
    "MeanIoU": {"num_classes": 3},
    "MeanRelativeError": {"normalizer": [1.0, 2.0, 0.5]},
    "OneHotIoU": {"num_classes": 3, "target_class_ids": [1]},
    "OneHotMeanIoU": {"num_classes": 3},
    "PrecisionAtRecall": {"recall": 0.4},
    "RecallAtPrecision": {"precision": 0.4},
    "SensitivityAtSpecificity": {"specificity": 0.4},
    "SpecificityAtSensitivity": {"sensitivity": 0.4},
    "TopKCategoricalAccuracy": {"k": 2},
    "SparseTopKCategoricalAccuracy": {"k": 2},
    "MeanMetricWrapper": {"fn": metrics.mean_squared_error},
    "SumOverBatchSizeMetricWrapper": {"fn": metrics.mean_squared_error},
    "AUC": {"num_thresholds": 7},
}
_BATCHES: dict[str, tuple[Any, ...]] = {
    "Accuracy": _CLASSES,
    "IoU": _CLASSES,
    "MeanIoU": _CLASSES,
    "SparseCategoricalAccuracy": _SPARSE,
    "SparseCategoricalCrossentropy": _SPARSE,
    "SparseTopKCategoricalAccuracy": _SPARSE,
    "CategoricalAccuracy": _ONE_HOT,
    "CategoricalCrossentropy": _ONE_HOT,
    "CategoricalHinge": _ONE_HOT,
    "OneHotIoU": _ONE_HOT,
    "OneHotMeanIoU": _ONE_HOT,
    "TopKCategoricalAccuracy": _ONE_HOT,
    "Mean": (_FLOATS[0],),
    "Sum": (_FLOATS[0],),
    "SumOverBatchSize": (_FLOATS[0],),
    "MeanTensor": (_FLOATS[0],),
}
_NAMES = sorted(name for name, value in METRICS.known.items() if inspect.isclass(value) and name != "Metric")
# The losses as metrics differ in their function alone; two of them stand for all where it is slow.
_ALIKE = {
    name
    for name in _NAMES
    if getattr(metrics, name).__module__.endswith(("loss_metrics", "correlation"))
    and name not in ("MeanSquaredError", "SparseCategoricalCrossentropy")
}
_DIFFERENT = [name for name in _NAMES if name not in _ALIKE]
# One of each class of theirs, for what their classes do.
_KINDS = {
    *(
        "AUC",
        "Accuracy",
        "CosineSimilarity",
        "FBetaScore",
        "Mean",
        "MeanIoU",
        "MeanTensor",
        "OneHotIoU",
        "Precision",
    ),
    *("R2Score", "RecallAtPrecision", "RootMeanSquaredError", "TopKCategoricalAccuracy", "TruePositives"),
}
# The Variables of these take their shape from the first batch.
_BUILT_LATE = {"FBetaScore", "F1Score", "R2Score", "MeanTensor"}
# These count what has weight zero.
_COUNT_ALL = {"MeanTensor", "SumOverBatchSize", "SumOverBatchSizeMetricWrapper"}
# The state of these is a matrix of pairs, for which a weight is one for each pair.
_FLAT_WEIGHTS = {"BinaryIoU"}


def make(metric: str, /, **more: Any) -> Any:
    return getattr(metrics, metric)(**_ARGUMENTS.get(metric, {}), **more)


def batch_for(name: str) -> tuple[Any, ...]:
    is_binary = name in ("BinaryIoU", "AUC", "FBetaScore", "F1Score", "BinaryAccuracy", "BinaryCrossentropy")
    known = _BINARY if is_binary or issubclass(getattr(metrics, name), _counting()) else _FLOATS
    return _BATCHES.get(name, known)


def _counting() -> type:
    from tapeflow.keras.metrics.thresholds import CountingMetric

    return CountingMetric


def every(names: list[str]) -> Any:
    return pytest.mark.parametrize("name", names)


def kinds(names: list[str]) -> Any:
    """One of each kind; the others are slow."""
    return every([n if n in _KINDS else pytest.param(n, marks=pytest.mark.slow) for n in names])  # pyright: ignore[reportArgumentType]


def test_every_metric_of_keras_2_is_here() -> None:
    wanted = """AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy CategoricalCrossentropy
    CategoricalHinge CosineSimilarity F1Score FBetaScore FalseNegatives FalsePositives Hinge IoU KLDivergence
    LogCoshError Mean MeanAbsoluteError MeanAbsolutePercentageError MeanIoU MeanMetricWrapper MeanRelativeError
    MeanSquaredError MeanSquaredLogarithmicError MeanTensor OneHotIoU OneHotMeanIoU Poisson Precision
    PrecisionAtRecall R2Score Recall RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity
    SparseCategoricalAccuracy SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SpecificityAtSensitivity
    SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives TruePositives
    ConcordanceCorrelation PearsonCorrelation"""
    assert set(wanted.split()) <= set(_NAMES)


@kinds(_DIFFERENT)
def test_staged_update_equals_eager_and_reads_no_value(name: str) -> None:
    eager, staged = make(name), make(name)
    batch = batch_for(name)
    runs = []
    staged.update_state(*batch)  # metrics that take their shape from a batch make their Variables here
    staged.reset_state()

    @tf.function
    def step(*parts: Any) -> Any:
        runs.append(1)
        staged.update_state(*parts)
        return staged.result()

    for _ in range(3):
        result = step(*[tf.constant(part) for part in batch])
        eager.update_state(*batch)
    np.testing.assert_allclose(result.numpy(), eager.result().numpy(), rtol=1e-6)
    assert len(runs) == 1


@every(_DIFFERENT)
def test_update_records_few_nodes(name: str) -> None:
    from tapeflow.engine.recording.trace import live_trace

    metric = make(name)
    parts = [tf.constant(part) for part in batch_for(name)]
    metric.update_state(*parts)
    metric.result()
    [variable.numpy() for variable in metric.variables]
    before = len(live_trace().nodes)
    metric.update_state(*parts)
    budget = {
        "Mean": 2,
        "Sum": 1,
        "CategoricalAccuracy": 2,
        "SparseCategoricalAccuracy": 2,
        "BinaryAccuracy": 2,
    }
    assert len(live_trace().nodes) - before <= budget.get(name, 20)


@every(_NAMES)
def test_config_makes_the_metric_again(name: str) -> None:
    metric = make(name, name="mine", dtype="float64")
    again = type(metric).from_config(metric.get_config())
    assert (again.name, again.dtype) == ("mine", "float64")
    again.update_state(*batch_for(name))
    assert {variable.dtype for variable in again.variables} <= {tf.float64, tf.int32}
    assert again.result().dtype == tf.float64
    np.testing.assert_equal(again.get_config(), metric.get_config())


@every(_NAMES)
def test_serialised_metric_comes_back(name: str) -> None:
    metric = make(name, name="mine")
    again = metrics.deserialize(metrics.serialize(metric))
    assert type(again) is type(metric)
    assert again.name == "mine"


@kinds(_DIFFERENT)
def test_reset_forgets_everything(name: str) -> None:
    metric = make(name)
    batch = batch_for(name)
    metric.update_state(*batch)
    once = metric.result().numpy()
    metric.update_state(*batch)
    metric.reset_state()
    assert all(not variable.numpy().any() for variable in metric.variables)
    metric.update_state(*batch)
    np.testing.assert_array_equal(metric.result().numpy(), once)


@kinds(_DIFFERENT)
def test_merged_state_is_that_of_all_batches(name: str) -> None:
    one, two, both = make(name), make(name), make(name)
    batch = batch_for(name)
    swapped = tuple(part[::-1].copy() for part in batch)
    for metric, parts in ((one, batch), (two, swapped), (both, batch), (both, swapped)):
        metric.update_state(*parts)
    one.merge_state([two])
    np.testing.assert_allclose(one.result().numpy(), both.result().numpy(), rtol=1e-6)


@kinds([n for n in _DIFFERENT if n not in _COUNT_ALL])
def test_weight_zero_leaves_a_sample_out(name: str) -> None:
    batch = batch_for(name)
    weights = np.broadcast_to(_WEIGHTS[:, None], batch[0].shape) if name in _FLAT_WEIGHTS else _WEIGHTS
    kept = _WEIGHTS > 0
    weighted, without = make(name), make(name)
    weighted.update_state(*batch, sample_weight=weights)
    without.update_state(*[part[kept] for part in batch], sample_weight=weights[kept])
    np.testing.assert_allclose(weighted.result().numpy(), without.result().numpy(), rtol=1e-6)


@every(_DIFFERENT)
def test_half_precision_predictions_are_counted_in_float32(name: str) -> None:
    metric = make(name)
    *labels, predictions = batch_for(name)
    if predictions.dtype == np.float32:
        predictions = predictions.astype("float16")
    metric.update_state(*labels, predictions)
    assert metric.result().dtype == tf.float32


@every(_NAMES)
def test_variables_are_not_trainable_and_in_the_order_they_were_made(name: str) -> None:
    metric = make(name)
    metric.update_state(*batch_for(name))
    assert metric.trainable_variables == []
    assert not any(variable.trainable for variable in metric.variables)
    assert [id(v) for v in metric.weights] == [id(v) for v in metric._weights]


@every([n for n in _DIFFERENT if n not in _BUILT_LATE])
def test_deep_copy_has_a_state_of_its_own(name: str) -> None:
    metric = make(name)
    batch = batch_for(name)
    metric.update_state(*batch)
    copied = copy.deepcopy(metric)
    before = metric.result().numpy()
    np.testing.assert_array_equal(copied.result().numpy(), before)
    copied.reset_state()
    np.testing.assert_array_equal(metric.result().numpy(), before)


@pytest.mark.parametrize("make_result", [lambda m: m.result(), lambda m: m(*batch_for("Mean"))])
def test_result_is_a_tensor_of_that_moment(make_result: Callable[[Any], Any]) -> None:
    metric = metrics.Sum()
    metric.update_state([1.0, 2.0])
    result = make_result(metric)
    assert tf.is_tensor(result)
    assert not isinstance(result, tf.Variable)
    before = result.numpy()
    metric.reset_state()
    assert result.numpy() == before
