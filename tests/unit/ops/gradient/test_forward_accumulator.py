"""Derivatives in a direction, against `jax.jvp`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf

POINT = np.array([[0.2, 0.3], [1.0, 0.4]], np.float32)
DIRECTION = np.array([[1.0, 0.0], [0.5, -1.0]], np.float32)


def direction_at_point(function: object) -> np.ndarray:
    return jax.jvp(function, (POINT,), (DIRECTION,))[1]


def test_a_chain_of_ops() -> None:
    x = tf.constant(POINT)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(DIRECTION)) as accumulator:
        y = tf.tanh(x @ x) + tf.nn.softmax(x)
        inside = accumulator.jvp(y)
    expected = direction_at_point(lambda v: jnp.tanh(v @ v) + jax.nn.softmax(v))
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inside, expected, rtol=1e-5, atol=1e-6)


def test_structures_and_staging() -> None:
    @tf.function
    def directions(x: tf.Tensor, tangent: tf.Tensor) -> dict[str, tf.Tensor]:
        with tf.autodiff.ForwardAccumulator({"x": x}, {"x": tangent}) as accumulator:
            y = {"exp": tf.exp(x), "cube": tf.scan(lambda s, _: s * x, tf.range(2), initializer=x)[-1]}
        return accumulator.jvp(y)

    found = directions(tf.constant(POINT), tf.constant(DIRECTION))
    np.testing.assert_allclose(found["exp"], direction_at_point(jnp.exp), rtol=1e-5)
    np.testing.assert_allclose(found["cube"], direction_at_point(lambda v: v**3), rtol=1e-5)


def test_a_hessian_times_a_vector() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as accumulator:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**3 * v[0])
        gradient = tape.gradient(loss, v)
    np.testing.assert_allclose(accumulator.jvp(gradient), [12.0, 12.0], rtol=1e-6)
    assert float(accumulator.jvp(loss)) == 12.0


def test_accumulators_nest() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as outer:
        with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as inner:
            loss = tf.reduce_sum(v**3 * v[0])
        slope = inner.jvp(loss)
    assert float(outer.jvp(slope)) == 12.0


def test_what_does_not_depend_on_it() -> None:
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as accumulator:
        other = tf.constant(1.0) * 2
    assert accumulator.jvp(other) is None
    assert float(accumulator.jvp(other, unconnected_gradients="zero")) == 0.0
    assert float(accumulator.jvp(x)) == 2.0


def test_a_tangent_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"tangent of the primal's shape \(2,\); got one of shape \(3,\)"):
        tf.autodiff.ForwardAccumulator(tf.zeros(2), tf.zeros(3))
