"""Several calls in one program give what the calls one by one give, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.program import counters
from tapeflow.engine.programs.repeat import Repeater

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 4, 3)).astype("float32")
Y = RNG.normal(size=(6, 4, 1)).astype("float32")


class Steps:
    """A small training step with a Variable, a counter and a random draw."""

    def __init__(self) -> None:
        self.w = tf.Variable(np.zeros((3, 1), "float32"))
        self.n = tf.Variable(0)
        self.unwritten = tf.Variable(2.0)

    def __call__(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.dropout(x, 0.5) @ self.w - y) ** 2) * self.unwritten
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
        self.n.assign_add(1)
        return {"loss": loss, "n": self.n, "same": 3, "unwritten": self.unwritten}


def test_the_same_bits_as_call_by_call() -> None:
    tf.random.set_seed(1)
    fused = Steps()
    rows = Repeater(fused)((X, Y), 6)
    losses = [row["loss"] for row in rows]
    tf.random.set_seed(1)
    single = Steps()
    expected = [single((tf.constant(x), tf.constant(y)))["loss"].numpy() for x, y in zip(X, Y, strict=True)]
    np.testing.assert_array_equal(losses, expected)
    np.testing.assert_array_equal(fused.w, single.w)
    assert [int(row["n"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows.last() == {"loss": float(expected[-1]), "n": 6, "same": 3, "unwritten": 2.0}


def test_rows_that_do_not_count_use_the_same_program() -> None:
    steps = Steps()
    repeater = Repeater(steps)
    repeater((X, Y), 6)
    compiled = counters.compiled
    tf.random.set_seed(1)
    steps.w.assign(np.zeros((3, 1)))
    repeater((X, Y), 2)
    repeater((X[2:3].repeat(6, 0), Y[2:3].repeat(6, 0)), 1)
    assert counters.compiled == compiled
    found = steps.w.numpy()
    tf.random.set_seed(1)
    single = Steps()
    for x, y in zip(X[:3], Y[:3], strict=True):
        single((tf.constant(x), tf.constant(y)))
    np.testing.assert_array_equal(found, single.w)
    assert steps.n.numpy() == 9


def test_recording_runs_nothing_and_changes_nothing(counting: Any) -> None:
    steps = Steps()
    with counting() as spent:
        Repeater(steps)((X, Y), 6)
    assert spent.dispatched == 1


def test_none_in_the_data_and_lists_of_results() -> None:
    rows = Repeater(lambda data: [data[0] * 2, data[1]])((X, None), 6)
    np.testing.assert_array_equal(rows.columns[0], X * 2)
    assert rows[3][1] is None


def test_a_function_that_reads_a_value_is_called_each_time() -> None:
    n = tf.Variable(0)
    calls = []

    def function(x: Any) -> Any:
        calls.append(1)
        if tf.reduce_sum(x).numpy() > 0:
            n.assign_add(1)
        return n.value()

    repeater = Repeater(function)
    rows = repeater(X, 6)
    assert len(calls) == 6
    assert int(rows[5]) == n.numpy() == int((X.sum((1, 2)) > 0).sum())
    assert repeater.read_at is not None
    assert "test_repeat.py" in repeater.read_at


def test_the_first_call_that_reads_a_value_runs_the_programs_of_later_ones(counting: Any) -> None:
    v = tf.Variable(tf.ones((3,)))

    def function(x: Any) -> Any:
        x = tf.sin(x) * 0.3 + 0.1
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(v * x))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return float(loss.numpy())

    repeater = Repeater(function)
    repeater(X, 1)
    with counting() as spent:
        repeater(X, 6)
    assert (spent.compiled, spent.dispatched, spent.op_by_op) == (0, 6, 0)


def test_a_bad_index_is_reported_and_nothing_after_it_happens() -> None:
    table, n = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0)

    def function(x: Any) -> Any:
        found = tf.gather(table, tf.cast(x, tf.int32))
        n.assign_add(1)
        return tf.reduce_sum(found)

    repeater = Repeater(function)
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        repeater(np.array([[0.0], [1.0], [7.0], [2.0]], "float32"), 4).last()
        n.numpy()
    assert n.numpy() == 2


def test_labels_that_the_host_knows_are_checked_before_anything_runs() -> None:
    n = tf.Variable(0)

    def function(labels: Any) -> Any:
        n.assign_add(1)
        labels = tf.squeeze(tf.expand_dims(labels, -1), -1)  # has the same elements
        return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.zeros((2, 3))))

    with pytest.raises(tf.errors.InvalidArgumentError, match="5"):
        Repeater(function)(np.array([[0, 1], [5, 2]]), 2)
    assert n.numpy() == 0


def test_an_effect_is_had_at_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        tf.print(tf.shape(x)[0])
        return x

    Repeater(function)(X, 3)
    assert capsys.readouterr().err == "4\n" * 3


class TestPrepare:
    """A program for batches that are yet to come: compiled in the background, and nothing has run."""

    def test_it_gives_the_same_bits(self) -> None:
        found = []
        for is_prepared in (True, False):
            tf.random.set_seed(1)
            steps = Steps()
            repeater = Repeater(steps)
            repeater((X[:3], Y[:3]), 3)
            if is_prepared:
                before = steps.w.numpy()
                repeater.prepare((X[:1, :2], Y[:1, :2]))
                np.testing.assert_array_equal(steps.w, before)
                assert int(steps.n) == 3
                assert len(repeater.records) == 2
            repeater((X[3:4], Y[3:4]), 1)
            last = repeater((X[4:5, :2], Y[4:5, :2]), 1).last()
            assert len(repeater.records) == 3
            found.append((steps.w.numpy().tolist(), last["loss"]))
        assert found[0] == found[1]

    def test_a_function_that_reads_a_value_there_is_left_alone(self) -> None:
        total = tf.Variable(0.0)

        def add(x: Any) -> Any:
            total.assign_add(tf.reduce_sum(x))
            if x.shape[0] < 4 and total.numpy() < 0:
                total.assign(0.0)
            return total

        repeater = Repeater(add)
        ones = np.ones((1, 4, 3), "float32")
        repeater(ones, 1)
        repeater.prepare(ones[:, :2])
        assert len(repeater.records) == 1
        assert float(total) == 12
        repeater(ones[:, :2], 1)
        assert float(total) == 18
        repeater.prepare(ones[:, :1])  # one that has been read is not tried again
        assert float(total) == 18

    def test_an_error_shows_when_the_batch_comes(self) -> None:
        def fail(x: Any) -> Any:
            if x.shape[0] < 4:
                raise ValueError("too small")
            return tf.reduce_sum(x)

        repeater = Repeater(fail)
        repeater(X[:1], 1)
        repeater.prepare(X[:1, :2])
        with pytest.raises(ValueError, match="too small"):
            repeater(X[:1, :2], 1)
