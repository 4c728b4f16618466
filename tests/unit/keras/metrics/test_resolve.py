"""What 'accuracy' means by shape, why, and metrics by name."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras import metrics
from tapeflow.keras.metrics.resolve import resolve_metric


@pytest.mark.parametrize(
    ("true", "pred", "kind", "why"),
    [
        ((None, 1), (None, 1), "binary", "has a single column"),
        ((None,), (None, 1), "binary", "has a single column"),
        (
            (None, 10),
            (None, 10),
            "categorical",
            "y_true (None, 10) and y_pred (None, 10) have the same shape",
        ),
        ((None,), (None, 10), "sparse", "has one axis less"),
        ((None, 1), (None, 10), "sparse", "one class number for each 10 scores"),
        ((None, 7), (None, 7, 10), "sparse", "has one axis less"),
        ((None, 7, 1), (None, 7, 10), "sparse", "one class number for each 10 scores"),
        ((32,), (32,), "categorical", "a whole batch counts as one sample"),
        ((None, 5), (None, 10), "categorical", "as many axes as"),
        ((None, 3), (None, None), "categorical", "as many axes as"),
    ],
)
@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("accuracy", {"binary": "BinaryAccuracy", "sparse": "SparseCategoricalAccuracy"}),
        ("acc", {"categorical": "CategoricalAccuracy"}),
        ("crossentropy", {"binary": "BinaryCrossentropy", "sparse": "SparseCategoricalCrossentropy"}),
        ("ce", {"categorical": "CategoricalCrossentropy"}),
    ],
)
def test_name_is_resolved_by_shape(
    name: str, titles: dict[str, str], true: Any, pred: Any, kind: str, why: str
) -> None:
    metric, reason = resolve_metric(name, true, pred)
    assert metric is not None
    assert metric.name == name
    family = "accuracy" if name.startswith("acc") else "crossentropy"
    wanted = {"binary": "binary_", "sparse": "sparse_categorical_", "categorical": "categorical_"}[
        kind
    ] + family
    assert metric._fn is getattr(metrics, wanted)
    assert reason.startswith(f"'{name}' -> {titles.get(kind, '')}")
    assert why in reason


def test_resolving_needs_shapes() -> None:
    with pytest.raises(ValueError, match="Name the metric itself"):
        resolve_metric("accuracy", (), (None, 3))


def test_other_names_functions_and_objects() -> None:
    def my_metric(y_true: Any, y_pred: Any) -> Any:
        return y_true - y_pred

    given = metrics.AUC(name="area")
    assert resolve_metric(None) == (None, "")
    assert resolve_metric(given)[0] is given
    metric, reason = resolve_metric("mse")
    assert (metric.name, metric._fn) == ("mse", metrics.mean_squared_error)
    assert "mean_squared_error" in reason
    assert type(resolve_metric("AUC")[0]) is metrics.AUC
    assert type(resolve_metric(metrics.AUC)[0]) is metrics.AUC
    assert resolve_metric(my_metric)[0].name == "my_metric"
    assert resolve_metric(tf.keras.losses.MeanSquaredError())[0].name == "mean_squared_error"


def test_resolved_metric_measures() -> None:
    metric, _ = resolve_metric("accuracy", (None,), (None, 3))
    metric.update_state([1, 2], [[0.1, 0.8, 0.1], [0.9, 0.1, 0.0]])
    assert metric.result().numpy() == 0.5


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("mse", "mean_squared_error"),
        ("MSE", "mean_squared_error"),
        ("mae", "mean_absolute_error"),
        ("bce", "binary_crossentropy"),
        ("kld", "kl_divergence"),
        ("logcosh", "log_cosh"),
        ("cosine_proximity", "cosine_similarity"),
        ("sparse_categorical_accuracy", "sparse_categorical_accuracy"),
    ],
)
def test_names_and_aliases(name: str, wanted: str) -> None:
    assert metrics.get(name) is getattr(metrics, wanted)


def test_get_takes_configs_classes_and_callables() -> None:
    metric = metrics.get({"class_name": "BinaryAccuracy", "config": {"threshold": 0.3}})
    assert metric.get_config()["threshold"] == 0.3
    assert type(metrics.get(metrics.Mean)) is metrics.Mean
    assert metrics.get(len) is len
    assert metrics.get(None) is None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Unknown metric function: 'acuracy'.*Did you mean 'accuracy'"):
        metrics.get("acuracy")
    with pytest.raises(ValueError, match="Could not interpret metric identifier: 3"):
        metrics.get(3)


def test_custom_metric_comes_back_through_a_scope() -> None:
    class Mine(metrics.Mean):
        pass

    config = metrics.serialize(Mine(name="m"))
    assert type(metrics.deserialize(config, custom_objects={"Mine": Mine})) is Mine


def test_similarity_is_the_negative_of_the_loss() -> None:
    a, b = [[1.0, 2.0]], [[2.0, 1.0]]
    assert metrics.cosine_similarity(a, b).numpy() == pytest.approx(0.8)
    assert float(tf.keras.losses.cosine_similarity(a, b)[0]) == pytest.approx(-0.8)
