"""`while` and `for` over tensors: what is recorded, what is an error, and what is left to Python."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class TestErrors:
    def test_a_dtype_that_changes(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            y = 0
            for _ in tf.range(3):
                y = x
            return y

        with pytest.raises(TypeError, match="'y' has dtype int32 before the loop, but dtype float32 after"):
            f(tf.constant(1.0))

    def test_a_shape_that_changes(self) -> None:
        with pytest.raises(ValueError, match=r"'x' has shape \(1,\) before the loop, but shape \(2,\) after"):
            tf.function(_doubled)(tf.constant([1.0]))

    def test_shape_invariants_leave_it_to_python(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            for _ in tf.range(3):
                tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
                x = tf.concat([x, x], 0)
            return x

        assert f(tf.constant([1.0])).shape == (8,)

    def test_a_return_in_a_loop_only(self) -> None:
        @tf.function  # noqa: RET503
        def f(x: Any) -> Any:
            for _ in tf.range(3):
                if x > 0:
                    return x

        with pytest.raises(ValueError, match="got a `return` in one branch only"):
            f(tf.constant(1.0))

    def test_a_name_that_no_turn_has_set(self) -> None:
        @tf.function
        def f(n: Any) -> Any:
            for i in tf.range(n):
                y = i * 2
            return y

        assert int(f(tf.constant(4))) == 6
        with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
            f(tf.constant(0)).numpy()


def _doubled(x: Any) -> Any:
    for _ in tf.range(3):
        x = tf.concat([x, x], 0)
    return x


class TestLeftToPython:
    def test_a_loop_of_known_length_is_unrolled_without_a_warning(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            parts = []
            for i in tf.range(3):
                parts.append(x * tf.cast(i, tf.float32))
            return tf.stack(parts)

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert f(tf.constant(2.0)).numpy().tolist() == [0.0, 2.0, 4.0]

    def test_printing_happens_in_every_turn(self, capfd: pytest.CaptureFixture[str]) -> None:
        @tf.function
        def f(x: Any) -> Any:
            for i in tf.range(3):
                tf.print("turn", i)
            return x

        f(tf.constant(1.0))
        f(tf.constant(1.0))
        assert capfd.readouterr().err.count("turn") == 6

    def test_a_break_in_a_python_loop(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            for _ in range(10):
                x = x * 2
                if x > 10:
                    break
            return x

        with pytest.warns(UserWarning, match="its loop goes over a Python object, not over tf.range"):
            assert float(f(tf.constant(1.0))) == 16.0

    def test_a_while_loop_that_reads(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            while x < 10:
                x = x + x.numpy()
            return x

        with pytest.warns(UserWarning, match="`while` over a tensor cannot be part of the program"):
            assert float(f(tf.constant(1.0))) == 16.0

    def test_a_dataset(self) -> None:
        dataset = tf.data.Dataset.range(5)

        @tf.function
        def f(x: Any) -> Any:
            for element in dataset:
                if element > 2:
                    break
                x = x + element
            return x

        with pytest.warns(UserWarning, match="plain Python"):
            assert int(f(tf.constant(2, tf.int64))) == 5
        assert int(f(tf.constant(3, tf.int64))) == 6


class TestState:
    def test_variables_that_a_turn_assigns(self) -> None:
        total, turns = tf.Variable(0.0), tf.Variable(0)

        @tf.function
        def f(x: Any, n: Any) -> Any:
            for i in tf.range(n):
                if i > 1:
                    total.assign_add(x)
                turns.assign_add(1)
            while total > 10.0:
                total.assign_sub(10.0)
            return total.read_value()

        assert float(f(tf.constant(3.0), tf.constant(4))) == 6.0
        assert float(f(tf.constant(4.0), tf.constant(4))) == 4.0
        assert int(turns) == 8

    def test_random_numbers_are_new_in_every_turn_and_call(self) -> None:
        @tf.function
        def f(n: Any) -> Any:
            array = tf.TensorArray(tf.float32, 4, element_shape=())
            for i in tf.range(n):
                array = array.write(i, tf.random.uniform(()))
            return array.stack()

        tf.random.set_seed(3)
        found = np.concatenate([f(tf.constant(4)).numpy() for _ in range(3)])
        assert len(set(found.tolist())) == 12
        tf.random.set_seed(3)
        np.testing.assert_array_equal(found[:4], f(tf.constant(4)))

    def test_a_python_loop_becomes_recorded_when_a_tensor_comes_to_decide(self) -> None:
        seen: list[int] = []

        def note() -> None:
            seen.append(1)

        @tf.function
        def f(x: Any) -> Any:
            while True:
                note()
                x = x * 2
                if x > 1000:
                    break
            return x

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert float(f(tf.constant(1.0))) == 1024.0
        assert len(seen) == 2

    def test_python_numbers_stay_python_where_they_decide(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            n = 0
            while True:
                n += 1
                x = x + n
                if n > 3:
                    break
            assert type(n) is int
            return x

        assert float(f(tf.constant(0.0))) == 10.0

    def test_maximum_iterations(self) -> None:
        @tf.function
        def f(x: Any, most: Any) -> Any:
            while x > 0:
                tf.autograph.experimental.set_loop_options(maximum_iterations=most)
                x = x + 1
            return x

        assert float(f(tf.constant(1.0), 5)) == 6.0
        assert float(f(tf.constant(1.0), tf.constant(7))) == 8.0


class TestSpeed:
    def test_compiling_does_not_depend_on_the_number_of_turns(self) -> None:
        def took(n: int) -> float:
            @tf.function
            def f(x: Any) -> Any:
                for _ in tf.range(n):
                    x = tf.tanh(x) * 1.01
                return x

            began = time.perf_counter()
            with tf.GradientTape() as tape:
                x = tf.constant(1.0)
                tape.watch(x)
                y = f(x)
            tape.gradient(y, x).numpy()
            return time.perf_counter() - began

        took(3)
        assert took(10_000) < 5 * took(10) + 1.0

    @pytest.mark.parametrize("turns", [1, 2, 63, 64, 65, 200, 5000])
    def test_the_gradient_of_a_loop_of_unknown_length(self, turns: int) -> None:
        @tf.function
        def f(x: Any, n: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y, i = x, tf.constant(0)
                while i < n:
                    y = y * 1.001 + x[::-1] * 0.001
                    i += 1
                total = tf.reduce_sum(y * tf.constant([1.0, 2.0]))
            return y, tape.gradient(total, x)

        def known(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tf.range(turns):
                    y = y * 1.001 + x[::-1] * 0.001
                total = tf.reduce_sum(y * tf.constant([1.0, 2.0]))
            return y, tape.gradient(total, x)

        x = tf.constant([1.0, -2.0])
        found, wanted = f(x, tf.constant(turns)), tf.function(known)(x)
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-4)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-4)


class TestDerivatives:
    def test_of_the_second_order(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = x
                    while y < 100.0:
                        y = y * x
                slope = inner.gradient(y, x)
            return slope, outer.gradient(slope, x)

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [float(t) for t in f(tf.constant(3.0))] == [5 * 81.0, 20 * 27.0]

    def test_in_a_direction(self) -> None:
        @tf.function
        def f(x: Any, n: Any) -> Any:
            y = x
            for _ in tf.range(n):
                y = y * x
            return y

        x = tf.constant(2.0)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = f(x, tf.constant(3))
        assert float(accumulator.jvp(y)) == 32.0

    def test_jacobian(self) -> None:
        @tf.function
        def f(x: Any, n: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y, i = x, 0
                while i < n:
                    y = y * x[::-1]
                    i += 1
            return tape.jacobian(y, x)

        found = f(tf.constant([2.0, 3.0]), tf.constant(2))
        np.testing.assert_allclose(found, [[9.0, 12.0], [12.0, 4.0]])  # of x0 * x1**2 and x1 * x0**2


class TestIterators:
    """An iterator is taken from once in each turn, and no further than the loop goes."""

    def test_a_break_leaves_the_next_element(self) -> None:
        iterator = iter(tf.data.Dataset.range(6))

        @tf.function
        def f(iterator: Any) -> Any:
            total = tf.constant(0, tf.int64)
            for x in iterator:
                total += x
                if x == 2:
                    break
            return total

        with pytest.warns(UserWarning, match="call it there"):
            assert int(f(iterator)) == 3
        assert int(next(iterator)) == 3

    def test_a_break_leaves_the_next_element_of_pythons(self) -> None:
        iterator = iter(range(6))

        @tf.function
        def f(x: Any) -> Any:
            for k in iterator:
                x += k
                if k == 2:
                    break
            return x

        assert int(f(tf.constant(0))) == 3
        assert next(iterator) == 3

    @pytest.mark.parametrize("count", [3, tf.constant(3)])
    def test_next_in_a_loop(self, count: Any) -> None:
        iterator = iter(tf.data.Dataset.range(10))

        @tf.function
        def f(iterator: Any, count: Any) -> Any:
            total = tf.constant(0, tf.int64)
            for _ in tf.range(count):
                total += next(iterator)
            return total

        with pytest.warns(UserWarning, match="takes an element of a dataset|takes the next element"):
            assert int(f(iterator, count)) == 0 + 1 + 2
        assert int(f(iterator, count)) == 3 + 4 + 5

    def test_next_of_a_distributed_dataset(self) -> None:
        strategy = tf.distribute.get_strategy()
        iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(2)))

        @tf.function
        def f(iterator: Any) -> Any:
            return tf.reduce_sum(next(iterator))

        assert [int(f(iterator)) for _ in range(3)] == [1, 5, 9]
