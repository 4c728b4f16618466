"""The staged steps of a model."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.training.staged_steps import StagedSteps


def doubled(x: Any) -> Any:
    return x * 2.0


def test_a_step_is_staged_once_for_a_mode() -> None:
    steps = StagedSteps()
    assert not steps.meets_batches
    train = steps.staged("train", doubled, is_eager=False, force=False)
    assert steps.meets_batches
    assert steps.staged("train", doubled, is_eager=False, force=False) is train
    assert steps.staged("test", doubled, is_eager=False, force=False) is not train
    assert steps.staged("train", doubled, is_eager=False, force=True) is not train


def test_forgotten_steps_are_staged_anew() -> None:
    steps = StagedSteps()
    train = steps.staged("train", doubled, is_eager=False, force=False)
    steps.forget()
    assert steps.staged("train", doubled, is_eager=False, force=False) is not train


def test_an_eager_step_is_plain_python_for_each_batch() -> None:
    seen = []

    def step(x: Any) -> Any:
        seen.append(float(tf.reduce_sum(x)))
        return x

    steps = StagedSteps()
    rows = steps.staged("train", step, is_eager=True, force=False)(np.array([[1.0], [2.0], [3.0]]), 2)
    assert seen == [1.0, 2.0]
    assert rows.count == 2
    assert not steps.repeaters


def test_a_copied_model_has_steps_of_its_own() -> None:
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.ones((2, 1), "float32")
    model.train_on_batch(x, x)
    twin = copy.deepcopy(model)
    before = model.get_weights()[0].copy()
    twin.train_on_batch(x, x)
    assert twin._staged_steps.repeaters["train"] is not model._staged_steps.repeaters["train"]
    np.testing.assert_array_equal(model.get_weights()[0], before)
    assert not np.array_equal(twin.get_weights()[0], before)
