"""tf.while_loop: what it returns, how it is differentiated, when it runs as Python, bad input."""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
Pair = collections.namedtuple("Pair", "x y")


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


both = pytest.mark.parametrize("run", [eager, tf.function], ids=["eager", "function"])


def plain(values: Any) -> Any:
    return tf.nest.map_structure(lambda t: t.numpy().item(), values)


class TestResults:
    @both
    def test_values(self, run: Any) -> None:
        def collatz(n: Any) -> Any:
            def body(n: Any, steps: Any) -> Any:
                return tf.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

            return tf.while_loop(lambda n, _: n > 1, body, (n, tf.constant(0)))[1]

        function = run(collatz)
        assert [int(function(tf.constant(n))) for n in (1, 6, 27)] == [0, 8, 111]

    @pytest.mark.parametrize("given", [list, tuple, lambda v: Pair(*v)], ids=["list", "tuple", "named"])
    @pytest.mark.parametrize("returned", [list, tuple, lambda v: Pair(*v)], ids=["list", "tuple", "named"])
    def test_in_eager_code_the_structure_is_what_body_returns(self, given: Any, returned: Any) -> None:
        found = tf.while_loop(
            lambda i, j: i < 2, lambda i, j: returned([i + 1, j]), given([tf.constant(0), tf.constant(5)])
        )
        assert type(found) is type(returned([0, 0]))
        assert list(plain(found)) == [2, 5]

    def test_in_a_function_it_is_that_of_loop_vars(self) -> None:
        @tf.function
        def function(i: Any) -> Any:
            found = tf.while_loop(lambda i, j: i < 2, lambda i, j: (i + 1, j), [i, tf.constant(5)])
            assert type(found) is list
            return found

        assert plain(function(tf.constant(0))) == [2, 5]

    def test_a_turn_that_reads_keeps_the_structure(self) -> None:
        found = tf.while_loop(lambda i, j: i < 2, lambda i, j: (i + 1, j + float(i)), [tf.constant(0), 5.0])
        assert type(found) is tuple
        assert plain(found) == (2, 6.0)

    def test_nested_variables(self) -> None:
        start = [tf.constant(0), {"a": tf.constant(1.0), "b": (tf.constant(2.0),)}]
        index, rest = tf.while_loop(
            lambda i, d: i < 3, lambda i, d: [i + 1, {"a": d["a"] * 2.0, "b": (d["b"][0] + 1.0,)}], start
        )
        assert plain(index) == 3
        assert plain(rest) == {"a": 8.0, "b": (5.0,)}

    def test_one_variable(self) -> None:
        assert plain(tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])) == [6]
        assert plain(tf.while_loop(lambda i: i < 5, lambda i: i + 2, [tf.constant(0)])) == [6]
        assert plain(tf.while_loop(lambda i: i < 5, lambda i: i + 2, tf.constant(0))) == 6
        vector = tf.while_loop(lambda v: v[0] < 5.0, lambda v: v * 2.0, tf.constant([1.0, 3.0]))
        assert vector.numpy().tolist() == [8.0, 24.0]

    def test_python_numbers_and_variables(self) -> None:
        variable = tf.Variable(2.0)
        found = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, variable])
        assert plain(found) == (3, 16.0)
        assert variable.numpy() == 2.0

    @pytest.mark.parametrize(("limit", "turns"), [(0, 0), (3, 3), (-1, 0), (tf.constant(2), 2), (200_000, 7)])
    def test_maximum_iterations(self, limit: Any, turns: int) -> None:
        found = tf.while_loop(lambda i: i < 7, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=limit)
        assert plain(found) == [turns]

    @pytest.mark.parametrize("answer", [lambda i: tf.cast(i < 3, tf.int32), lambda i: tf.reshape(i < 3, [1])])
    def test_other_truth_values(self, answer: Any) -> None:
        assert plain(tf.while_loop(answer, lambda i: [i + 1], [tf.constant(0)])) == [3]

    def test_strings(self) -> None:
        found = tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s + "x"), [tf.constant(0), tf.constant("")]
        )
        assert found[1].numpy() == b"xxx"

    def test_a_shape_or_dtype_that_changes(self) -> None:
        start = [tf.constant(0), tf.constant([1])]
        found = tf.while_loop(lambda i, v: i < 2, lambda i, v: [i + 1, tf.concat([v, v], 0)], start)
        assert found[1].numpy().tolist() == [1, 1, 1, 1]
        found = tf.while_loop(lambda i, v: i < 2, lambda i, v: [i + 1, tf.cast(v, tf.float32)], start)
        assert found[1].dtype == tf.float32

    @both
    def test_draws_differ_from_turn_to_turn(self, run: Any) -> None:
        def draw() -> Any:
            def body(i: Any, drawn: Any) -> Any:
                return i + 1, tf.concat([drawn[1:], tf.random.uniform([1])], 0)

            return tf.while_loop(lambda i, _: i < 4, body, (tf.constant(0), tf.zeros([4])))[1]

        function = run(draw)
        assert len({*function().numpy().tolist(), *function().numpy().tolist()}) == 8

    def test_one_program_for_every_start(self, counting: Any) -> None:
        def run(start: float) -> Any:
            start_at = tf.constant(np.full((300,), start, np.float32))
            return tf.while_loop(lambda x: x[0] < 10.0, lambda x: [x * 2.0 + tf.sin(x)], [start_at])[
                0
            ].numpy()

        run(1.0)
        with counting() as spent:
            run(2.0)
        assert spent.compiled == 0


