"""The metrics given to `compile`."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.compiled_metrics import CompiledMetrics

TRUE = np.array([0, 1])
PRED = tf.constant([[0.9, 0.1], [0.8, 0.2]])


def results(compiled: CompiledMetrics) -> dict[str, float]:
    return {m.name: float(m.result()) for m in compiled.metrics}


def test_names_become_metrics_when_shapes_are_known() -> None:
    compiled = CompiledMetrics(["accuracy", tf.keras.metrics.SparseTopKCategoricalAccuracy(k=1, name="top")])
    assert compiled.metrics == []
    compiled.update_state(TRUE, PRED)
    assert results(compiled) == {"accuracy": 0.5, "top": 0.5}
    assert "SparseCategoricalAccuracy, because" in compiled.reasons[0][0]
    compiled.reset_state()
    assert results(compiled) == {"accuracy": 0.0, "top": 0.0}


def test_metrics_are_made_without_an_op(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf, "expand_dims", None)
    compiled = CompiledMetrics(["accuracy"])
    compiled.build(PRED, TRUE)  # in the first step, which is recorded as all others are
    assert "SparseCategoricalAccuracy, because" in compiled.reasons[0][0]


def test_only_weighted_metrics_see_weights() -> None:
    compiled = CompiledMetrics(["accuracy"], ["sparse_categorical_accuracy"])
    compiled.update_state(TRUE, PRED, np.array([3.0, 1.0]))
    assert results(compiled) == {"accuracy": 0.5, "sparse_categorical_accuracy": 0.75}


@pytest.mark.filterwarnings("ignore:mean_absolute_error got y_true")
def test_a_metric_that_is_weighted_too_is_told_apart_by_name() -> None:
    compiled = CompiledMetrics(["accuracy"], ["accuracy"])
    compiled.update_state(TRUE, PRED, np.array([3.0, 1.0]))
    assert results(compiled) == {"accuracy": 0.5, "weighted_accuracy": 0.75}
    compiled = CompiledMetrics(["accuracy"], [["mae"], ["accuracy"]], ["a", "b"])
    compiled.update_state([TRUE, TRUE], [PRED, PRED])
    assert list(results(compiled)) == ["a_accuracy", "a_mae", "b_accuracy", "b_weighted_accuracy"]


def test_masks_weigh_plain_metrics_too() -> None:
    pred = tf.constant([[[1.0], [5.0]]])
    pred._keras_mask = tf.constant([[True, False]])
    compiled = CompiledMetrics(["mae"], ["mse"])
    compiled.update_state(np.zeros((1, 2, 1)), pred, np.array([2.0]))
    assert results(compiled) == {"mae": 1.0, "mse": 1.0}


def test_metrics_of_several_outputs_carry_their_names() -> None:
    compiled = CompiledMetrics({"a": "accuracy", "b": ["mae", "mse"]}, None, ["a", "b"])
    compiled.update_state([TRUE, np.zeros((2, 2))], [PRED, PRED])
    assert list(results(compiled)) == ["a_accuracy", "b_mae", "b_mse"]
    assert results(compiled)["b_mae"] == pytest.approx(0.5)


def test_one_name_is_for_one_metric() -> None:
    with pytest.raises(ValueError, match="Found two metrics with the same name: mae"):
        CompiledMetrics(["mae", "mae"]).update_state(np.zeros((2, 2)), PRED)


def test_without_labels_nothing_is_counted() -> None:
    compiled = CompiledMetrics(["mae"])
    compiled.update_state(None, PRED)
    assert not compiled.built


def test_names_stand_for_the_same_in_every_model() -> None:
    for _ in range(2):
        found = CompiledMetrics(["AUC", "AUC", "Precision"])
        found.build(tf.ones((2, 1)), tf.ones((2, 1)))
        assert [m.name for m in found.metrics] == ["auc", "auc_1", "precision"]
