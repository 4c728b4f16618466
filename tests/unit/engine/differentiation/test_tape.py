"""GradientTape against `jax.grad` and TensorFlow's rules: what a tape sees, and what it does not."""

from __future__ import annotations

import gc
import warnings
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.settings import settings

F64 = tf.float64


def variable(value, **options):
    return tf.Variable(np.array(value, np.float64), **options)


def constant(value):
    return tf.constant(np.array(value, np.float64))


def close(tensor, expected, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(tensor), np.asarray(expected), tolerance, tolerance)


# Each pair: the function on tensors and on JAX arrays.
SMOOTH = {
    "power": (lambda x: x**3 * 2.0, lambda x: x**3 * 2.0),
    "trig": (lambda x: tf.sin(x) * tf.exp(x * 0.5), lambda x: jnp.sin(x) * jnp.exp(x * 0.5)),
    "quotient": (lambda x: x / (1.0 + x * x), lambda x: x / (1.0 + x * x)),
    "tanh": (lambda x: tf.tanh(tf.tanh(x) * x), lambda x: jnp.tanh(jnp.tanh(x) * x)),
}


class TestOrders:
    @pytest.mark.parametrize("name", SMOOTH)
    @pytest.mark.parametrize("is_variable", [True, False], ids=["variable", "tensor"])
    @pytest.mark.parametrize("reads", [False, True], ids=["lazy", "read"])
    def test_first_to_third(self, name, is_variable, reads):
        """With `reads` every value is printed inside the tapes; nothing may change by that."""
        ours, theirs = SMOOTH[name]
        x = variable(0.7) if is_variable else constant(0.7)

        def look(value):
            if reads:
                repr(value)

        with tf.GradientTape() as third:
            third.watch(x)
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    y = ours(x)
                    look(y)
                g1 = first.gradient(y, x)
                look(g1)
            g2 = second.gradient(g1, x)
            look(g2)
        g3 = third.gradient(g2, x)
        d1 = jax.grad(theirs)
        d2 = jax.grad(d1)
        close(g1, d1(0.7))
        close(g2, d2(0.7))
        close(g3, jax.grad(d2)(0.7), 1e-10)

    def test_through_arrays(self):
        """Gather, matmul, scan, while_loop and cond, to second order."""
        w0 = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
        x0 = np.array([0.3, -0.2, 0.9])

        def ours(w, x):
            h = tf.linalg.matvec(w, tf.gather(x, [2, 0, 1]))
            h = tf.scan(lambda a, b: tf.sin(a) + b * w[0, 0], h, tf.zeros([], F64))
            h = tf.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.cos(a)), (0, h), maximum_iterations=5
            )[1]
            return tf.reduce_sum(tf.where(h > 0.1, h * h, tf.sin(h)))

        def theirs(w, x):
            h = w @ x[jnp.array([2, 0, 1])]
            rows, a = [], jnp.zeros(())
            for b in h:
                a = jnp.sin(a) + b * w[0, 0]
                rows.append(a)
            h = jnp.stack(rows)
            for _ in range(3):
                h = h * jnp.cos(h)
            return jnp.sum(jnp.where(h > 0.1, h * h, jnp.sin(h)))

        w, x = variable(w0), constant(x0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = ours(w, x)
            gw, gx = inner.gradient(y, [w, x])
            z = tf.reduce_sum(gw * gw) + tf.reduce_sum(gx)
        hw, hx = outer.gradient(z, [w, x])

        def combined(w, x):
            gw, gx = jax.grad(theirs, (0, 1))(w, x)
            return jnp.sum(gw * gw) + jnp.sum(gx)

        ew, ex = jax.grad(combined, (0, 1))(jnp.array(w0), jnp.array(x0))
        close(y, theirs(jnp.array(w0), jnp.array(x0)))
        close(hw, ew, 1e-9)
        close(hx, ex, 1e-9)

    def test_while_loop_without_a_bound(self):
        x = variable(0.6)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            _, y = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * tf.sin(x)), (0, x * 1.0))
            g = inner.gradient(y, x)
        f = lambda x: x * jnp.sin(x) ** 4  # noqa: E731
        close(g, jax.grad(f)(0.6))
        close(outer.gradient(g, x), jax.grad(jax.grad(f))(0.6), 1e-10)

    def test_deep(self):
        """More ops than a trace may hold: the bound must not fall into a gradient."""
        settings.soft_nodes, settings.hard_nodes = 20, 100
        x = variable(1.0)
        with tf.GradientTape() as tape:
            y = x * 1.0
            for _ in range(120):
                y = y * 1.01
        close(tape.gradient(y, x), 1.01**120)

    def test_second_derivative_inside_one_persistent_tape(self):
        x = constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * x
            first = tape.gradient(y, x)
        close(tape.gradient(first, x), 18.0)
        close(tape.gradient(y, x), 27.0)

    def test_gradient_penalty(self):
        """The pattern of WGAN-GP: a gradient with respect to data, inside a gradient for weights."""
        rng = np.random.default_rng(0)
        w0, x0 = rng.normal(size=(4, 3)), rng.normal(size=(5, 4))
        w, x = variable(w0), constant(x0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                score = tf.reduce_sum(tf.tanh(x @ w))
            gradient = inner.gradient(score, x)
            norm = tf.sqrt(tf.reduce_sum(gradient * gradient, axis=1))
            penalty = tf.reduce_mean((norm - 1.0) ** 2)
        found = outer.gradient(penalty, w)

        def theirs(w):
            g = jax.grad(lambda x: jnp.sum(jnp.tanh(x @ w)))(x0)
            return jnp.mean((jnp.sqrt(jnp.sum(g * g, axis=1)) - 1.0) ** 2)

        close(found, jax.grad(theirs)(w0), 1e-10)


class TestWhatATapeSees:
    def test_variables_without_being_told(self):
        v, fixed = variable(2.0), variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            y = v * v * fixed
        assert [g if g is None else float(g) for g in tape.gradient(y, [v, fixed])] == [12.0, None]

    def test_tensors_only_when_watched(self):
        x = constant(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        assert tape.gradient(y, x) is None

    def test_nothing_unless_told(self):
        v = variable(2.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = v * v
            tape.watch(v)
            z = v * 3.0 + y
        assert tape.watched_variables()[0] is v
        close(tape.gradient(z, v), 3.0)

    def test_untrainable_when_watched(self):
        v = variable(2.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        close(tape.gradient(y, v), 4.0)

    def test_ops_before_watch_are_constants(self):
        x = constant(2.0)
        with tf.GradientTape() as tape:
            early = x * x
            tape.watch(x)
            y = early * x
        close(tape.gradient(y, x), 4.0)

    def test_ops_before_the_tape_are_constants(self):
        v = variable(2.0)
        before = v * v
        snapshot = v.value()
        with tf.GradientTape() as tape:
            y = before * snapshot
        assert tape.gradient(y, v) is None

    def test_ops_after_the_exit_are_constants(self):
        v = variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        z = y * v
        assert tape.gradient(z, v) is None
        close(tape.gradient(y, v), 6.0)

    def test_stop_recording(self):
        v = variable(3.0)
        with tf.GradientTape() as tape:
            a = v * 2.0
            with tape.stop_recording():
                b = v * v
            y = a * b
        close(tape.gradient(y, v), 2.0 * 9.0)

    def test_stop_recording_of_the_outer_tape_only(self):
        v = variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                with outer.stop_recording():
                    a = v * v
                y = a * v
            g = inner.gradient(y, v)
        close(g, 27.0)
        # To the outer tape a is a constant: g is 3 v v, of which only the reads outside the pause count.
        close(outer.gradient(g, v), 6.0)

    def test_watch_late_in_a_chain(self):
        v = variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            a = v * v
            tape.watch(a)
            y = a * a
        close(tape.gradient(y, a), 18.0)

    def test_watch_of_one_part_of_several(self):
        x = tf.identity([1.0, 2.0, 3.0, 4.0])
        a, b = tf.split(x, 2)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.reduce_sum(a * a * b)
            float(y)
        close(tape.gradient(y, a), [6.0, 16.0])

    def test_all_reads_are_summed(self):
        v = variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v + tf.identity(v) + v.value() + v.read_value() + tf.convert_to_tensor(v)
        close(tape.gradient(y, v), 10.0)

    def test_reads_before_and_after_an_assignment(self):
        """As in TensorFlow: both reads are of the Variable, and the assignment passes nothing on."""
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * 2.0
            v.assign(v * 3.0)
            z = y + v * 5.0
        close(z, 34.0)
        close(tape.gradient(z, v), 7.0)

    def test_values_at_the_time_of_reading(self):
        v = variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            v.assign(10.0)
            z = v * v
        close(tape.gradient(y, v), 4.0)
        close(tape.gradient(z, v), 20.0)
        close(tape.gradient([y, z], v), 24.0)

    def test_gradient_after_the_variable_has_changed(self):
        v = variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v * v
        v.assign(10.0)
        close(tape.gradient(y, v), 12.0)
        v.assign_add(1.0)
        run_pending()
        close(tape.gradient(y, v), 12.0)

    def test_watched_variables_in_order(self):
        a, b, c = variable(1.0), variable(2.0), variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            _ = b * a * c * b
        assert [v is w for v, w in zip(tape.watched_variables(), (b, a), strict=True)] == [True, True]

    def test_a_tape_of_another_thread_sees_nothing(self):
        import threading

        v = variable(2.0)
        made = []
        with tf.GradientTape() as tape:
            thread = threading.Thread(target=lambda: made.append(v * v))
            thread.start()
            thread.join()
            y = made[0] * v
        close(tape.gradient(y, v), 4.0)

    def test_integers_carry_nothing(self):
        v = variable([1.0, 5.0])
        i = tf.Variable(3)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.cast(tf.cast(v, tf.int32), F64) * v[0]
            z = tf.cast(i, F64) * v[1] + tf.reduce_sum(tf.cast(tf.argmax(v), F64) * v)
        close(tape.gradient(y, v), [6.0, 0.0])
        close(tape.gradient(z, v), [1.0, 4.0])
        assert tape.gradient(z, i) is None

    def test_stop_gradient(self):
        v = variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.stop_gradient(v * v) * v
        close(tape.gradient(y, v), 9.0)


class TestReadsInside:
    """A value printed or compared inside a tape runs what is pending; the gradient must not change."""

    def test_of_the_result(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v**3
            assert f"{y:.1f}" == "8.0"
            z = y * v
        close(tape.gradient(z, v), 32.0)

    def test_in_a_condition(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
            if y > 3.0:
                y = y * 3.0
        close(tape.gradient(y, v), 12.0)

    def test_many_times(self):
        v = variable(1.1)
        with tf.GradientTape() as tape:
            y = v * 1.0
            for _ in range(6):
                y = tf.sin(y) * v
                float(y)
        expected = jax.grad(lambda v: _repeated_sine(v, 6))(1.1)
        close(tape.gradient(y, v), expected)

    def test_of_several_results(self):
        v = variable([1.0, 2.0, 3.0, 4.0])
        with tf.GradientTape() as tape:
            a, b = tf.split(v * v, 2)
            a.numpy()
            y = tf.reduce_sum(a * b)
            y.numpy()
        close(tape.gradient(y, v), [2 * 9, 4 * 16, 6 * 1, 8 * 4])

    def test_of_random_numbers(self):
        """What was drawn before the read is not drawn again for the gradient."""
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            mask = tf.random.uniform([2], dtype=F64)
            y = tf.reduce_sum(v * mask)
            float(y)
        close(tape.gradient(y, v), mask)

    def test_between_gradients_of_a_persistent_tape(self):
        v = variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            float(y)
            z = y * y
        close(tape.gradient(y, v), 4.0)
        close(tape.gradient(z, v), 32.0)
        close(tape.gradient(z, y), 8.0)
        close(tape.gradient(z, v), 32.0)

    def test_with_an_assignment_between(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
            float(y)
            v.assign(5.0)
            float(v)
            z = y * v
            float(z)
        close(z, 20.0)
        close(tape.gradient(z, v), 4.0 * 5.0 + 4.0)


def _repeated_sine(v, times):
    y = v * 1.0
    for _ in range(times):
        y = jnp.sin(y) * v
    return y


class TestSourcesAndTargets:
    def test_structures(self):
        v, w = variable(2.0), variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v * w
        found = tape.gradient(y, {"v": v, "rest": [w, (constant(1.0),)]})
        close(found["v"], 12.0)
        close(found["rest"][0], 4.0)
        assert found["rest"][1] == (None,)

    def test_repeated(self):
        v = variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v
        assert [float(g) for g in tape.gradient(y, [v, v])] == [6.0, 6.0]

    def test_intermediates(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            a = v * v
            b = a * a
            y = a * b
        ga, gb, gv = tape.gradient(y, [a, b, v])
        close(gb, 4.0)
        close(ga, 16.0 + 4.0 * 8.0)
        close(gv, 6 * 2.0**5)

    def test_several_targets_are_added(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            targets = {"a": v * v, "b": [v * 3.0]}
        close(tape.gradient(targets, v), 7.0)

    def test_a_target_the_tape_never_saw(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
        close(tape.gradient([y, constant(1.0)], v), 4.0)

    def test_elements_of_a_target_are_added(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v[0]
        close(tape.gradient(y, v), [4.0, 1.0])

    def test_a_target_that_is_a_source(self):
        x, v = constant(3.0), variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x + v * v
        close(tape.gradient(x, x), 1.0)
        close(tape.gradient(v, v), 1.0)
        close(tape.gradient([y, x], x), 7.0)
        close(tape.gradient([y, v], v), 7.0)
        close(tape.gradient(y, y), 1.0)

    def test_output_gradients(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            z = v * 3.0
        close(tape.gradient(y, v, output_gradients=constant([10.0, 100.0])), [20.0, 400.0])
        close(tape.gradient(y, v, output_gradients=np.array([10.0, 100.0])), [20.0, 400.0])
        close(tape.gradient([y], v, output_gradients=[constant([10.0, 100.0])]), [20.0, 400.0])
        close(tape.gradient(y, v, output_gradients=constant([1.0])), [2.0, 4.0])
        close(tape.gradient(y, v, output_gradients=constant(2.0)), [4.0, 8.0])
        close(tape.gradient([y, z], v, output_gradients=[constant([1.0, 0.0]), None]), [5.0, 3.0])

    def test_output_gradients_are_followed_by_an_outer_tape(self):
        v, s = variable(2.0), variable(5.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v * v
            g = inner.gradient(y, v, output_gradients=s * s)
        close(g, 100.0)
        close(outer.gradient(g, s), 40.0)

    def test_output_gradients_of_a_wrong_shape(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError), match=r"target's shape \(2,\); got shape \(3,\)"
        ):
            tape.gradient(y, v, output_gradients=constant([1.0, 1.0, 1.0]))

    @pytest.mark.parametrize("seeds", [[10.0, 100.0], []])
    def test_another_number_of_output_gradients_than_targets(self, seeds):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v
        with pytest.raises(ValueError, match="output_gradients"):
            tape.gradient(y, v, output_gradients=seeds)

    def test_unconnected(self):
        v, w = variable(2.0), variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            _ = w * w
        assert tape.gradient(y, w) is None
        zeros = tape.gradient(y, [v, w], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        close(zeros[0], 4.0)
        close(zeros[1], [0.0, 0.0])
        assert zeros[1].dtype is F64
        close(tape.gradient(y, w, unconnected_gradients="zero"), [0.0, 0.0])
        assert tape.gradient(y, w, unconnected_gradients="none") is None
        close(tape.jacobian(y, w, unconnected_gradients="zero"), [0.0, 0.0])
        with pytest.raises(ValueError, match="bad"):
            tape.gradient(y, w, unconnected_gradients="bad")

    def test_not_differentiable_is_unconnected(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            ys = [tf.argmax(v), tf.equal(v, 1.0), tf.cast(v, tf.int32)]
        for y in ys:
            assert tape.gradient(y, v) is None

    def test_both_paths_of_one_tensor(self):
        x = constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            a = x * 3.0
            y = a * x + tf.stop_gradient(a) * x
        close(tape.gradient(y, x), 12.0 + 6.0)


class TestComplex:
    """TensorFlow's convention: the conjugate of the derivative for holomorphic functions."""

    def test_holomorphic(self):
        x = tf.constant(1 + 2j)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        close(tape.gradient(y, x), 2 - 4j)

    def test_real_of_complex(self):
        x = tf.constant(1 + 2j)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.abs(x)
        close(tape.gradient(y, x), (1 + 2j) / np.sqrt(5))

    def test_complex_of_real(self):
        x = constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.real(tf.exp(tf.complex(x * 0.0, x)))
        close(tape.gradient(y, x), -np.sin(0.5))


class TestJacobians:
    def test_jacobian(self):
        x0 = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
        v, w = variable(x0), variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.sin(tf.transpose(v) @ v) * w
        jv, jw = tape.jacobian(y, [v, w])
        f = lambda x, w: jnp.sin(x.T @ x) * w  # noqa: E731
        ev, ew = jax.jacobian(f, (0, 1))(x0, 2.0)
        assert jv.shape == (2, 2, 3, 2)
        close(jv, ev)
        close(jw, ew)

    def test_of_a_scalar(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        close(tape.jacobian(y, v), [2.0, 4.0])

    def test_hessian(self):
        x0 = np.array([0.3, -0.5, 0.8])
        v = variable(x0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_prod(tf.sin(v))
            g = inner.gradient(y, v)
        close(outer.jacobian(g, v), jax.hessian(lambda x: jnp.prod(jnp.sin(x)))(x0), 1e-10)

    def test_gradient_of_a_jacobian(self):
        x0 = np.array([0.3, -0.5])
        v = variable(x0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.sin(v) * v[0]
            z = tf.reduce_sum(inner.jacobian(y, v) ** 2)
        f = lambda x: jnp.sin(x) * x[0]  # noqa: E731
        close(outer.gradient(z, v), jax.grad(lambda x: jnp.sum(jax.jacobian(f)(x) ** 2))(x0), 1e-10)

    def test_batch_jacobian(self):
        x0 = np.arange(6.0).reshape(3, 2) / 7
        w0 = np.linspace(-1, 1, 8).reshape(2, 4)
        x, w = constant(x0), variable(w0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x @ w)
        expected = jax.vmap(jax.jacobian(lambda row: jnp.tanh(row @ w0)))(x0)
        found = tape.batch_jacobian(y, x)
        assert found.shape == (3, 4, 2)
        close(found, expected)

    def test_batch_jacobian_of_other_batches(self):
        v = variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            y = v[:1] * 2.0
        with pytest.raises(ValueError, match=r"one first dimension; got target shape \(1, 2\)"):
            tape.batch_jacobian(y, v)

    def test_unconnected(self):
        v, w = variable([1.0]), variable([2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            _ = w * 1.0
        assert tape.jacobian(y, w) is None
        assert tape.batch_jacobian(y, w) is None

    def test_after_a_read(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v[0]
            repr(y)
        close(tape.jacobian(y, v), [[2.0, 0.0], [2.0, 1.0]])


class TestSeveralTapes:
    def test_two_over_one_forward_pass(self):
        """The pattern of a GAN: two losses of one generated batch, each for its own weights."""
        gen, disc = variable(0.7), variable(-0.4)
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = tf.sin(gen * 2.0)
            score = tf.tanh(disc * fake)
            gen_loss = score * score
            disc_loss = 1.0 - score
        g = gen_tape.gradient(gen_loss, gen)
        d = disc_tape.gradient(disc_loss, disc)
        close(g, jax.grad(lambda g: jnp.tanh(-0.4 * jnp.sin(g * 2.0)) ** 2)(0.7))
        close(d, jax.grad(lambda d: 1.0 - jnp.tanh(d * jnp.sin(1.4)))(-0.4))

    def test_that_begin_and_end_apart(self):
        v = variable(2.0)
        one, two = tf.GradientTape(), tf.GradientTape()
        one.__enter__()
        a = v * v
        two.__enter__()
        b = a * v
        one.__exit__(None, None, None)
        c = b * v
        two.__exit__(None, None, None)
        assert one.gradient(c, v) is None
        # To `two`, a is a constant of 4: c = (4 v) v.
        close(two.gradient(c, v), 16.0)

    def test_one_that_misses_a_part(self):
        """Gradients that share most of a forward pass must not leak through what one did not see."""
        v = variable(1.3)
        with tf.GradientTape() as all_of_it, tf.GradientTape() as some:
            a = tf.sin(v)
            with some.stop_recording():
                b = a * v
            y = b * a + v
        close(all_of_it.gradient(y, v), jax.grad(lambda v: jnp.sin(v) * v * jnp.sin(v) + v)(1.3))
        b0 = np.sin(1.3) * 1.3
        close(some.gradient(y, v), jax.grad(lambda v: b0 * jnp.sin(v) + v)(1.3))

    def test_inner_gradient_as_a_constant(self):
        """Outside the outer tape's block an inner gradient is a plain number."""
        v = variable(2.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v**3
            with outer.stop_recording():
                g = inner.gradient(y, v)
            z = g * v
        close(outer.gradient(z, v), 12.0)

    @pytest.mark.parametrize("seed", range(12))
    def test_random_programs_read_or_not(self, seed):
        """Values, and which gradients are None, do not depend on whether values are read on the way."""
        lazy, read = (_random_tapes(seed, reads) for reads in (False, True))
        assert [g is None for g in lazy] == [g is None for g in read]
        for a, b in zip(lazy, read, strict=True):
            if a is not None:
                close(a, b, 1e-9)


def _random_tapes(seed, reads):
    """A random program with nested tapes, pauses, late watches, assignments and gradients."""
    rng = np.random.default_rng(seed)
    variables = [variable([0.3, -0.6]), variable([-0.2, 0.9])]
    pool = [constant([0.5, 1.1]), constant([-0.7, 0.4]), *variables]
    binary = [
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: tf.sin(a) * b,
        lambda a, b: tf.where(a > b, a, b * 0.5),
        lambda a, b: tf.concat(tf.split(a * 1.0, 2)[::-1], 0) * b,
        lambda a, b: tf.scan(lambda s, e: tf.sin(s) * e, a * 1.0) - b,
        lambda a, b: tf.gather(a, [1, 0]) + tf.reduce_sum(b),
    ]
    found, finished = [], []

    def pick():
        return pool[int(rng.integers(max(0, len(pool) - 6), len(pool)))]

    def put(tensor):
        pool.append(tensor)
        if reads:
            tensor.numpy()

    def differentiate(tapes):
        tensors = [t for t in pool if not isinstance(t, tf.Variable)]
        tape = tapes[int(rng.integers(len(tapes)))]
        target, sources = tensors[-1], [variables[0], variables[1], pick()]
        sources = [s for s in sources if s is not target]
        for gradient in tape.gradient(target, sources):
            found.append(gradient)
            put(constant([0.1, 0.2]) if gradient is None else gradient)

    def block(depth, tapes):
        for _ in range(int(rng.integers(3, 6))):
            kind = rng.random()
            if kind < 0.5:
                put(binary[int(rng.integers(len(binary)))](pick(), pick()))
            elif kind < 0.6:
                variables[int(rng.integers(2))].assign(tf.tanh(pick() * 1.0))
            elif kind < 0.7 and tapes:
                tapes[-1].watch(pick())
            elif kind < 0.8 and tapes:
                with tapes[-1].stop_recording():
                    put(binary[0](pick(), pick()))
            elif depth < 3:
                with tf.GradientTape(persistent=True) as tape:
                    block(depth + 1, [*tapes, tape])
                finished.append(tape)
                differentiate(finished)
            elif finished:
                differentiate(finished)

    while len(found) < 8:
        block(0, [])
    return [*found, *[v.value() for v in variables]]


class TestLife:
    def test_used_twice(self):
        v = variable(1.0)
        with tf.GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
        with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used to compute one"):
            tape.gradient(y, v)
        with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
            tape.jacobian(y, v)

    def test_never_entered(self):
        v = variable(1.0)
        with pytest.raises(RuntimeError, match="GradientTape"):
            tf.GradientTape().gradient(v, v)

    def test_gradient_inside_its_own_block(self):
        v = variable(3.0)
        with tf.GradientTape() as tape:
            y = v * v
            g = tape.gradient(y, v)
            z = v * 2.0
        close(g, 6.0)
        close(z, 6.0)
        with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
            tape.gradient(z, v)

    def test_entered_again(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
        between = y * v
        with tape:
            z = v * y + between
        close(tape.gradient(z, v), 12.0)

    def test_entered_while_recording(self):
        with (
            tf.GradientTape() as tape,
            pytest.raises(ValueError, match="Tape is still recording"),
        ):
            tape.__enter__()

    def test_reset(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
            tape.reset()
            z = v * y
        close(tape.gradient(z, v), 4.0)

    def test_reset_outside(self):
        v = variable(2.0)
        with tf.GradientTape() as tape:
            y = v * v
        tape.reset()
        with pytest.raises(RuntimeError, match="GradientTape"):
            tape.gradient(y, v)

    def test_stop_recording_when_not_recording(self):
        tape = tf.GradientTape()
        with pytest.raises((ValueError, RuntimeError), match="not recording|recording tape"):
            tape.stop_recording().__enter__()

    def test_gradient_inside_stop_recording(self):
        v = variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            with tape.stop_recording():
                g = tape.gradient(y, v)
            z = g * v
        close(tape.gradient(z, v), 6.0)

    def test_persistent_lives_on(self):
        v = variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            y = v**3
        for _ in range(3):
            close(tape.gradient(y, v), 12.0)
        del tape
        gc.collect()

    def test_an_error_inside_the_block_closes_it(self):
        v = variable(2.0)
        tape = tf.GradientTape()
        with pytest.raises(ZeroDivisionError), tape:
            y = v * v
            1 / 0  # noqa: B018
        after = v * y
        assert tape.gradient(after, v) is None

    def test_an_op_that_fails_inside(self):
        v = variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v
            with pytest.raises(tf.errors.InvalidArgumentError):
                v + tf.ones([3], F64)
            z = y * v
        close(tape.gradient(z, v), [3.0, 12.0])

    def test_a_forgotten_tape_keeps_nothing(self):
        """A tape that is never asked lets go of what it kept when it goes."""
        v = tf.Variable(np.zeros(1000, np.float32))
        with tf.GradientTape() as tape:
            y = v + 1.0
            z = y * y
            float(z[0])
        del y, z, tape
        gc.collect()
        v.assign_add(tf.ones([1000]))
        run_pending()
        from tapeflow.engine.programs.program import counters

        before = counters.copied_for_donation
        v.assign_add(tf.ones([1000]))
        run_pending()
        assert counters.copied_for_donation == before

    def test_watching_one_tensor_again_and_again(self):
        """Adversarial training watches the same batch at every step; it must not collect tapes."""
        x = constant(2.0)
        for _ in range(50):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            close(tape.gradient(y, x), 4.0)
        assert len(x._node.tapes) <= 2

    def test_a_long_loop_of_watches(self):
        x = tf.constant(1.0)
        total = tf.constant(0.0)
        settings.soft_nodes, settings.hard_nodes = 20, 100
        for _ in range(300):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            total = total + tape.gradient(y, x)
        assert float(total) == 600.0

    def test_no_cycle_through_a_tape(self):
        gc.collect()
        gc.disable()
        try:
            v = variable(2.0)
            with tf.GradientTape() as tape:
                y = v * v
            tape.gradient(y, v).numpy()
            reference = weakref.ref(tape)
            del tape
            assert reference() is None
        finally:
            gc.enable()


class TestErrors:
    def test_watch_of_a_number(self):
        with (
            tf.GradientTape() as tape,
            pytest.raises(ValueError, match="tf.Tensor or tf.Variable: passed in object 1.0"),
        ):
            tape.watch(1.0)

    def test_watch_of_integers(self):
        with tf.GradientTape() as tape, pytest.warns(UserWarning, match="must be floating"):
            tape.watch(tf.constant(1))

    def test_watch_of_structures(self):
        a, b = constant(2.0), constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch({"a": a, "rest": [b]})
            y = a * b
        assert [float(g) for g in tape.gradient(y, [a, b])] == [3.0, 2.0]

    def test_source_of_a_wrong_kind(self):
        v = variable(1.0)
        with tf.GradientTape() as tape:
            y = v * v
        with pytest.raises(ValueError, match=r"sources that are tf.Variable or tf.Tensor; got 1\.0"):
            tape.gradient(y, 1.0)

    def test_nothing_warns(self):
        v = variable(1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with tf.GradientTape(persistent=True) as tape:
                y = v * v
                tape.gradient(y, v).numpy()
            tape.gradient(y, v).numpy()


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
