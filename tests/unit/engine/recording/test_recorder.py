"""Recording the results of an op that has several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import items_of, record, tensor_of
from tapeflow.engine.settings import settings


@op(name="SumAndDifference")
def _sum_and_difference(x: Any, y: Any) -> Any:
    return x + y, x - y


def parts(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    node = record(_sum_and_difference.instance({}), (x._node, y._node))
    return [tensor_of(n) for n in items_of(node)]


@pytest.mark.parametrize("is_op_by_op", [False, True])
def test_items_are_the_results_in_order(is_op_by_op: bool) -> None:
    settings.op_by_op = is_op_by_op
    total, difference = parts(tf.constant(3.0), tf.constant(1.0))
    assert (float(total), float(difference)) == (4.0, 2.0)


@pytest.mark.parametrize("is_op_by_op", [False, True])
def test_gradients_pass_through_items(is_op_by_op: bool) -> None:
    settings.op_by_op = is_op_by_op
    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        total, difference = parts(x, y)
        product = total * difference
    np.testing.assert_array_equal(tape.gradient(product, [x, y]), [6.0, -4.0])
