"""What a tape gives for targets and sources of many forms, against TensorFlow's rules."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

from .values import F64, close, constant, variable


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
