"""Loops over rows: map_fn, vectorized_map, scan, foldl and foldr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.array([1.0, 2.0, 3.0], np.float32)


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


both = pytest.mark.parametrize("run", [eager, tf.function], ids=["eager", "function"])
maps = pytest.mark.parametrize("loop", [tf.map_fn, tf.vectorized_map], ids=["map_fn", "vectorized_map"])


def derivatives(function: Callable[[Any], Any], x: float) -> tuple[float, float]:
    """First and second, by nested tapes."""
    variable = tf.Variable(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = function(variable)
        first = inner.gradient(y, variable)
    return float(first), float(outer.gradient(first, variable))


@maps
class TestMaps:
    @both
    def test_values(self, loop: Any, run: Any) -> None:
        function = run(lambda x: loop(lambda row: row * row + 1.0, x))
        for x in (X, X + 1.0, X):
            np.testing.assert_array_equal(function(tf.constant(x)), x * x + 1)

    @both
    def test_structures(self, loop: Any, run: Any) -> None:
        def swapped(row: Any) -> Any:
            return {"sum": row["a"] + row["b"][0], "pair": (row["a"], [row["b"][0] * 2.0])}

        signature = {"sum": tf.float32, "pair": (tf.float32, [tf.float32])}
        extra = {"fn_output_signature": signature} if loop is tf.map_fn else {}
        elems = {"a": tf.constant(X), "b": (tf.constant(X * 10.0),)}
        found = run(lambda e: loop(swapped, e, **extra))(elems)
        np.testing.assert_array_equal(found["sum"], X * 11)
        assert isinstance(found["pair"], tuple)
        np.testing.assert_array_equal(found["pair"][1][0], X * 20)

    def test_rows_of_higher_rank(self, loop: Any) -> None:
        table = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
        found = loop(lambda m: tf.linalg.matmul(m, m), tf.constant(table))
        np.testing.assert_array_equal(found, table @ table)

    def test_no_rows(self, loop: Any) -> None:
        assert loop(lambda x: x * 2.0, tf.zeros([0, 3])).shape == (0, 3)

    def test_what_is_not_a_tensor(self, loop: Any) -> None:
        np.testing.assert_array_equal(loop(lambda x: 1.5, tf.constant(X)), [1.5, 1.5, 1.5])
        np.testing.assert_array_equal(loop(lambda x: x * 2, np.array([1, 2])), [2, 4])

    @both
    def test_derivatives(self, loop: Any, run: Any) -> None:
        function = run(lambda v: tf.reduce_sum(loop(lambda row: row * v**3, tf.constant(X))))
        assert derivatives(function, 2.0) == (72.0, 72.0)

    @both
    def test_derivatives_of_rows_and_captured_variables(self, loop: Any, run: Any) -> None:
        weight, x = tf.Variable(2.0), tf.Variable(X)
        function = run(lambda: tf.reduce_sum(loop(lambda row: tf.sin(row) * weight, x)))
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = function()
            for_weight, for_rows = tape.gradient(y, [weight, x])
            np.testing.assert_allclose(for_weight, np.sin(X).sum(), rtol=1e-6)
            np.testing.assert_allclose(for_rows, np.cos(X) * weight.numpy(), rtol=1e-6)
            weight.assign(5.0)

    def test_a_tape_inside_fn(self, loop: Any) -> None:
        def slope(row: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(row)
                y = row**3
            return tape.gradient(y, row)

        np.testing.assert_array_equal(loop(slope, tf.constant(X)), 3 * X**2)

    @both
    def test_draws_differ_from_row_to_row(self, loop: Any, run: Any) -> None:
        function = run(lambda: loop(lambda row: row + tf.random.uniform([2]), tf.zeros([3])))
        first, second = function().numpy(), function().numpy()
        assert len(set(np.concatenate([first, second]).ravel().tolist())) == 12

    @both
    def test_checks_name_the_line(self, loop: Any, run: Any) -> None:
        table = tf.constant([1.0, 2.0])

        def pick(i: Any) -> Any:
            return tf.gather(table, i)

        line = sys._getframe().f_lineno - 2
        function = run(lambda i: loop(pick, i, **extra))
        extra = {"fn_output_signature": tf.float32} if loop is tf.map_fn else {}
        assert function(tf.constant([1, 0])).numpy().tolist() == [2.0, 1.0]
        with pytest.raises(Invalid, match=rf"indices = 5 is not in \[0, 2\). At .*test_loop.py:{line}"):
            function(tf.constant([0, 5])).numpy()

    def test_fn_that_reads(self, loop: Any) -> None:
        found = loop(lambda x: x * 2.0 if float(x) > 1.5 else -x, tf.constant(X))
        assert found.numpy().tolist() == [-1.0, 4.0, 6.0]

    def test_fn_that_writes(self, loop: Any) -> None:
        total = tf.Variable(0.0)
        found = loop(lambda x: total.assign_add(x).read_value(), tf.constant(X))
        assert found.numpy().tolist() == [1.0, 3.0, 6.0]
        assert total.numpy() == 6.0

    def test_fn_that_prints(self, loop: Any, capsys: Any) -> None:
        def shown(x: Any) -> Any:
            tf.print("row", x, output_stream=sys.stdout)
            return x

        loop(shown, tf.constant(X))
        assert capsys.readouterr().out == "row 1\nrow 2\nrow 3\n"

    def test_fn_that_calls_python(self, loop: Any) -> None:
        found = loop(lambda x: tf.numpy_function(lambda v: v + 1, [x], tf.float32), tf.constant(X))
        assert found.numpy().tolist() == [2.0, 3.0, 4.0]

    def test_fn_that_reads_is_followed_by_tapes(self, loop: Any) -> None:
        x = tf.Variable(X)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(loop(lambda row: row * row if float(row) > 1.5 else row, x))
        assert tape.gradient(y, x).numpy().tolist() == [1.0, 4.0, 6.0]

    def test_in_a_function_reading_unstages_it(self, loop: Any) -> None:
        function = tf.function(lambda x: loop(lambda row: row if row.numpy() > 1.5 else -row, x))
        with pytest.warns(UserWarning, match=r"is run as plain Python: at .*test_loop.py:\d+ Python reads"):
            assert function(tf.constant(X)).numpy().tolist() == [-1.0, 2.0, 3.0]
        assert function(tf.constant(-X)).numpy().tolist() == [1.0, 2.0, 3.0]

    def test_strings(self, loop: Any) -> None:
        names = tf.constant(["a", "b"])
        assert loop(lambda s: s + "!", names).numpy().tolist() == [b"a!", b"b!"]
        suffix = tf.constant("?")
        assert loop(lambda i: suffix, tf.constant([1, 2])).numpy().tolist() == [b"?", b"?"]

    def test_nested(self, loop: Any) -> None:
        table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        found = loop(lambda row: loop(lambda e: e * row[0], row), table)
        assert found.numpy().tolist() == [[1.0, 2.0], [9.0, 12.0]]

    def test_rows_of_different_shapes(self, loop: Any) -> None:
        where = "tf.map_fn" if loop is tf.map_fn else "tf.vectorized_map"
        text = rf"{where} expected fn to return the same for every row, shape \(1,\): .* got shape \(2,\)"
        with pytest.raises(ValueError, match=text):
            loop(lambda n: tf.ones([int(n)]), tf.constant([1, 2]))

    def test_rows_of_different_dtypes(self, loop: Any) -> None:
        with pytest.raises(Invalid, match=r"the same for every row, dtype float32; got int32"):
            loop(lambda x: tf.cast(x, tf.int32) if float(x) > 1.5 else x, tf.constant(X))

    def test_rows_of_different_structures(self, loop: Any) -> None:
        with pytest.raises(ValueError, match=r"the same structure, 1 tensors; got 2"):
            loop(lambda x: (x, x) if float(x) > 1.5 else x, tf.constant(X))

    def test_no_rows_and_fn_that_reads(self, loop: Any) -> None:
        with pytest.raises(Invalid, match=r"expected at least one row when fn cannot be recorded"):
            loop(lambda x: x if float(x) > 0 else -x, tf.zeros([0]))

    @pytest.mark.parametrize(
        ("error", "fn", "elems", "text"),
        [
            (TypeError, None, X, "expected fn to be callable; got fn=None"),
            (ValueError, abs, 1.0, "elems with a first dimension to go over; got a scalar"),
            (ValueError, abs, [], "elems with a first dimension to go over; got no tensor"),
            (ValueError, abs, (X, X[:2]), r"elems of one length; got first dimensions \[2, 3\]"),
        ],
    )
    def test_nonsense(self, loop: Any, error: Any, fn: Any, elems: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            loop(fn, elems)


class TestMapFn:
    def test_output_signature(self) -> None:
        found = tf.map_fn(lambda x: tf.cast(x, tf.int32), tf.constant(X), fn_output_signature=tf.int32)
        assert found.dtype == tf.int32
        spec = tf.TensorSpec([], tf.int32)
        assert tf.map_fn(lambda x: tf.cast(x, tf.int32), X, fn_output_signature=spec).dtype == tf.int32
        assert tf.map_fn(lambda x: tf.cast(x, tf.int32), X, dtype=tf.int32).dtype == tf.int32

    def test_signature_that_does_not_fit(self) -> None:
        with pytest.raises(
            Invalid, match=r"expected fn to return int32, as fn_output_signature says; got float32"
        ):
            tf.map_fn(lambda x: x, tf.constant(X), fn_output_signature=tf.int32)
        with pytest.raises(ValueError, match=r"return 1 tensors, as fn_output_signature says; got 2"):
            tf.map_fn(lambda x: (x, x), tf.constant(X), fn_output_signature=tf.float32)

    def test_nothing_returned(self) -> None:
        with pytest.raises(ValueError, match=r"tf.map_fn expected fn to return tensors; got None"):
            tf.map_fn(lambda x: None, tf.constant(X))

    def test_the_dtype_is_inferred(self) -> None:
        assert tf.map_fn(lambda x: x > 1.5, tf.constant(X)).numpy().tolist() == [False, True, True]


class TestVectorizedMap:
    def test_one_row_serves_all(self) -> None:
        found = tf.vectorized_map(lambda e: e[0] * e[1], (tf.constant(X), tf.constant([5.0])))
        np.testing.assert_array_equal(found, X * 5)
        read = tf.vectorized_map(
            lambda e: e[0] * (e[1] if float(e[1]) > 0 else 0.0), (tf.constant(X), tf.constant([5.0]))
        )
        np.testing.assert_array_equal(read, X * 5)

    def test_nothing_returned(self) -> None:
        assert tf.vectorized_map(lambda x: None, tf.constant(X)) is None
        found = tf.vectorized_map(lambda x: (x, None), tf.constant(X))
        np.testing.assert_array_equal(found[0], X)
        assert found[1] is None


class TestScan:
    @both
    def test_values(self, run: Any) -> None:
        function = run(lambda x: tf.scan(lambda a, row: a * 2.0 + row, x))
        assert function(tf.constant(X)).numpy().tolist() == [1.0, 4.0, 11.0]
        assert function(tf.constant(X * 2.0)).numpy().tolist() == [2.0, 8.0, 22.0]

    def test_initializer_and_reverse(self) -> None:
        add = lambda a, row: a + row  # noqa: E731
        assert tf.scan(add, tf.constant(X), 10.0).numpy().tolist() == [11.0, 13.0, 16.0]
        assert tf.scan(add, tf.constant(X), reverse=True).numpy().tolist() == [6.0, 5.0, 3.0]
        assert tf.scan(add, tf.constant(X), 10.0, reverse=True).numpy().tolist() == [16.0, 15.0, 13.0]
        assert tf.scan(add, tf.constant([7.0])).numpy().tolist() == [7.0]

    def test_no_rows(self) -> None:
        assert tf.scan(lambda a, x: a + x, tf.zeros([0]), tf.zeros([2])).shape == (0, 2)
        with pytest.raises(Invalid, match=r"tf.scan expected an initializer when elems has no rows"):
            tf.scan(lambda a, x: a + x, tf.zeros([0]))

    @both
    def test_structures(self, run: Any) -> None:
        def step(carry: Any, row: Any) -> Any:
            total, (count,) = carry
            return total + row[0] * row[1], (count + 1,)

        elems = (tf.constant(X), tf.constant(X))
        total, (count,) = run(lambda *e: tf.scan(step, e, (tf.constant(0.0), (tf.constant(0),))))(*elems)
        assert total.numpy().tolist() == [1.0, 5.0, 14.0]
        assert count.numpy().tolist() == [1, 2, 3]

    @both
    def test_derivatives(self, run: Any) -> None:
        function = run(lambda v: tf.scan(lambda a, row: a * v * row, tf.constant(X), tf.constant(1.0))[-1])
        assert derivatives(function, 2.0) == (72.0, 72.0)  # 6 v^3

    @both
    def test_derivatives_of_a_captured_variable(self, run: Any) -> None:
        weight = tf.Variable(0.5)
        function = run(lambda x: tf.reduce_sum(tf.scan(lambda a, row: tf.tanh(a * weight + row), x)))
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            y = function(x)
        found = tape.gradient(y, weight)
        step = 1e-3
        weight.assign(0.5 + step)
        above = function(x)
        weight.assign(0.5 - step)
        np.testing.assert_allclose(found, (above - function(x)) / (2 * step), rtol=1e-3)

    @both
    def test_draws_differ_from_row_to_row(self, run: Any) -> None:
        function = run(lambda: tf.scan(lambda a, row: tf.random.uniform([]), tf.zeros([5]), 0.0))
        assert len(set(function().numpy().tolist()) | set(function().numpy().tolist())) == 10

    def test_checks_name_the_line(self) -> None:
        table = tf.constant([1, 2, 9])

        def follow(i: Any, _: Any) -> Any:
            return tf.gather(table, i)

        line = sys._getframe().f_lineno - 2
        with pytest.raises(Invalid, match=rf"indices = 9 is not in \[0, 3\). At .*test_loop.py:{line}"):
            tf.scan(follow, tf.zeros([5]), tf.constant(0)).numpy()
        assert tf.scan(follow, tf.zeros([2]), tf.constant(0)).numpy().tolist() == [1, 2]

    def test_fn_that_reads_or_writes(self) -> None:
        total = tf.Variable(0.0)
        found = tf.scan(lambda a, x: a + x if float(x) > 1.5 else a, tf.constant(X), 0.0)
        assert found.numpy().tolist() == [0.0, 2.0, 5.0]
        found = tf.scan(lambda a, x: total.assign_add(x).read_value(), tf.constant(X), 0.0, reverse=True)
        assert found.numpy().tolist() == [6.0, 5.0, 3.0]

    def test_strings(self) -> None:
        found = tf.scan(lambda a, s: a + s, tf.constant(["x", "y"]), tf.constant(""))
        assert found.numpy().tolist() == [b"x", b"xy"]

    @pytest.mark.parametrize("reads", [False, True])
    def test_a_carry_that_changes(self, reads: bool) -> None:
        def step(change: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
            return lambda a, x: change(a if not reads or float(x) > 0 else x)

        text = r"tf.scan expected fn to return what it carries, shape \(1,\): .* got shape \(2,\)"
        with pytest.raises(ValueError, match=text):
            tf.scan(step(lambda a: tf.concat([a, a], 0)), tf.constant(X), tf.constant([1.0]))
        with pytest.raises(Invalid, match=r"what it carries, dtype float32; got int32"):
            tf.scan(step(lambda a: tf.cast(a, tf.int32)), tf.constant(X), tf.constant(1.0))
        with pytest.raises(ValueError, match=r"tf.scan expected .* the same structure, 1 tensors; got 2"):
            tf.scan(step(lambda a: (a, a)), tf.constant(X), tf.constant(1.0))

    def test_an_initializer_that_would_have_to_broadcast(self) -> None:
        with pytest.raises(
            ValueError, match=r"tf.scan .* shape \(\): incompatible shape .* got shape \(2,\)"
        ):
            tf.scan(lambda a, x: a + x, tf.ones([3, 2]), tf.constant(0.0))

    @pytest.mark.parametrize(
        ("error", "fn", "elems", "text"),
        [
            (TypeError, 3, X, "tf.scan expected fn to be callable; got fn=3"),
            (ValueError, abs, 1.0, "tf.scan expected elems with a first dimension"),
            (ValueError, abs, (X, X[:2]), "tf.scan expected elems of one length"),
        ],
    )
    def test_nonsense(self, error: Any, fn: Any, elems: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            tf.scan(fn, elems, 0.0)


class TestFolds:
    @both
    def test_values(self, run: Any) -> None:
        left = run(lambda x: tf.foldl(lambda a, row: a * 2.0 + row, x))
        right = run(lambda x: tf.foldr(lambda a, row: a * 2.0 + row, x))
        assert left(tf.constant(X)).numpy() == 11.0
        assert right(tf.constant(X)).numpy() == 17.0

    def test_structures(self) -> None:
        total, last = tf.foldl(
            lambda a, row: (a[0] + row, row), tf.constant(X), (tf.constant(0.0), tf.constant(0.0))
        )
        assert (total.numpy(), last.numpy()) == (6.0, 3.0)

    def test_no_rows(self) -> None:
        assert tf.foldl(lambda a, x: a + x, tf.zeros([0]), 1.0).numpy() == 1.0
        assert tf.foldr(lambda a, x: a + x, tf.constant([7.0])).numpy() == 7.0
        with pytest.raises(Invalid, match=r"tf.foldr expected an initializer"):
            tf.foldr(lambda a, x: a + x, tf.zeros([0]))

    @both
    def test_derivatives(self, run: Any) -> None:
        function = run(lambda v: tf.foldl(lambda a, row: a * v * row, tf.constant(X), tf.constant(1.0)))
        assert derivatives(function, 2.0) == (72.0, 72.0)

    def test_a_shape_or_dtype_that_changes_is_allowed(self) -> None:
        """Nothing is stacked, so TensorFlow allows it in eager code."""
        grown = tf.foldl(lambda a, x: tf.concat([a, [x]], 0), tf.constant(X), tf.constant([0.0]))
        assert grown.numpy().tolist() == [0.0, 1.0, 2.0, 3.0]
        assert tf.foldr(lambda a, x: tf.cast(x, tf.int32), tf.constant(X), 0.0).numpy() == 1

    def test_a_structure_that_changes_is_not(self) -> None:
        with pytest.raises(
            ValueError, match=r"tf.foldl expected fn to return what it carries: the same struct"
        ):
            tf.foldl(lambda a, x: (a, a), tf.constant(X), tf.constant(1.0))

    def test_fn_that_reads(self) -> None:
        assert tf.foldl(lambda a, x: a + x if float(x) > 1.5 else a, tf.constant(X), 0.0).numpy() == 5.0


def test_two_functions_that_do_the_same_share_a_program(counting: Any) -> None:
    def make(k: int) -> Callable[[Any], Any]:
        return lambda row: tf.sin(row) * 3.0 + tf.cos(row)

    table = tf.constant(np.ones((4, 300), np.float32))
    tf.map_fn(make(1), table).numpy()
    with counting() as spent:
        tf.map_fn(make(2), table).numpy()
    assert spent.compiled == 0
