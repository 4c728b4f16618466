"""The engine's rule 14: inside a user's own `jax.jit` ops run at once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.trace import state


class TestRule14ForeignTraces:
    """Under the user's own JAX transformation ops run at once on the tracers and register nothing."""

    def function(self, x):
        t = tf.convert_to_tensor(x)
        return jnp.asarray(tf.reduce_sum(tf.sin(t) * t + 2.0))

    def test_jit_grad_and_vmap(self):
        x = jnp.arange(3, dtype=jnp.float32)
        expected = jnp.sum(jnp.sin(x) * x + 2.0)
        np.testing.assert_allclose(jax.jit(self.function)(x), expected, 1e-6)
        np.testing.assert_allclose(jax.grad(self.function)(x), jnp.sin(x) + x * jnp.cos(x), 1e-6)
        rows = jnp.ones((2, 3), jnp.float32)
        np.testing.assert_allclose(jax.vmap(self.function)(rows), [float(self.function(rows[0]))] * 2, 1e-6)
        np.testing.assert_allclose(
            jax.jit(jax.vmap(jax.grad(self.function)))(rows), jnp.sin(rows) + rows * jnp.cos(rows), 1e-6
        )

    def test_registers_nothing(self):
        before = len(state.trace.nodes)
        jax.jit(self.function)(jnp.ones(3, jnp.float32))
        jax.grad(self.function)(jnp.ones(3, jnp.float32))
        assert len(state.trace.nodes) == before
        with jax.checking_leaks():
            jax.jit(self.function)(jnp.ones(4, jnp.float32))

    def test_meets_tensors_and_variables(self):
        v, pending = tf.Variable(2.0), tf.identity([1.0, 2.0, 3.0]) * 2.0

        def mixed(x):
            return jnp.asarray(tf.reduce_sum(tf.convert_to_tensor(x) * v * pending))

        x = jnp.ones(3, jnp.float32)
        assert jax.jit(mixed)(x) == 24.0
        np.testing.assert_array_equal(jax.grad(mixed)(x), [4.0, 8.0, 12.0])
        np.testing.assert_array_equal(pending, [2.0, 4.0, 6.0])

    def test_materialising_inside(self):
        pending = [tf.identity([1.0, 2.0]) * 3.0]
        for _ in range(6):
            pending.append(pending[-1] + 1.0)
        seen = []

        def reads(x):
            seen.append(float(pending[-1][0]))
            scale = float(tf.reduce_sum(tf.constant([1.0, 2.0]) * 2.0))
            return x * scale

        np.testing.assert_array_equal(jax.jit(reads)(jnp.ones(2, jnp.float32)), [6.0, 6.0])
        assert seen == [9.0]
        np.testing.assert_array_equal(pending[-1], [9.0, 12.0])

    def test_training_inside_a_trace(self):
        """A Variable that is written while tracing holds a value afterwards, not a tracer."""
        v = tf.Variable([1.0, 2.0])

        def traced(x):
            v.assign_add([1.0, 1.0])
            return x + float(v[0])

        assert jax.jit(traced)(jnp.float32(1.0)) == 3.0
        np.testing.assert_array_equal(v, [2.0, 3.0])

    def test_a_tracer_cannot_be_assigned(self):
        v = tf.Variable(1.0)

        def leaks(x):
            v.assign(tf.convert_to_tensor(x))
            return x

        with pytest.raises((TypeError, ValueError, RuntimeError), match="jax|JAX|trac"):
            jax.jit(leaks)(jnp.float32(3.0))
        assert float(v) == 1.0

    def test_several_results_and_indexing(self):
        def parts(x):
            a, b = tf.split(tf.convert_to_tensor(x), 2)
            return jnp.asarray(a[0] * b[-1])

        assert jax.jit(parts)(jnp.array([2.0, 3.0, 4.0, 5.0], jnp.float32)) == 10.0

    def test_reading_a_tracer(self):
        def reads(x):
            return x * float(tf.convert_to_tensor(x))

        with pytest.raises((jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)):
            jax.jit(reads)(jnp.float32(1.0))
        assert (tf.identity(1.0) + 1.0).numpy() == 2.0
