"""`tf.debugging`'s switches: NaN and Inf found where they arise, ops run one by one, counters."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.settings import settings

InvalidArgumentError = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def _switches_off() -> Iterator[None]:
    yield
    tf.debugging.disable_check_numerics()
    tf.debugging.disable_op_by_op()


def line_named_by(error: BaseException) -> str:
    """The source of the line that a message names."""
    found = re.search(r"at (/.+?\.py):(\d+)", str(error))
    assert found is not None, f"no line in: {error}"
    return linecache.getline(found.group(1), int(found.group(2)))


def test_nothing_is_checked_unless_asked_for() -> None:
    assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())


@pytest.mark.parametrize("op_by_op", [False, True])
def test_a_nan_in_eager_code(op_by_op: bool) -> None:
    tf.debugging.enable_check_numerics()
    if op_by_op:
        tf.debugging.enable_op_by_op()

    def compute() -> Any:
        x = tf.constant([1.0, -1.0]) * 2.0
        y = tf.math.log(x)  # here it arises
        return tf.exp(y) + 1.0

    with pytest.raises(InvalidArgumentError, match="NaN in the output of op Log") as caught:
        compute().numpy()
    assert "# here it arises" in line_named_by(caught.value)
    tf.debugging.disable_check_numerics()
    assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())


def test_an_inf_and_a_finite_result() -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=10, path_length_limit=10)
    assert float(tf.math.log(tf.constant(1.0))) == 0.0
    with pytest.raises(InvalidArgumentError, match="Inf in the output of op Log") as caught:
        (tf.math.log(tf.constant(0.0)) * 2.0).numpy()  # log of 0
    assert "# log of 0" in line_named_by(caught.value)


def test_a_nan_in_a_function() -> None:
    tf.debugging.enable_check_numerics()

    @tf.function
    def f(x: Any) -> Any:
        y = tf.math.log(x)  # here it arises
        return y * 2.0

    for _ in range(2):
        assert float(f(tf.constant(1.0))) == 0.0
        with pytest.raises(InvalidArgumentError, match="NaN in the output of op Log") as caught:
            f(tf.constant(-1.0)).numpy()
        assert "# here it arises" in line_named_by(caught.value)


@pytest.mark.parametrize("is_staged", [False, True])
def test_an_inf_in_a_gradient(is_staged: bool) -> None:
    tf.debugging.enable_check_numerics()
    weight = tf.Variable([1.0, 4.0])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight * x))
        gradient = tape.gradient(loss, weight)  # the root has no slope at 0
        weight.assign_sub(gradient)
        return loss

    run = tf.function(step) if is_staged else step
    np.testing.assert_allclose(run(tf.constant(1.0)), 3.0)
    np.testing.assert_allclose(weight, [0.5, 3.75])
    with pytest.raises(InvalidArgumentError, match=r"(Inf|NaN) in the output of op gradient") as caught:
        run(tf.constant(0.0)).numpy()
    assert "# the root has no slope at 0" in line_named_by(caught.value)
    np.testing.assert_allclose(weight, [0.5, 3.75])  # the step was not taken


def test_an_inf_in_a_gradient_op_by_op() -> None:
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_op_by_op()
    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    with pytest.raises(InvalidArgumentError, match="Inf in the output of op gradient"):
        tape.gradient(y, x)


def test_op_by_op_gives_the_same_values() -> None:
    def compute() -> Any:
        x = tf.Variable([[0.1, 0.2], [0.3, 0.4]])  # where tanh is not so flat that its slope is all rounding
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(x @ x) * 2.0)
        return tape.gradient(y, x).numpy()

    fused = compute()
    assert not settings.op_by_op
    tf.debugging.enable_op_by_op()
    assert settings.op_by_op
    before = tf.debugging.engine_counters()
    np.testing.assert_allclose(compute(), fused, rtol=1e-6)
    after = tf.debugging.engine_counters()
    assert after["op_by_op"] > before["op_by_op"]
    assert after["dispatched"] == before["dispatched"]
    tf.debugging.disable_op_by_op()
    assert not settings.op_by_op


def test_op_by_op_runs_ops_as_they_are_called() -> None:
    tf.debugging.enable_op_by_op()
    tf.debugging.enable_check_numerics()
    with pytest.raises(InvalidArgumentError, match="op Log"):
        tf.math.log(tf.constant(-1.0))  # nobody reads it


def test_counters_tell_what_was_done() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.exp(x) * 3.25 + 0.125

    before = tf.debugging.engine_counters()
    assert set(before) >= {"compiled", "dispatched", "op_by_op", "copied_for_donation"}
    f(tf.constant(1.0))
    first = tf.debugging.engine_counters()
    for i in range(5):
        f(tf.constant(float(i)))
    later = tf.debugging.engine_counters()
    assert first["compiled"] - before["compiled"] == 1
    assert later["compiled"] == first["compiled"]
    assert later["dispatched"] - first["dispatched"] == 5
    before["compiled"] = -1  # a snapshot: it is the caller's own
    assert tf.debugging.engine_counters()["compiled"] == later["compiled"]


def test_device_placement_switch() -> None:
    assert tf.debugging.get_log_device_placement() is False
    tf.debugging.set_log_device_placement(True)
    assert tf.debugging.get_log_device_placement() is True
    tf.debugging.set_log_device_placement(False)


TENSORFLOW_NAMES = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
    "get_log_device_placement",
    "is_numeric_tensor",
    "set_log_device_placement",
]


@pytest.mark.parametrize(
    "name", [*TENSORFLOW_NAMES, "enable_op_by_op", "disable_op_by_op", "engine_counters"]
)
def test_names_are_there_and_documented(name: str) -> None:
    assert getattr(tf.debugging, name).__doc__


def test_traceback_filtering_is_remembered() -> None:
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()
