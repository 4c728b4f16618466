"""Derivatives of derivatives against `jax.grad`: higher orders and Jacobians."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.settings import settings

from .values import F64, close, constant, variable

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