class TestPython:
    """Loops that run turn by turn."""

    def test_a_test_answered_by_python(self) -> None:
        turns: list[int] = []

        def body(i: Any) -> Any:
            turns.append(1)
            return [i + 1]

        assert plain(tf.while_loop(lambda i: len(turns) < 3, body, [tf.constant(0)])) == [3]

    def test_always_true_with_a_limit_in_a_function(self) -> None:
        @tf.function
        def function(i: Any) -> Any:
            return tf.while_loop(lambda i: True, lambda i: [i + 1], [i], maximum_iterations=5)[0]

        assert [int(function(tf.constant(n))) for n in (0, 2)] == [5, 7]
        assert function.experimental_get_tracing_count() == 1

    def test_a_body_that_reads(self) -> None:
        seen: list[int] = []
        tf.while_loop(lambda i: i < 3, lambda i: (seen.append(int(i)), [i + 1])[1], [tf.constant(0)])
        assert seen == [0, 1, 2]

    def test_a_body_that_writes(self) -> None:
        total = tf.Variable(0)
        tf.while_loop(lambda i: i < 3, lambda i: (total.assign_add(i), [i + 1])[1], [tf.constant(0)])
        assert total.numpy() == 3

    def test_a_read_after_a_loop_is_not_blamed_on_it(self) -> None:
        @tf.function
        def function(x: Any) -> Any:
            turns: list[int] = []
            x = tf.while_loop(lambda i: len(turns) < 2, lambda i: (turns.append(1), [i + 1])[1], [x])[0]
            return x if x.numpy() > 0 else -x

        with pytest.warns(UserWarning, match="Python reads the value"):
            assert int(function(tf.constant(3))) == 5

    def test_in_a_function_variables_that_a_body_assigns_are_carried(self) -> None:
        total, even, left = tf.Variable(0.0), tf.Variable(0), tf.Variable(10)

        @tf.function
        def function(n: Any) -> Any:
            def body(i: Any) -> Any:
                total.assign_add(tf.cast(i, tf.float32))
                tf.cond(i % 2 == 0, lambda: even.assign_add(1), lambda: even)
                return [i + 1]

            tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
            turns = tf.while_loop(
                lambda i: left > n, lambda i: (left.assign_sub(n), [i + 1])[1], [tf.constant(0)]
            )
            return total + 1.0, turns[0]

        found = [(float(a), int(b)) for a, b in (function(tf.constant(n)) for n in (4, 2))]
        assert found == [(7.0, 2), (8.0, 0)]
        assert (float(total), int(even), int(left)) == (7.0, 3, 2)
        assert function.experimental_get_tracing_count() == 1

    def test_a_body_that_prints(self, capsys: Any) -> None:
        def body(i: Any) -> Any:
            tf.print(i, output_stream=sys.stdout)
            return [i + 1]

        tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
        assert capsys.readouterr().out == "0\n1\n2\n"

    def test_in_a_function_reading_unstages_it(self) -> None:
        @tf.function
        def function(i: Any) -> Any:
            return tf.while_loop(lambda i: i < 3, lambda i: [i + i.numpy() + 1], [i])[0]

        with pytest.warns(
            UserWarning,
            match=r"is run as plain Python: at .*test_while_loop.py:\d+ tf.while_loop runs turn by turn",
        ):
            assert int(function(tf.constant(0))) == 3
        assert int(function(tf.constant(2))) == 5

    def test_a_test_that_checks(self) -> None:
        table = tf.constant([True, True, False])
        found = tf.while_loop(lambda i: tf.gather(table, i), lambda i: [i + 1], [tf.constant(0)])
        assert plain(found) == [2]


