"""Tests for tapeflow.engine.programs.compiled: how much compiled code a process keeps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import compiled, program
from tapeflow.engine.programs.compiled import Compiled
from tapeflow.engine.settings import settings

MOST = 8


@pytest.fixture(autouse=True)
def few_programs() -> None:
    settings.most_programs = MOST


class Counted:
    """Functions that tell how often they were traced."""

    def __init__(self) -> None:
        self.traced: Counter[int] = Counter()

    def make(self, number: int) -> Compiled:
        def function(x: Any) -> Any:
            self.traced[number] += 1
            return x + number

        return Compiled(function)


def test_code_that_was_used_longest_ago_goes_first() -> None:
    counted = Counted()
    found = [counted.make(number) for number in range(3 * MOST)]
    for one in found:
        one.function()(1.0)
        found[0].function()(1.0)
    assert counted.traced[0] == 1  # in use all the time
    have_code = [number for number, one in enumerate(found) if one.used_at]
    assert 0 in have_code
    assert have_code[1:] == list(range(3 * MOST - len(have_code) + 1, 3 * MOST))
    assert MOST // 2 < len(have_code) <= MOST


def test_what_was_let_go_is_compiled_again() -> None:
    counted = Counted()
    found = [counted.make(number) for number in range(2 * MOST)]
    assert [float(one.function()(1.0)) for one in found * 2] == [1.0 + n for n in range(2 * MOST)] * 2
    assert counted.traced[0] == 2


def test_functions_that_are_gone_do_not_count() -> None:
    before = len(compiled._kept)
    one = Counted().make(1)
    one.function()(1.0)
    assert len(compiled._kept) <= max(before, MOST)
    del one
    assert not any(found.used_at == 0 for found in compiled._kept)


def expressions(size: int) -> np.ndarray:
    x = tf.constant(np.linspace(0, 1, size, dtype=np.float32))
    for _ in range(6):
        x = tf.sin(x) * 3.0 + 0.1
    return x.numpy()


def test_programs_of_many_shapes_are_bounded_and_give_the_same_again() -> None:
    program.clear_programs()
    first = [expressions(100 + i) for i in range(2 * MOST)]
    assert 0 < len(program._programs) <= MOST
    for i, expected in enumerate(first):
        np.testing.assert_array_equal(expressions(100 + i), expected)


def test_a_program_in_use_is_not_compiled_again(counting: Callable[[], Any]) -> None:
    program.clear_programs()
    expressions(50)
    for i in range(2 * MOST):
        expressions(200 + i)
        with counting() as spent:
            expressions(50)
        assert spent.compiled == 0


def test_ops_that_run_by_themselves_are_bounded() -> None:
    sizes = [10_000 + i for i in range(3 * MOST)]
    first = [float(tf.reduce_sum(tf.ones([n])).numpy()) for n in sizes]
    assert first == sizes
    assert len(compiled._kept) <= MOST
    assert [float(tf.reduce_sum(tf.ones([n])).numpy()) for n in sizes] == sizes


def test_a_function_runs_on_when_its_code_was_let_go() -> None:
    @tf.function
    def step(x: Any) -> Any:
        total.assign_add(tf.reduce_sum(tf.tanh(x)))
        return total * 2.0

    total = tf.Variable(0.0)
    x = tf.constant(np.linspace(0, 1, 33, dtype=np.float32))
    values = [step(x).numpy()]
    for i in range(2 * MOST):
        expressions(300 + i)
        values.append(step(x).numpy())
    for one in list(compiled._kept):
        one.release()
    values.append(step(x).numpy())
    steps = np.diff(np.array(values, np.float64))
    np.testing.assert_allclose(steps, values[0], rtol=1e-5)


def test_training_goes_on_when_its_code_was_let_go() -> None:
    def losses(lets_go: bool) -> list[float]:
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        x = np.linspace(0, 1, 5 * 7, dtype=np.float32).reshape(7, 5)
        found = []
        for _ in range(3):
            found += model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0).history["loss"]
            for one in list(compiled._kept) if lets_go else []:
                one.release()
        return found

    assert losses(lets_go=True) == losses(lets_go=False)


@pytest.mark.parametrize("chosen", ["many", "0", ""])
def test_a_number_of_programs_that_is_none(chosen: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import tapeflow.engine.settings"],
        capture_output=True,
        text=True,
        env=os.environ | {"TAPEFLOW_PROGRAMS": chosen},
        check=False,
    )
    assert f"a whole number of compiled programs to keep; got TAPEFLOW_PROGRAMS={chosen!r}" in done.stderr
