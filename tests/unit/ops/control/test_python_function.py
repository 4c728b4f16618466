"""tf.py_function and tf.numpy_function."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.debugging.introspection import executing_eagerly

Invalid = tf.errors.InvalidArgumentError
calls = pytest.mark.parametrize(
    "call", [tf.py_function, tf.numpy_function], ids=["py_function", "numpy_function"]
)


@calls
class TestBoth:
    def test_one_result(self, call: Any) -> None:
        assert call(lambda x, y: x * y, [tf.constant(3.0), 2.0], tf.float32).numpy() == 6.0
        assert call(lambda: 1.5, [], tf.float32).numpy() == 1.5
        spec = tf.TensorSpec([], tf.float32)
        assert call(lambda x: x, [1.0], spec).numpy() == 1.0

    def test_several_results(self, call: Any) -> None:
        for kind in (list, tuple):
            found = call(lambda x: (x, x + 1), [tf.constant(1)], kind([tf.int32, tf.int32]))
            assert isinstance(found, list)
            assert [int(t) for t in found] == [1, 2]
        assert [t.numpy() for t in call(lambda x: x * 2, [tf.constant(1.0)], [tf.float32])] == [2.0]

    def test_no_result(self, call: Any) -> None:
        assert call(lambda x: None, [tf.constant(1.0)], []) == []

    def test_results_take_the_dtype_announced(self, call: Any) -> None:
        assert call(lambda x: 3, [1.0], tf.float32).dtype == tf.float32
        assert call(lambda x: np.array([1.0, 2.0]), [1.0], tf.float32).dtype == tf.float32
        assert call(lambda x: [1, 2], [1.0], tf.int64).numpy().tolist() == [1, 2]
        assert call(lambda x: x, [tf.constant("a")], tf.string).numpy() == b"a"

    def test_arguments_are_converted(self, call: Any) -> None:
        found = call(lambda x, y: x + y, [tf.Variable([1.0]), [tf.constant(2.0)]], tf.float32)
        assert found.numpy().tolist() == [3.0]

    def test_as_a_decorator(self, call: Any) -> None:
        @call(Tout=tf.float32)
        def doubled(x: Any) -> Any:
            """Twice."""
            return x * 2

        assert doubled(tf.constant(2.0)).numpy() == 4.0
        assert doubled.__doc__ == "Twice."

    def test_in_a_function_it_runs_at_every_call(self, call: Any) -> None:
        seen: list[float] = []

        @tf.function
        def function(x: Any) -> Any:
            return call(lambda v: (seen.append(float(v)), v)[1], [x * 2.0], tf.float32) + 1.0

        with pytest.warns(UserWarning, match=r"at .*test_python_function.py:\d+ Python reads"):
            assert function(tf.constant(1.0)).numpy() == 3.0
        assert function(tf.constant(2.0)).numpy() == 5.0
        assert seen == [2.0, 4.0]

    def test_in_a_function_it_is_eager_code(self, call: Any) -> None:
        seen: list[Any] = []

        @tf.function
        def function(x: Any) -> Any:
            return call(lambda v: (seen.append(executing_eagerly()), v)[1], [x], tf.float32)

        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            function(tf.constant(1.0))
        assert seen == [True]

    def test_what_comes_before_is_printed_before(self, call: Any, capsys: Any) -> None:
        @tf.function
        def function(x: Any) -> Any:
            tf.print("first", x, output_stream=sys.stdout)
            y = call(lambda v: (sys.stdout.write("second\n"), v)[1], [x], tf.float32)
            tf.print("third", y, output_stream=sys.stdout)
            return y

        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            function(tf.constant(1.0))
        assert capsys.readouterr().out == "first 1\nsecond\nthird 1\n"

    def test_in_a_loop_it_runs_for_every_row(self, call: Any) -> None:
        seen: list[float] = []
        tf.map_fn(
            lambda row: call(lambda v: (seen.append(float(v)), v)[1], [row], tf.float32),
            tf.constant([1.0, 2.0]),
        )
        assert seen == [1.0, 2.0]

    def test_an_error_comes_out_as_it_is(self, call: Any) -> None:
        def fails(x: Any) -> Any:
            raise ZeroDivisionError("nothing to divide by")

        with pytest.raises(ZeroDivisionError, match=r"nothing to divide by"):
            call(fails, [1.0], tf.float32)
        function = tf.function(lambda x: call(fails, [x], tf.float32))
        with pytest.raises(ZeroDivisionError, match=r"nothing to divide by"):
            function(tf.constant(1.0))
        assert executing_eagerly()

    @pytest.mark.parametrize(
        ("function", "tout", "text"),
        [
            (lambda x: (x, x), [tf.float32], "expected 1 results, as Tout says; got 2"),
            (lambda x: x, [tf.float32, tf.float32], "expected 2 results, as Tout says; got 1"),
            (lambda x: None, [tf.float32], "expected 1 results, as Tout says; got 0"),
            (lambda x: None, tf.float32, "expected func to return one value, as Tout says; got None"),
            (lambda x: x, tf.int32, "expected a result of dtype int32, as Tout says; got float32"),
        ],
    )
    def test_results_that_do_not_fit(self, call: Any, function: Any, tout: Any, text: str) -> None:
        with pytest.raises(Invalid, match=text):
            call(function, [tf.constant(1.0)], tout)

    def test_missing_arguments(self, call: Any) -> None:
        with pytest.raises(TypeError, match=r"missing required argument: 'Tout'"):
            call(lambda x: x, [1.0])
        with pytest.raises(TypeError, match=r"missing argument `inp`"):
            call(lambda: 1.0, Tout=tf.float32)
        with pytest.raises(TypeError, match=r"no inp when it is used as a decorator \(func=None\)"):
            call(inp=[1.0], Tout=tf.float32)
        with pytest.raises(TypeError, match=r"missing required argument: 'Tout'"):
            call()


class TestPyFunction:
    def test_takes_tensors(self) -> None:
        kinds = tf.py_function(lambda x: type(x).__name__, [tf.Variable(1.0)], tf.string)
        assert kinds.numpy() == b"Tensor"

    def test_tapes_follow_what_it_does(self) -> None:
        x, weight = tf.Variable(2.0), tf.Variable(3.0)

        def cubed(v: Any) -> Any:
            return v**3 * weight if float(v) > 0 else v

        with tf.GradientTape() as outer:
            with tf.GradientTape(persistent=True) as inner:
                y = tf.py_function(cubed, [x], tf.float32)
            first = inner.gradient(y, x)
        assert first.numpy() == 36.0
        assert inner.gradient(y, weight).numpy() == 8.0
        assert outer.gradient(first, x).numpy() == 36.0

    def test_tapes_follow_it_in_a_function(self) -> None:
        x = tf.Variable(2.0)

        @tf.function
        def slope() -> Any:
            with tf.GradientTape() as tape:
                y = tf.py_function(lambda v: v * v, [x], tf.float32)
            return tape.gradient(y, x)

        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            assert slope().numpy() == 4.0
        x.assign(5.0)
        assert slope().numpy() == 10.0

    def test_may_write_variables(self) -> None:
        total = tf.Variable(0.0)
        function = tf.function(
            lambda x: tf.py_function(lambda v: total.assign_add(v).read_value(), [x], tf.float32)
        )
        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            function(tf.constant(1.0))
        function(tf.constant(2.0))
        assert total.numpy() == 3.0

    def test_needs_a_function(self) -> None:
        with pytest.raises(ValueError, match=r"tf.py_function expected func to be callable; got func=3"):
            tf.py_function(3, [1.0], tf.float32)  # pyright: ignore[reportArgumentType]


class TestNumpyFunction:
    def test_takes_arrays_of_its_own(self) -> None:
        def first(x: Any, y: Any) -> Any:
            assert type(x) is np.ndarray
            assert type(y) is np.ndarray
            x[...] = 7.0
            return x

        given = tf.constant([1.0, 2.0])
        assert tf.numpy_function(first, [given, 1.0], tf.float32).numpy().tolist() == [7.0, 7.0]
        assert given.numpy().tolist() == [1.0, 2.0]

    def test_no_derivative_passes(self) -> None:
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.numpy_function(lambda v: v * v, [x], tf.float32)
        assert tape.gradient(y, x) is None

    def test_needs_a_function(self) -> None:
        with pytest.raises(TypeError, match=r"tf.numpy_function expected func to be callable; got func=3"):
            tf.numpy_function(3, [1.0], tf.float32)  # pyright: ignore[reportArgumentType]
