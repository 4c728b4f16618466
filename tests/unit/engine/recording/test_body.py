"""Bodies: what becomes of the functions given to loops, branches and custom gradients."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.body import Graph, record_body
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.trace import NeedsValue, state
from tapeflow.engine.values.dtypes import float32, int32
from tapeflow.engine.values.tensor import Tensor

SCALAR = spec_of((), float32)
VECTOR = spec_of((3,), float32)


class TestRecording:
    def test_the_function_is_called_once_with_placeholders(self):
        seen = []

        def double(x):
            seen.append(x)
            return x * 2.0

        body = record_body(double, VECTOR)
        assert len(seen) == 1
        assert isinstance(seen[0], Tensor)
        assert (seen[0].shape, seen[0].dtype) == ((3,), tf.float32)
        assert body.graph.specs == (VECTOR,)

    def test_structures(self):
        body = record_body(
            lambda pair, rest: {"sum": pair["a"] + pair["b"], "none": None, "rest": rest},
            {"a": VECTOR, "b": VECTOR},
            [SCALAR],
        )
        assert set(body.structure) == {"sum", "none", "rest"}
        assert body.structure["none"] is None
        assert body.graph.specs == (SCALAR, VECTOR)

    def test_nothing_reaches_the_trace_around_it(self):
        before = len(state.trace.nodes)
        record_body(lambda x: tf.sin(x) * 2.0, VECTOR)
        assert len(state.trace.nodes) == before
        assert not state.trace.is_body

    def test_restores_the_trace_after_an_error(self):
        trace = state.trace
        with pytest.raises(ZeroDivisionError):
            record_body(lambda x: x * (1 / 0), VECTOR)
        assert state.trace is trace
        assert (state.outer, state.bodies) == (None, ())
        assert (tf.identity(1.0) + 1.0).numpy() == 2.0

    def test_captures(self):
        outside = tf.identity([1.0, 2.0, 3.0])
        v = tf.Variable([1.0, 1.0, 1.0])
        body = record_body(lambda x: x * outside + v + 2.0, VECTOR)
        assert len(body.captured) == 3
        assert any(t is outside for t in body.captured)

    def test_one_capture_used_twice_is_one(self):
        outside = tf.identity([1.0, 2.0, 3.0])
        assert len(record_body(lambda x: x * outside + outside, VECTOR).captured) == 1

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x if x > 0 else -x,
            lambda x: x * float(x),
            lambda x: x * tf.constant(x.numpy()),
            lambda x: tf.py_function(lambda y: y, [x], tf.float32),
            lambda x: (tf.print(x), x)[1],
        ],
        ids=["if", "float", "numpy", "py_function", "print"],
    )
    def test_what_cannot_be_recorded(self, function):
        with pytest.raises(NeedsValue):
            record_body(function, SCALAR)

    def test_variable_writes_cannot(self):
        v = tf.Variable(1.0)
        with pytest.raises(NeedsValue):
            record_body(lambda x: v.assign_add(x) * 1.0, SCALAR)
        assert float(v) == 1.0


class TestStructuralKeys:
    def graph(self, function, *specs) -> Graph:
        return record_body(function, *specs).graph

    def test_two_functions_that_do_the_same(self):
        def one(x):
            return tf.sin(x) * 2.0

        def other(y):
            return tf.sin(y) * 3.0  # the number is an input, not part of the structure

        assert self.graph(one, VECTOR) == self.graph(other, VECTOR)
        assert hash(self.graph(one, VECTOR)) == hash(self.graph(lambda z: tf.sin(z) * 2.0, VECTOR))

    @pytest.mark.parametrize(
        "other",
        [
            lambda x: tf.cos(x) * 2.0,
            lambda x: 2.0 - tf.sin(x),
            lambda x: (tf.sin(x) * 2.0, x),
            lambda x: x,
            lambda x: tf.reduce_sum(tf.sin(x) * 2.0),
        ],
    )
    def test_functions_that_do_not(self, other):
        assert self.graph(lambda x: tf.sin(x) * 2.0, VECTOR) != self.graph(other, VECTOR)

    def test_other_arguments(self):
        assert self.graph(tf.sin, VECTOR) != self.graph(tf.sin, SCALAR)
        assert self.graph(tf.abs, VECTOR) != self.graph(tf.abs, spec_of((3,), int32))

    def test_order_of_inputs(self):
        minus = self.graph(lambda a, b: a - b, SCALAR, SCALAR)
        assert minus != self.graph(lambda a, b: b - a, SCALAR, SCALAR)

    def test_bodies_within_bodies(self):
        def nested(f):
            return self.graph(lambda x: tf.map_fn(f, x), VECTOR)

        assert nested(lambda e: e * 2.0) == nested(lambda e: e * 3.0)
        assert nested(lambda e: e * 2.0) != nested(lambda e: e + 2.0)

    def test_a_graph_is_not_anything_else(self):
        assert self.graph(tf.sin, VECTOR) != "graph"

    def test_running(self):
        graph = self.graph(lambda x: (tf.sin(x), x * x), VECTOR)
        first, second = graph(np.uint32(0), np.array([0.0, 1.0, 2.0], np.float32))
        np.testing.assert_allclose(first, np.sin([0.0, 1.0, 2.0]), 1e-6)
        np.testing.assert_allclose(second, [0.0, 1.0, 4.0])


class TestInLoops:
    def test_captured_values_are_those_of_the_call(self):
        v = tf.Variable(1.0)
        first = tf.map_fn(lambda x: x * v, tf.constant([1.0, 2.0]))
        v.assign(10.0)
        second = tf.map_fn(lambda x: x * v, tf.constant([1.0, 2.0]))
        np.testing.assert_array_equal(first, [1.0, 2.0])
        np.testing.assert_array_equal(second, [10.0, 20.0])

    def test_a_new_lambda_at_every_step_compiles_once(self, counting):
        x = tf.constant([1.0, 2.0])

        def step(scale):
            return tf.scan(lambda a, b: tf.tanh(a * scale) + b, x, tf.constant(0.0)) * 1.0 + x + x + x

        step(0.5).numpy()
        with counting() as spent:
            for scale in (0.1, 0.2, 0.3):
                step(scale).numpy()
        assert spent.compiled == 0

    def test_plain_python_instead(self):
        """A body that reads its values runs turn by turn, with the same result."""
        seen = []

        def body(x):
            seen.append(1)
            return x * 2.0 if x > 1.5 else x

        np.testing.assert_array_equal(tf.map_fn(body, tf.constant([1.0, 2.0, 3.0])), [1.0, 4.0, 6.0])
        assert len(seen) <= 4  # once to find out, then once a row

    def test_variable_written_inside(self):
        total = tf.Variable(0.0)

        def add(x):
            total.assign_add(x)
            return total.value()

        np.testing.assert_array_equal(tf.map_fn(add, tf.constant([1.0, 2.0, 3.0])), [1.0, 3.0, 6.0])
        assert float(total) == 6.0

    def test_shape_that_changes_from_turn_to_turn(self):
        _, rows = tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, tf.concat([x, x[:1]], 0)),
            (tf.constant(0), tf.constant([1.0])),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )
        assert rows.shape == (4,)

    def test_gradient_reaches_what_is_captured(self):
        v, x = tf.Variable(2.0), tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.map_fn(lambda e: e * v * x[1], x))
        gv, gx = tape.gradient(y, [v, x])
        assert float(gv) == 6.0
        np.testing.assert_array_equal(gx, [4.0, 4.0 + 6.0])

    def test_tape_inside_a_body(self):
        v = tf.Variable(3.0)

        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * v
            return tape.gradient(y, x)

        np.testing.assert_array_equal(tf.map_fn(slope, tf.constant([1.0, 2.0])), [6.0, 12.0])
        np.testing.assert_array_equal(tf.vectorized_map(slope, tf.constant([1.0, 2.0])), [6.0, 12.0])

    def test_tape_inside_a_body_for_a_variable(self):
        v = tf.Variable(3.0)

        def slope(x):
            with tf.GradientTape() as tape:
                y = v * v * x
            return tape.gradient(y, v)

        np.testing.assert_array_equal(tf.map_fn(slope, tf.constant([1.0, 2.0])), [6.0, 12.0])

    def test_tapes_inside_and_outside(self):
        """The gradient of a sum of inner gradients: d/dv of sum_i 2 x_i v."""
        v, x = tf.Variable(3.0), tf.constant([1.0, 2.0])

        def slope(e):
            with tf.GradientTape() as inner:
                inner.watch(e)
                y = e * e * v
            return inner.gradient(y, e)

        with tf.GradientTape() as outer:
            outer.watch(x)
            total = tf.reduce_sum(tf.map_fn(slope, x))
        gv, gx = outer.gradient(total, [v, x])
        assert float(gv) == 6.0
        np.testing.assert_array_equal(gx, [6.0, 6.0])

    def test_nested_loops(self):
        table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        doubled = tf.map_fn(lambda row: tf.map_fn(lambda e: e * row[0], row), table)
        np.testing.assert_array_equal(doubled, [[1.0, 2.0], [9.0, 12.0]])

    def test_a_function_inside(self):
        v = tf.Variable(2.0)
        scaled = tf.function(lambda e: e * v)
        scaled(tf.constant(1.0))
        np.testing.assert_array_equal(tf.map_fn(scaled, tf.constant([1.0, 2.0])), [2.0, 4.0])
        v.assign(3.0)
        np.testing.assert_array_equal(tf.map_fn(scaled, tf.constant([1.0, 2.0])), [3.0, 6.0])

    def test_a_loop_in_a_function(self):
        v = tf.Variable(2.0)

        @tf.function
        def loop(x):
            return tf.scan(lambda a, b: a * v + b, x, tf.constant(0.0))

        for expected in ([1.0, 4.0], [1.0, 5.0]):
            np.testing.assert_array_equal(loop(tf.constant([1.0, 2.0])), expected)
            v.assign_add(1.0)


class TestLeaks:
    """A tensor that gets out of a body without being returned has no value, and says so."""

    def test_read(self):
        leaked = []
        tf.map_fn(lambda x: (leaked.append(x * 2.0), x)[1], tf.constant([1.0, 2.0]))
        with pytest.raises(RuntimeError, match=r"inside the body.*Return it from there"):
            leaked[0].numpy()

    def test_used(self):
        leaked = []
        tf.map_fn(lambda x: (leaked.append(x * 2.0), x)[1], tf.constant([1.0, 2.0]))
        with pytest.raises(RuntimeError, match=r"belongs to the body of a loop .*Return it from the body"):
            leaked[0] + 1.0
        assert (tf.identity(1.0) + 1.0).numpy() == 2.0

    def test_into_another_body(self):
        leaked = []
        tf.map_fn(lambda x: (leaked.append(x * 2.0), x)[1], tf.constant([1.0, 2.0]))
        with pytest.raises(RuntimeError, match="body"):
            tf.map_fn(lambda x: x + leaked[0], tf.constant([1.0, 2.0])).numpy()
        assert (tf.identity(1.0) + 1.0).numpy() == 2.0

    def test_variable_made_of_a_placeholder(self):
        made = []

        def body(x):
            made.append(tf.Variable(x))
            return x * 1.0

        np.testing.assert_array_equal(tf.map_fn(body, tf.constant([1.0, 2.0])), [1.0, 2.0])
        for v in made[-1:]:
            assert float(v) in (1.0, 2.0)