class TestDerivatives:
    @both
    @pytest.mark.parametrize("limit", [None, 4, 10])
    def test_to_second_order(self, run: Any, limit: int | None) -> None:
        def power(x: Any) -> Any:  # x^3
            start = (tf.constant(0), tf.constant(1.0))
            found = tf.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a * x), start, maximum_iterations=limit
            )
            return found[1]

        x = tf.Variable(2.0)
        function = power if limit is None else run(power)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = function(x)
            first = inner.gradient(y, x)
        assert float(y) == 8.0
        assert float(first) == 12.0
        assert float(outer.gradient(first, x)) == 12.0

    def test_turns_after_the_last_do_not_count(self) -> None:
        """A bounded loop computes its skipped turns with nothing: no NaN may come of them."""
        x = tf.Variable(4.0)
        with tf.GradientTape() as tape:
            y = tf.while_loop(
                lambda i, a: i < 1, lambda i, a: (i + 1, tf.sqrt(a - 3.0)), (0, x * 1.0), maximum_iterations=9
            )[1]
        assert float(tape.gradient(y, x)) == 0.5

    def test_of_captured_variables_in_a_function(self) -> None:
        weight = tf.Variable(3.0)

        @tf.function
        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.while_loop(
                    lambda i, a: i < 2, lambda i, a: (i + 1, a * weight), (0, x), maximum_iterations=5
                )[1]
            return tape.gradient(y, weight)

        assert float(slope(tf.constant(2.0))) == 12.0
        weight.assign(4.0)
        assert float(slope(tf.constant(1.0))) == 8.0


@both
def test_checks_name_the_line_and_end_the_loop(run: Any) -> None:
    table = tf.constant([1, 2, 7])

    def follow(i: Any, n: Any) -> Any:
        return tf.gather(table, i), n + 1

    line = sys._getframe().f_lineno - 2
    function = run(lambda i, n: tf.while_loop(lambda i, k: k < n, follow, (i, tf.constant(0)))[0])
    assert int(function(tf.constant(0), tf.constant(2))) == 2
    with pytest.raises(Invalid, match=rf"indices = 7 is not in \[0, 3\). At .*test_while_loop.py:{line}"):
        function(tf.constant(0), tf.constant(1_000_000_000)).numpy()


class TestNonsense:
    @pytest.mark.parametrize("reads", [False, True])
    @pytest.mark.parametrize(
        ("after", "got"),
        [
            (lambda i, j: [i], r"got \[\.\] for \[., .\]"),
            (lambda i, j: [i, [j, j]], r"got \[., \[., .\]\] for \[., .\]"),
            (lambda i, j: i, "got one value for"),
            (lambda i, j: None, "got None for"),
        ],
        ids=["too few", "nested", "one", "none"],
    )
    def test_another_structure(self, after: Any, got: str, reads: bool) -> None:
        def body(i: Any, j: Any) -> Any:
            return after(i + (int(i) if reads else 0), j)

        text = f"tf.while_loop expected body to return the structure of loop_vars.*{got}"
        with pytest.raises(ValueError, match=text):
            tf.while_loop(lambda i, j: i < 2, body, [tf.constant(0), tf.constant(1)])

    @pytest.mark.parametrize("loop_vars", [None, [], (), {}])
    def test_no_variables(self, loop_vars: Any) -> None:
        with pytest.raises(
            ValueError, match=r"at least one loop variable: 'loop_vars' must be provided; got"
        ):
            tf.while_loop(lambda: True, list, loop_vars)

    def test_functions(self) -> None:
        with pytest.raises(TypeError, match=r"tf.while_loop expected cond to be callable; got cond=3"):
            tf.while_loop(3, lambda i: i, [0])  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match=r"tf.while_loop expected body to be callable; got body=3"):
            tf.while_loop(lambda i: i < 1, 3, [0])  # pyright: ignore[reportArgumentType]

    def test_truth_values(self) -> None:
        with pytest.raises(ValueError, match=r"cond to return one truth value; got bool\[2\]"):
            tf.while_loop(lambda v: v < 3, lambda v: [v + 1], [tf.constant([0, 1])])
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\)"):
            tf.while_loop(lambda v: None, lambda v: [v + 1], [tf.constant(0)])

    def test_limits(self) -> None:
        with pytest.raises(ValueError, match=r"'maximum_iterations' to be a scalar; got shape \(2,\)"):
            tf.while_loop(lambda i: i < 1, lambda i: [i + 1], [0], maximum_iterations=[1, 2])
