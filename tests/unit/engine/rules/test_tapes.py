"""The engine's first two rules: what a tape records, and that the forward pass runs once."""

from __future__ import annotations

import jax
import pytest

import tapeflow as tf
from tapeflow.engine.programs import program


class TestRule1Tapes:
    """A node carries the tapes active when it was made; sources are Variables, all reads summed."""

    def test_only_ops_made_while_recording_count(self):
        v, x = tf.Variable(2.0), tf.constant(3.0)
        before = v * 5.0
        with tf.GradientTape(persistent=True) as tape:
            unwatched = x * 2.0
            tape.watch(x)
            a = v * v * x
            with tape.stop_recording():
                paused = v * 7.0
            y = a + before + unwatched + paused
        after = y * v
        assert float(tape.gradient(y, v)) == 12.0
        assert float(tape.gradient(y, x)) == 4.0
        assert tape.gradient(after, v) is None

    def test_a_source_is_the_variable_not_a_snapshot(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            first, second = v.value(), v.read_value()
            v.assign(10.0)
            y = first * second + v * 3.0
        assert float(y) == 34.0
        assert float(tape.gradient(y, v)) == 2.0 + 2.0 + 3.0

    def test_nested_tapes_each_have_their_own(self):
        v = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            a = v * v
            with tf.GradientTape() as inner:
                b = a * v
            c = b * v
        assert inner.gradient(c, v) is None
        assert float(outer.gradient(c, v)) == 32.0


class TestRule2ForwardOnce:
    """Forward values leave through the vjp that differentiates them: one loop forward, one back."""

    @pytest.mark.parametrize("is_staged", [False, True], ids=["lazy", "staged"])
    def test_loops_in_the_program(self, is_staged, monkeypatch):
        made = []
        original = program.Program.__post_init__
        monkeypatch.setattr(
            program.Program, "__post_init__", lambda self: (original(self), made.append(self))[0]
        )
        program.clear_programs()
        w = tf.Variable([0.1, 0.2])

        def step(x):
            with tf.GradientTape() as tape:
                states = tf.scan(lambda h, row: tf.tanh(h * w + row), x, tf.zeros([2]))
                loss = tf.reduce_sum(states * states)
            w.assign_sub(tape.gradient(loss, w))
            return loss, states

        call = tf.function(step) if is_staged else step
        loss, states = call(tf.ones([5, 2]))
        loss.numpy()
        states.numpy()
        (only,) = made
        avals = [
            jax.ShapeDtypeStruct(only.leaf_keys[i].shape, only.leaf_keys[i].np_dtype) for i in only.direct
        ]
        avals += [jax.ShapeDtypeStruct((len(found),), dtype) for dtype, found in only.packs]
        text = jax.jit(only.evaluate).lower(*avals).compile().as_text()
        assert text.count(" while(") == 2
