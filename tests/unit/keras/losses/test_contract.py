"""What every loss must do: stage, differentiate, take any label dtype, and survive its config."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import losses

rng = np.random.default_rng(0)
SCORES = rng.standard_normal((4, 3)).astype(np.float32)
SHARES = (np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)).astype(np.float32)
UNIT = (SCORES / np.linalg.norm(SCORES, axis=1, keepdims=True)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 0])
ONE_HOT = np.eye(3)[CLASSES].astype(np.int64)
COUNTS = rng.integers(0, 4, (4, 3))


class Case(NamedTuple):
    make: Any
    y_true: Any
    y_pred: Any

    def __repr__(self) -> str:
        return type(self.make()).__name__


CASES = [
    Case(losses.MeanSquaredError, COUNTS, SCORES),
    Case(losses.MeanAbsoluteError, COUNTS, SCORES),
    Case(losses.MeanAbsolutePercentageError, COUNTS + 1, SCORES),
    Case(losses.MeanSquaredLogarithmicError, COUNTS, SHARES),
    Case(lambda: losses.Huber(0.5), COUNTS, SCORES),
    Case(losses.LogCosh, COUNTS, SCORES),
    Case(losses.CosineSimilarity, COUNTS + 1, SCORES),
    Case(losses.Poisson, COUNTS, SHARES),
    Case(losses.KLDivergence, ONE_HOT, SHARES),
    Case(losses.Hinge, ONE_HOT, SCORES),
    Case(losses.SquaredHinge, ONE_HOT, SCORES),
    Case(losses.CategoricalHinge, ONE_HOT, SCORES),
    Case(lambda: losses.BinaryCrossentropy(label_smoothing=0.1), ONE_HOT, SHARES),
    Case(lambda: losses.BinaryFocalCrossentropy(gamma=1.0, alpha=0.3), ONE_HOT, SHARES),
    Case(lambda: losses.CategoricalCrossentropy(from_logits=True), ONE_HOT, SCORES),
    Case(lambda: losses.CategoricalFocalCrossentropy(gamma=1.0), ONE_HOT, SHARES),
    Case(lambda: losses.CategoricalGeneralizedCrossEntropy(q=0.3), CLASSES, SHARES),
    Case(lambda: losses.SparseCategoricalCrossentropy(ignore_class=2), CLASSES, SHARES),
    Case(lambda: losses.Dice(axis=1), ONE_HOT, SHARES),
    Case(lambda: losses.Tversky(alpha=0.3, axis=1), ONE_HOT, SHARES),
    Case(lambda: losses.Circle(gamma=2.0), CLASSES, UNIT),
    Case(losses.CTC, CLASSES[:, None], rng.standard_normal((4, 2, 3)).astype(np.float32)),
]
all_losses = pytest.mark.parametrize("case", CASES, ids=repr)


@pytest.fixture
def op_by_op() -> Iterator[None]:
    """Ops that run as they are called: each compiles once, not once for every formula it is part of."""
    tf.debugging.enable_op_by_op()
    yield
    tf.debugging.disable_op_by_op()


@all_losses
def test_staged_equals_eager_and_the_gradient_flows(case: Case) -> None:
    loss = case.make()
    weights = tf.Variable(case.y_pred)

    def step(y_true: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(y_true, weights * 1.0)
        return value, tape.gradient(value, weights)

    value, gradient = step(tf.constant(case.y_true))
    staged_value, staged_gradient = tf.function(step)(tf.constant(case.y_true))
    np.testing.assert_allclose(staged_value, value, rtol=1e-6)
    np.testing.assert_allclose(staged_gradient, gradient, rtol=1e-5, atol=1e-7)
    assert np.isfinite(gradient.numpy()).all()
    assert np.abs(gradient.numpy()).max() > 0


@all_losses
@pytest.mark.usefixtures("op_by_op")
def test_config_round_trip(case: Case) -> None:
    loss = case.make()
    again = losses.deserialize(losses.serialize(loss))
    assert type(again) is type(loss)
    assert again.get_config() == loss.get_config()
    np.testing.assert_array_equal(again(case.y_true, case.y_pred), loss(case.y_true, case.y_pred))


@all_losses
def test_found_by_class_name(case: Case) -> None:
    kind = type(case.make())
    assert type(losses.get(kind.__name__)) is kind
    assert type(losses.get(kind)) is kind


@all_losses
@pytest.mark.usefixtures("op_by_op")
def test_reductions_agree(case: Case) -> None:
    loss = case.make()
    values = {}
    for reduction in ("none", "sum", "sum_over_batch_size", "mean", None):
        again = type(loss)(
            **{k: v for k, v in loss.get_config().items() if k not in ("fn", "reduction")}
            | {"reduction": reduction}
        )
        values[reduction] = again(case.y_true, case.y_pred).numpy()
    assert values["none"].shape == values[None].shape == (4,)
    np.testing.assert_allclose(values["sum"], values["none"].sum(), rtol=1e-5)
    np.testing.assert_array_equal(values["mean"], values["sum_over_batch_size"])
    if type(loss) not in (losses.SparseCategoricalCrossentropy, losses.Circle):  # which have a mask
        np.testing.assert_allclose(values["mean"], values["none"].mean(), rtol=1e-5)


@all_losses
@pytest.mark.usefixtures("op_by_op")
@pytest.mark.parametrize("dtype", [pytest.param("float64", marks=pytest.mark.slow), "float16"])
def test_result_has_the_dtype_of_the_predictions(case: Case, dtype: str) -> None:
    value = case.make()(case.y_true, tf.constant(case.y_pred.astype(dtype)))
    expected = case.make()(case.y_true, case.y_pred).numpy()
    assert value.dtype == ("float32" if isinstance(case.make(), losses.Huber) else dtype)
    np.testing.assert_allclose(value, expected, rtol=1e-5 if dtype == "float64" else 0.05)


@all_losses
@pytest.mark.usefixtures("op_by_op")
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_labels_of_any_dtype(case: Case, dtype: str) -> None:
    expected = case.make()(case.y_true, case.y_pred)
    np.testing.assert_allclose(case.make()(case.y_true.astype(dtype), case.y_pred), expected, rtol=1e-6)


def test_every_loss_is_here() -> None:
    kinds = {type(case.make()) for case in CASES}
    public = {getattr(losses, name) for name in dir(losses)}
    classes = {c for c in public if isinstance(c, type) and issubclass(c, losses.Loss)}
    assert classes - kinds == {losses.Loss, losses.LossFunctionWrapper}
