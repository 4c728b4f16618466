"""Cross-entropies: logits behind a softmax, labels out of range, shapes they refuse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import errors
from tapeflow.keras import losses

SHARES = np.array([[0.1, 0.9], [0.3, 0.7]], np.float32)


def softmax_of(logits: Any) -> Any:
    logits = tf.constant(logits)
    probabilities = tf.nn.softmax(logits)
    probabilities._keras_logits = logits
    return probabilities


@pytest.mark.parametrize(
    ("loss", "label"), [("sparse_categorical_crossentropy", [1]), ("categorical_crossentropy", [[0.0, 1.0]])]
)
def test_logits_behind_a_keras_softmax(loss: str, label: Any) -> None:
    function = getattr(losses, loss)
    far_off = [[100.0, 0.0]]
    assert float(function(label, softmax_of(far_off))[0]) == 100.0
    assert 16 < float(function(label, tf.nn.softmax(far_off))[0]) < 16.2  # clipped
    with pytest.warns(
        UserWarning, match="received `from_logits=True`, but the `output` argument was produced"
    ):
        assert float(function(label, softmax_of(far_off), from_logits=True)[0]) == 100.0


def test_logits_behind_a_keras_sigmoid() -> None:
    logits = tf.constant([[-100.0]])
    probability = tf.sigmoid(logits)
    probability._keras_logits = logits
    assert float(losses.binary_crossentropy([[1.0]], probability)[0]) == 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(losses.binary_crossentropy([[1.0]], logits, from_logits=True)[0]) == 100.0


def test_probabilities_of_zero_and_one_give_the_same_compiled_and_not() -> None:
    p = tf.Variable([[0.0], [1.0]])
    with tf.GradientTape() as tape:
        compiled = losses.binary_crossentropy([[1.0], [0.0]], p)
    tape.gradient(compiled, p).numpy()
    np.testing.assert_allclose(compiled, [15.424949, 15.333239], rtol=1e-6)  # Keras 2's
    np.testing.assert_allclose(losses.binary_crossentropy([[1.0], [0.0]], p), compiled, rtol=1e-6)


@pytest.mark.parametrize("bad", [2, -1])
@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "computed"])
def test_label_out_of_range(bad: int, from_logits: bool, is_known: bool) -> None:
    labels = tf.constant([0, bad])
    if not is_known:
        labels = labels * tf.Variable([1, 1])
    text = rf"below the 2 classes of y_pred\. Received a label value of {bad} which is outside .* \[0, 2\)"
    with pytest.raises(errors.InvalidArgumentError, match=text):
        losses.SparseCategoricalCrossentropy(from_logits=from_logits)(labels, SHARES).numpy()


def test_ignored_label_may_be_out_of_range_and_others_may_not() -> None:
    loss = losses.SparseCategoricalCrossentropy(ignore_class=255)
    np.testing.assert_allclose(loss(np.array([1, 255], np.uint8), SHARES), -np.log(0.9), rtol=1e-6)
    with pytest.raises(errors.InvalidArgumentError, match="a label value of 7"):
        loss([7, 255], SHARES).numpy()


@pytest.mark.parametrize("labels", [[[1], [0]], [1.0, 0.0], np.array([1, 0], np.uint8)], ids=repr)
def test_shapes_and_dtypes_of_class_numbers(labels: Any) -> None:
    found = losses.sparse_categorical_crossentropy(labels, SHARES)
    np.testing.assert_allclose(found, -np.log([0.9, 0.3]), rtol=1e-6)


def test_class_axis() -> None:
    scores = np.random.default_rng(0).standard_normal((2, 4, 3)).astype(np.float32)
    labels = np.array([[0, 1, 3], [2, 2, 0]])
    last = losses.sparse_categorical_crossentropy(labels, scores.transpose(0, 2, 1), from_logits=True)
    middle = losses.sparse_categorical_crossentropy(labels, scores, from_logits=True, axis=1)
    np.testing.assert_allclose(middle, last, rtol=1e-6)


def test_one_hot_labels_for_the_sparse_loss() -> None:
    text = (
        r"`labels.shape` must equal `logits.shape` except .* labels.shape=\(2, 2\) .* use categorical_cross"
    )
    with pytest.raises(ValueError, match=text):
        losses.sparse_categorical_crossentropy(np.eye(2), SHARES)


def test_class_numbers_for_the_one_hot_loss() -> None:
    with pytest.raises(
        ValueError, match=r"Shapes \(2,\) and \(2, 2\) are incompatible: .* sparse_categorical"
    ):
        losses.categorical_crossentropy([0, 1], SHARES)


def test_axis_must_be_one_of_the_predictions() -> None:
    with pytest.raises(ValueError, match="`axis` must be of type `int`. Received: axis=True"):
        losses.categorical_crossentropy(SHARES, SHARES, axis=True)
    for function, labels in (
        (losses.categorical_crossentropy, SHARES),
        (losses.sparse_categorical_crossentropy, [0, 1]),
    ):
        with pytest.raises(ValueError, match=r"expected an axis of y_pred .* got axis=2"):
            function(labels, SHARES, axis=2)


def test_one_class_warns() -> None:
    with pytest.warns(SyntaxWarning, match="with num_classes > 1. Received: y_pred.shape=\\(2, 1\\)"):
        losses.categorical_crossentropy([[1.0], [1.0]], [[0.5], [0.5]])


def test_binary_logits_do_not_broadcast() -> None:
    with pytest.raises(ValueError, match="`logits` and `labels` must have the same shape"):
        losses.binary_crossentropy([1.0, 0.0], [[0.1], [0.2]], from_logits=True)
    with pytest.raises(
        errors.InvalidArgumentError, match="expected y_pred with at least one axis; got a scalar"
    ):
        losses.binary_crossentropy(1.0, 0.5)


def test_label_smoothing_may_be_a_tensor() -> None:
    one_hot = np.eye(2, dtype=np.float32)
    smooth = losses.categorical_crossentropy(one_hot, SHARES, label_smoothing=0.2)
    by_tensor = losses.categorical_crossentropy(one_hot, SHARES, label_smoothing=tf.constant(0.2))
    by_hand = -np.sum((one_hot * 0.8 + 0.1) * np.log(SHARES), 1)
    np.testing.assert_allclose(smooth, by_hand, rtol=1e-6)
    np.testing.assert_allclose(by_tensor, by_hand, rtol=1e-6)


def test_generalized_needs_q_between_0_and_1() -> None:
    with pytest.raises(ValueError, match=r"q must be in the interval \(0, 1\). Received: q=1.5"):
        losses.CategoricalGeneralizedCrossEntropy(q=1.5)


@pytest.mark.parametrize(
    ("true", "pred", "text"), [((2,), (2, 3, 4), "Targets `y_true`"), ((2, 3), (2, 3), "Logits `y_pred`")]
)
def test_ctc_ranks(true: Any, pred: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        losses.ctc(np.ones(true, int), np.ones(pred, np.float32))
