"""Losses on logits: values, dtypes, shapes, labels out of range, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.nn import cross_entropy as nn

LOGITS = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]], np.float32)
SHARES = np.array([[0.0, 0.0, 1.0], [0.2, 0.3, 0.5]], np.float32)
HALF = ["float16", "bfloat16"]


def close(result: Any, expected: Any, rtol: float = 1e-5) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(np.asarray(result.numpy(), "f8"), expected, rtol=rtol, atol=1e-7)


def test_softmax_cross_entropy() -> None:
    close(nn.softmax_cross_entropy_with_logits(SHARES, LOGITS), [0.407606, 2.324745])
    close(nn.softmax_cross_entropy_with_logits(SHARES[0], LOGITS[0]), 0.407606)
    close(nn.softmax_cross_entropy_with_logits(SHARES, LOGITS, axis=0), [0.262652, 0.914576, 1.469893])


@pytest.mark.parametrize("labels", [SHARES[:1], SHARES[0]], ids=["row", "vector"])
def test_labels_broadcast(labels: np.ndarray) -> None:
    close(nn.softmax_cross_entropy_with_logits(labels, LOGITS), [0.407606, 0.024745], 1e-4)


@pytest.mark.parametrize("labels", [[[0, 0, 1], [1, 0, 0]], np.array([[0, 0, 1], [1, 0, 0]])])
def test_labels_take_the_dtype_of_logits(labels: Any) -> None:
    close(nn.softmax_cross_entropy_with_logits(labels, LOGITS), [0.407606, 4.024745])
    double = nn.softmax_cross_entropy_with_logits(constant(labels, "float64"), LOGITS)
    assert double.dtype.name == "float32"


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision(dtype: str) -> None:
    logits = constant(LOGITS, dtype)
    for result in (
        nn.softmax_cross_entropy_with_logits(SHARES, logits),
        nn.sparse_softmax_cross_entropy_with_logits([2, 2], logits),
        nn.sigmoid_cross_entropy_with_logits(constant(SHARES, dtype), logits),
    ):
        assert result.dtype.name == dtype
        assert np.isfinite(np.asarray(result.numpy(), "f4")).all()


@pytest.mark.parametrize("shape", [(2, 4), (3, 3), (2, 2, 3)])
def test_labels_that_do_not_broadcast(shape: tuple[int, ...]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="logits and labels must be broadcastable"):
        nn.softmax_cross_entropy_with_logits(np.ones(shape, np.float32), LOGITS)


@pytest.mark.parametrize("axis", [2, -3])
def test_class_axis_out_of_range(axis: int) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"expected axis in \[-2, 2\); got axis="):
        nn.softmax_cross_entropy_with_logits(SHARES, LOGITS, axis=axis)


def test_scalars_have_no_classes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="A scalar has no axes"):
        nn.softmax_cross_entropy_with_logits(1.0, 1.0)
    with pytest.raises(ValueError, match="expected logits with a class axis"):
        nn.sparse_softmax_cross_entropy_with_logits(1, 1.0)


def test_integer_logits_are_refused() -> None:
    for loss in (
        lambda: nn.softmax_cross_entropy_with_logits(SHARES, [[1, 2, 3], [4, 5, 6]]),
        lambda: nn.sparse_softmax_cross_entropy_with_logits([0], [[1, 2]]),
        lambda: nn.sigmoid_cross_entropy_with_logits([1], [1]),
        lambda: nn.weighted_cross_entropy_with_logits([1], [1], 1),
        lambda: nn.log_poisson_loss([1], [1]),
        lambda: nn.l2_loss([1, 2]),
    ):
        with pytest.raises(errors.InvalidArgumentError, match="expected a floating-point tensor"):
            loss()


def test_nothing_at_all() -> None:
    empty = np.zeros((0, 3), np.float32)
    close(nn.softmax_cross_entropy_with_logits(empty, empty), np.zeros(0))
    close(nn.sparse_softmax_cross_entropy_with_logits(np.zeros(0, np.int32), empty), np.zeros(0))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sparse_softmax_cross_entropy(dtype: str) -> None:
    close(
        nn.sparse_softmax_cross_entropy_with_logits(constant([2, 0], dtype), LOGITS),
        [0.407606, 4.024745],
    )


def test_sparse_ranks() -> None:
    close(nn.sparse_softmax_cross_entropy_with_logits(2, LOGITS[0]), 0.407606)
    close(nn.sparse_softmax_cross_entropy_with_logits([[2, 0]], LOGITS[None]), [[0.407606, 4.024745]])


def test_sparse_agrees_with_one_hot() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(50, 7)).astype(np.float32)
    labels = rng.integers(0, 7, 50)
    one_hot = np.eye(7, dtype=np.float32)[labels]
    variable = Variable(logits)
    with GradientTape(persistent=True) as tape:
        sparse = nn.sparse_softmax_cross_entropy_with_logits(labels, variable)
        dense = nn.softmax_cross_entropy_with_logits(one_hot, variable)
    close(sparse, dense.numpy())
    close(tape.gradient(sparse, variable), tape.gradient(dense, variable).numpy())


@pytest.mark.parametrize("bad", [3, -1, 10])
@pytest.mark.parametrize("pending", [False, True])
def test_label_out_of_range(bad: int, pending: bool) -> None:
    labels = constant([0, bad])
    if pending:
        labels = labels * Variable([1, 1])
    message = (
        r"sparse_softmax_cross_entropy_with_logits expected labels below the number of classes\. "
        rf"Received a label value of {bad} which is outside the valid range of \[0, 3\)"
    )
    with pytest.raises(errors.InvalidArgumentError, match=message):
        nn.sparse_softmax_cross_entropy_with_logits(labels, LOGITS).numpy()


@pytest.mark.parametrize("labels", [[[2], [0]], 2], ids=repr)
def test_sparse_rank_mismatch(labels: Any) -> None:
    with pytest.raises(ValueError, match=r"`labels.shape.rank` must equal `logits.shape.rank - 1`"):
        nn.sparse_softmax_cross_entropy_with_logits(labels, LOGITS)


def test_sparse_shape_mismatch() -> None:
    with pytest.raises(ValueError, match=r"expected labels of the shape \[2\], that of logits"):
        nn.sparse_softmax_cross_entropy_with_logits([2, 0, 1], LOGITS)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int16"])
def test_sparse_label_dtype(dtype: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected int32 or int64 labels"):
        nn.sparse_softmax_cross_entropy_with_logits(constant([1, 0], dtype), LOGITS)


def test_sparse_without_classes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected at least one class"):
        nn.sparse_softmax_cross_entropy_with_logits([0, 0], np.zeros((2, 0), np.float32))


@pytest.mark.parametrize(
    "loss", [nn.sparse_softmax_cross_entropy_with_logits, nn.sigmoid_cross_entropy_with_logits]
)
def test_both_are_needed(loss: Any) -> None:
    with pytest.raises(ValueError, match="expected both labels and logits; got labels=None"):
        loss(None, LOGITS)
    with pytest.raises(ValueError, match="expected both labels and logits; got logits=None"):
        loss(LOGITS, None)


def test_sigmoid_cross_entropy() -> None:
    expected = [[1.313262, 2.126928, 0.048587], [0.693147, 0.613262, 2.01815]]
    close(nn.sigmoid_cross_entropy_with_logits(labels=SHARES, logits=LOGITS), expected)
    close(nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], [1e4, -1e4]), [1e4, 1e4])


def test_weighted_cross_entropy() -> None:
    expected = [[1.313262, 2.126928, 0.097175], [0.831777, 1.00724, 2.027225]]
    close(nn.weighted_cross_entropy_with_logits(SHARES, LOGITS, 2.0), expected)
    close(
        nn.weighted_cross_entropy_with_logits(SHARES, LOGITS, [1.0, 2.0, 3.0])[0],
        [1.313262, 2.126928, 0.145762],
    )


@pytest.mark.parametrize("shape", [(2, 4), (3,)])
def test_shapes_must_agree(shape: tuple[int, ...]) -> None:
    other = np.ones(shape, np.float32)
    for loss in (
        lambda: nn.sigmoid_cross_entropy_with_logits(other, LOGITS),
        lambda: nn.weighted_cross_entropy_with_logits(other, LOGITS, 1.0),
    ):
        with pytest.raises(ValueError, match="expected logits and labels to have the same shape"):
            loss()
    with pytest.raises(ValueError, match="expected log_input and targets to have the same shape"):
        nn.log_poisson_loss(other, LOGITS)


def test_dtypes_must_agree() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="SigmoidCrossEntropyWithLogits"):
        nn.sigmoid_cross_entropy_with_logits(constant(SHARES, "float64"), constant(LOGITS))


def test_log_poisson_loss() -> None:
    close(nn.log_poisson_loss([0.0, 1.0, 2.0], [0.0, 1.0, -1.0]), [1, 1.718282, 2.367879])
    full = nn.log_poisson_loss([0.0, 0.5, 1.0, 2.0], [0.0, 0.5, 1.0, -1.0], compute_full_loss=True)
    close(full, [1, 1.398721, 1.718282, 3.019686])


def test_l2_loss() -> None:
    close(nn.l2_loss([[1.0, 2.0], [3.0, 4.0]]), 15)
    assert nn.l2_loss(constant([1.0], "float16")).dtype.name == "float16"


def test_a_small_loss_of_large_logits_keeps_its_digits() -> None:
    logits = np.array([[1000.0, 996.5, 990.25]], np.float32)
    exact = np.log(np.exp(logits.astype(np.float64) - 1000).sum(-1))
    np.testing.assert_allclose(nn.sparse_softmax_cross_entropy_with_logits([0], logits), exact, rtol=2e-6)
