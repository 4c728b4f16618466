"""Lowering: what a recorded expression becomes in JAX. Forward passes exist once, whoever asks for them."""

from __future__ import annotations

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import program
from tapeflow.engine.programs.lowering import Evaluation
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.op import op


def jaxpr_of(compiled: program.Program) -> jax.extend.core.ClosedJaxpr:
    """The jaxpr of a program, made from its leaves' specs."""
    avals = [
        jax.ShapeDtypeStruct(key.shape, key.np_dtype)
        for key in (compiled.leaf_keys[i] for i in compiled.direct)
    ]
    avals += [jax.ShapeDtypeStruct((len(found),), dtype) for dtype, found in compiled.packs]
    return jax.make_jaxpr(compiled.evaluate)(*avals)


def equations(jaxpr):
    """All equations, those of inner jaxprs included."""
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(inner, "eqns"):
                    yield from equations(inner)
                elif hasattr(inner, "jaxpr"):
                    yield from equations(inner.jaxpr)


def primitives(closed) -> Counter:
    return Counter(eqn.primitive.name for eqn in equations(closed.jaxpr))


@pytest.fixture
def programs():
    """Gives the programs compiled in a test, in order."""
    program.clear_programs()
    made = []
    original = program.Program.__post_init__

    def noted(self):
        original(self)
        made.append(self)

    program.Program.__post_init__ = noted
    yield made
    program.Program.__post_init__ = original


def rnn(weights, rows):
    return tf.scan(lambda h, x: tf.tanh(h * weights + x), rows, tf.zeros([3]))


class TestForwardOnce:
    """Rule 2: forward values leave through the vjp that differentiates them."""

    def test_loop_under_a_tape(self, programs):
        w = tf.Variable([0.1, 0.2, 0.3])
        rows = tf.constant(np.ones((5, 3), np.float32))
        with tf.GradientTape() as tape:
            states = rnn(w, rows)
            loss = tf.reduce_sum(states * states)
        gradient = tape.gradient(loss, w)
        w.assign_sub(gradient * 0.1)
        last = states[-1]
        np.testing.assert_array_equal(last.numpy(), states.numpy()[-1])
        assert len(programs) == 1
        scans = [e for e in equations(jaxpr_of(programs[0]).jaxpr) if e.primitive.name == "scan"]
        assert [e.params["reverse"] for e in scans] == [False, True]
        assert primitives(jaxpr_of(programs[0]))["tanh"] == 1

    def test_loop_in_the_compiled_program(self, programs):
        w = tf.Variable([0.1, 0.2, 0.3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(rnn(w, tf.ones([5, 3])))
        w.assign_sub(tape.gradient(loss, w))
        float(loss)
        (only,) = programs
        avals = [
            jax.ShapeDtypeStruct(only.leaf_keys[i].shape, only.leaf_keys[i].np_dtype) for i in only.direct
        ]
        avals += [jax.ShapeDtypeStruct((len(found),), dtype) for dtype, found in only.packs]
        text = jax.jit(only.evaluate).lower(*avals).compile().as_text()
        assert text.count(" while(") == 2

    def test_two_tapes_over_one_forward_pass(self, programs):
        gen, disc = tf.Variable([0.1, 0.2, 0.3]), tf.Variable([0.3, 0.2, 0.1])
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = rnn(gen, tf.ones([4, 3]))
            score = rnn(disc, fake)
            gen_loss, disc_loss = tf.reduce_sum(score), tf.reduce_sum(score * score)
        gen.assign_sub(gen_tape.gradient(gen_loss, gen))
        disc.assign_sub(disc_tape.gradient(disc_loss, disc))
        run_pending()
        (only,) = programs
        forward = [
            e
            for e in equations(jaxpr_of(only).jaxpr)
            if e.primitive.name == "scan" and not e.params["reverse"]
        ]
        assert len(forward) == 2  # one for each network

    def test_two_gradients_of_a_persistent_tape(self, programs):
        w = tf.Variable([0.1, 0.2, 0.3])
        with tf.GradientTape(persistent=True) as tape:
            states = rnn(w, tf.ones([4, 3]))
            a, b = tf.reduce_sum(states), tf.reduce_sum(states * states)
        ga, gb = tape.gradient(a, w), tape.gradient(b, w)
        ga.numpy()
        gb.numpy()
        (only,) = programs
        assert primitives(jaxpr_of(only))["tanh"] == 1

    def test_second_order(self, programs):
        """One tanh for the value; those of the derivatives are not tanh again."""
        x = tf.Variable([0.3, 0.4])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.tanh(x))
            g = inner.gradient(y, x)
            z = tf.reduce_sum(g * g)
        h = outer.gradient(z, x)
        h.numpy()
        float(y)
        assert len(programs) == 1
        assert primitives(jaxpr_of(programs[0]))["tanh"] == 1


class TestOnlyWhatIsNeeded:
    def test_dead_code_is_not_lowered(self, programs):
        x = tf.Variable([0.3, 0.4])
        x.assign_add(tf.sin(x))
        unused = tf.exp(x)
        del unused
        run_pending()
        assert primitives(jaxpr_of(programs[0]))["exp"] == 0
        assert primitives(jaxpr_of(programs[0]))["sin"] == 1

    def test_gradients_nobody_wants(self, programs):
        x = tf.Variable([0.3, 0.4])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(x))
        gradient = tape.gradient(y, x)
        del gradient
        x.assign_add([1.0, 1.0])
        float(y)
        assert primitives(jaxpr_of(programs[0]))["cos"] == 0

    def test_of_several_sources_only_those_asked_for(self, programs):
        w, x = tf.Variable(np.ones((4, 4), np.float32)), tf.Variable(np.ones((4, 4), np.float32))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(x @ w))
        w.assign_sub(tape.gradient(y, w))
        run_pending()
        # Forward and one product backwards: the gradient for x is not computed.
        assert primitives(jaxpr_of(programs[0]))["dot_general"] == 2


