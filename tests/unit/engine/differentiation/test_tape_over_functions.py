"""A tape over calls of a `tf.function`, and a tape inside one."""

from __future__ import annotations

import tapeflow as tf

from .values import F64, close, constant, variable


class TestFunctionsInside:
    """A `tf.function` called inside a tape belongs to the expression the tape sees."""

    def test_gradient(self):
        v = variable(2.0)

        @tf.function
        def cube(x):
            return x * x * v

        for step in range(3):
            x = constant(3.0 + step)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = cube(x)
            gx, gv = tape.gradient(y, [x, v])
            close(gx, 2 * (3.0 + step) * float(v))
            close(gv, (3.0 + step) ** 2)
            v.assign_add(1.0)

    def test_variable_read_before_the_call(self):
        v = variable(1.0)
        scaled = tf.function(lambda x: x * v)
        for step in range(3):
            with tf.GradientTape() as tape:
                other = v * 0.0
                y = scaled(constant(3.0)) + other
            close(y, 3.0 * (1.0 + step))
            close(tape.gradient(y, v), 3.0)
            v.assign_add(1.0)

    def test_variable_as_the_argument(self):
        v, w = variable(2.0), variable(3.0)
        product = tf.function(lambda x: x * v)
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = product(v) + product(w)
            gv, gw = tape.gradient(y, [v, w])
            close(gv, 2 * float(v) + float(w))
            close(gw, float(v))
            v.assign_add(1.0)

    def test_assignment_between_two_calls(self):
        v = variable(2.0)
        product = tf.function(lambda x: x * v)
        for _ in range(2):
            v.assign(2.0)
            with tf.GradientTape() as tape:
                a = product(constant(1.0))
                v.assign(10.0)
                b = product(constant(1.0))
            close([a, b], [2.0, 10.0])
            close(tape.gradient([a, b], v), 2.0)

    def test_assignment_inside(self):
        v, count = variable(2.0), variable(0.0)

        @tf.function
        def f(x):
            count.assign_add(1.0)
            return x * v * count

        for step in range(3):
            with tf.GradientTape() as tape:
                y = f(constant(3.0))
            close(tape.gradient(y, v), 3.0 * (step + 1))
        close(count, 3.0)

    def test_a_tape_inside(self):
        v = variable(2.0)

        @tf.function
        def slope(x):
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3 * v
            return inner.gradient(y, x)

        for _ in range(3):
            x = constant(3.0)
            close(slope(x), 27.0 * float(v))
            with tf.GradientTape() as outer:
                outer.watch(x)
                g = slope(x)
            gx, gv = outer.gradient(g, [x, v])
            close(gx, 18.0 * float(v))
            close(gv, 27.0)
            v.assign_add(1.0)

    def test_random_numbers_inside(self):
        v = variable(2.0)
        noisy = tf.function(lambda x: x * v * tf.random.uniform([], dtype=F64))
        seen = set()
        for _ in range(4):
            with tf.GradientTape() as tape:
                y = noisy(constant(1.0))
            close(tape.gradient(y, v), float(y) / 2.0)
            seen.add(float(y))
        assert len(seen) == 4

    def test_slice_of_a_variable_as_the_argument(self):
        v = variable([1.0, 2.0])
        double = tf.function(lambda x: x * 2.0)
        close(double(v[::-1]), [4.0, 2.0])
        with tf.GradientTape() as tape:
            y = double(v[::-1])
        close(tape.gradient(y, v), [2.0, 2.0])

    def test_a_variable_as_the_result(self):
        v = variable([1.0, 2.0])
        both = tf.function(lambda x: (x * 2.0, v))
        for step in range(3):
            with tf.GradientTape() as tape:
                doubled, read = both(constant([1.0, 2.0]))
                y = tf.reduce_sum(doubled * read)
            close(tape.gradient(y, v), [2.0, 4.0])
            close(read, [1.0 + step, 2.0 + step])
            v.assign_add([1.0, 1.0])
