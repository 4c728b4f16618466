"""What a GradientTape sees and what it does not, what it is asked for, and how it begins and ends."""

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

from .values import F64, close, constant, variable


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