class TestEvaluation:
    """The evaluator by itself, on entries written by hand."""

    def test_plain_entries(self):
        @op
        def add(a, b):
            return a + b

        @op
        def double(a):
            return a * 2

        plus, twice = add.instance({}), double.instance({})
        entries = [(plus, (-1, -2)), (twice, (0,)), (plus, (1, 0))]
        leaves = [jnp.float32(1.0), jnp.float32(2.0)]
        assert [float(v) for v in Evaluation(entries, leaves).run([2, 0])] == [9.0, 3.0]
        assert [float(v) for v in Evaluation(entries, leaves).run([-1])] == [1.0]

    def test_evaluates_each_once(self):
        calls = []

        @op
        def spy(a):
            calls.append(1)
            return a + 1

        instance = spy.instance({})
        evaluation = Evaluation([(instance, (-1,)), (instance, (0,))], [jnp.float32(0.0)])
        evaluation.run([1])
        evaluation.run([0, 1])
        assert len(calls) == 2


class TestNoLeaks:
    """A derivative passes only where its tape did, even when gradients share a forward pass."""

    def test_pause_of_one_of_two_tapes(self):
        v = tf.Variable(np.float64(1.3))
        with tf.GradientTape() as whole, tf.GradientTape() as part:
            a = tf.sin(v)
            with part.stop_recording():
                b = a * a
            y = a * b
        whole_gradient, part_gradient = whole.gradient(y, v), part.gradient(y, v)
        total = whole_gradient + part_gradient
        s, c = np.sin(1.3), np.cos(1.3)
        np.testing.assert_allclose(float(whole_gradient), 3 * s * s * c, 1e-12)
        np.testing.assert_allclose(float(part_gradient), s * s * c, 1e-12)
        np.testing.assert_allclose(float(total), 4 * s * s * c, 1e-12)

    def test_a_source_between(self):
        """A tap in the middle of one gradient does not disturb another."""
        v = tf.Variable(np.float64(0.7))
        with tf.GradientTape(persistent=True) as tape:
            a = tf.sin(v)
            y = a * a * v
        ga, gv, both = tape.gradient(y, a), tape.gradient(y, v), tape.gradient(y, [a, v])
        s, c = np.sin(0.7), np.cos(0.7)
        expected = [2 * s * 0.7, 2 * s * c * 0.7 + s * s]
        np.testing.assert_allclose([float(ga), float(gv)], expected, 1e-12)
        np.testing.assert_allclose([float(g) for g in both], expected, 1e-12)

    def test_outer_gradient_only_through_what_it_saw(self):
        v = tf.Variable(np.float64(0.7))
        with tf.GradientTape() as inner:
            y = v**3
            with tf.GradientTape() as outer:
                z = y * v
        g = inner.gradient(y, v)
        h = outer.gradient(z, v)
        np.testing.assert_allclose(float(g), 3 * 0.49, 1e-12)
        np.testing.assert_allclose(float(h), 0.7**3, 1e-12)
