"""Branches that are taken at once where the condition is known."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.compat.inner import control_flow


def test_smart_cond_calls_one_branch() -> None:
    assert control_flow.smart_cond(True, lambda: 1, lambda: 1 / 0) == 1
    assert control_flow.smart_cond(tf.constant(False), lambda: 1 / 0, lambda: 2) == 2

    @tf.function
    def chosen(pred: tf.Tensor) -> tf.Tensor:
        return control_flow.smart_cond(pred, lambda: tf.constant(1), lambda: tf.constant(2))

    assert [int(chosen(tf.constant(b))) for b in (True, False)] == [1, 2]
    with pytest.raises(TypeError, match="true_fn to be callable"):
        control_flow.smart_cond(True, None, lambda: 2)
    with pytest.raises(TypeError, match="pred to be a boolean"):
        control_flow.smart_cond(None, lambda: 1, lambda: 2)


def test_pfor_is_a_loop_over_numbers() -> None:
    assert control_flow.pfor(lambda i: i * i, 4).numpy().tolist() == [0, 1, 4, 9]
