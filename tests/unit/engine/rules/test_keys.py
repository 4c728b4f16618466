"""The engine's rules 3 to 5: a key alone decides how a step runs, and numbers are inputs, not parts of the key."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import random
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.op import op
from tapeflow.engine.settings import settings

from .training import Network, batch, computed


class TestRule3KeyAlone:
    """How a key runs depends on the key alone, so a first step has the bits of any other."""

    def test_first_step_and_later_steps(self):
        x, y = batch()
        net = Network()
        net.step(x, y)
        first = net.state()
        for _ in range(3):
            net.step(x, y)
            run_pending()
        net.__init__()
        for v in (*net.variables, *net.slots):
            v.numpy()
        net.step(x, y)
        assert net.state() == first

    def test_initial_values_pending_or_read(self):
        """A network restored from a file starts from values; a fresh one from what is pending."""
        x, y = batch()
        results = []
        for is_read in (False, True):
            net = Network(is_read=is_read)
            for _ in range(3):
                net.step(x, y)
            results.append(net.state())
        assert results[0] == results[1]

    def test_reading_the_loss_or_not(self):
        x, y = batch()
        results = []
        for reads in (False, True):
            net = Network()
            for _ in range(4):
                loss = net.step(x, y)
                if reads:
                    float(loss)
            results.append(net.state())
        assert results[0] == results[1]

    def test_resumed_from_its_state(self):
        x, y = batch()
        straight = Network()
        for _ in range(6):
            straight.step(x, y)
        first = Network()
        for _ in range(3):
            first.step(x, y)
        saved = [v.numpy() for v in (*first.variables, *first.slots)]
        draws = random.counter_for(None).count
        resumed = Network(seed=0, is_read=True)
        for v, value in zip((*resumed.variables, *resumed.slots), saved, strict=True):
            v.assign(value)
        random.counter_for(None).count = draws
        for _ in range(3):
            resumed.step(x, y)
        assert resumed.state() == straight.state()

    def test_gradients_and_writes_compile_at_first_sight(self, counting):
        v = tf.Variable([1.0, 2.0])
        with counting() as spent:
            v.assign_add([1.0, 1.0])
            run_pending()
            with tf.GradientTape() as tape:
                y = v * v
            tape.gradient(y, v).numpy()
        assert spent.op_by_op == 0


class TestRule4Keys:
    """Statics are told apart by type and bits; functions by what they do."""

    def test_statics(self, counting):
        @op
        def shifted(x, *, by):
            return x + jnp.asarray(by, x.dtype)

        def run(by):
            x = tf.constant([1.0])
            for _ in range(settings.handful + 1):
                x = shifted(x, by=by)
            return x.numpy()

        settings.hosted_elements = 0
        statics = [1, True, 1.0, 0.0, -0.0, 0, False, float("nan")]
        with counting() as spent:
            for by in statics:
                run(by)
        assert spent.compiled == len(statics)
        with counting() as spent:
            for by in [*statics, float("nan")]:
                run(by)
        assert spent.compiled == 0

    def test_functions_by_structure(self, counting):
        x = tf.constant([1.0, 2.0])

        def with_new_functions(scale):
            def step(a, e):
                return tf.tanh(a * scale) + e

            y = tf.scan(step, x, tf.constant(0.0))
            y = tf.map_fn(lambda e: e * scale, y)
            return tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * scale), (0, y))[1].numpy()

        with_new_functions(0.5)
        with counting() as spent:
            for scale in (0.25, 0.75):
                with_new_functions(scale)
        assert spent.compiled == 0

    def test_functions_that_differ(self):
        x = tf.constant([1.0, 2.0])
        functions = [lambda e: e * 2.0, lambda e: e + 2.0, lambda e: 2.0 - e, lambda e: e - 2.0]
        found = [tf.map_fn(f, x).numpy().tolist() for f in functions]
        assert found == [[2.0, 4.0], [3.0, 4.0], [1.0, 0.0], [-1.0, 0.0]]


class TestRule5Inputs:
    """Python numbers and arrays are inputs of a program: changing them compiles nothing."""

    def many(self, x):
        for _ in range(settings.handful + 1):
            x = tf.sin(x)
        return x

    @pytest.mark.parametrize(
        "value",
        [
            lambda i: 0.1 * i,
            lambda i: i,
            lambda i: np.float32(0.1 * i),
            lambda i: np.full(3, i, np.float32),
            lambda i: [0.1 * i, 2.0, 3.0],
            lambda i: tf.constant(0.1 * i),
        ],
        ids=["float", "int", "numpy number", "array", "list", "constant"],
    )
    def test_numbers_and_arrays(self, value, counting):
        x = tf.constant([1.0, 2.0, 3.0])
        (self.many(x) * value(1)).numpy()
        with counting() as spent:
            found = [(self.many(x) * value(i)).numpy() for i in (2, 3, 4)]
        assert spent.compiled == 0
        assert len({f.tobytes() for f in found}) == 3

    @pytest.mark.parametrize(
        "index",
        [
            lambda x, i: x[i],
            lambda x, i: x[i : i + 2],
            lambda x, i: x[:, i],
            lambda x, i: x[computed(i)],
            lambda x, i: tf.gather(x, i),
            lambda x, i: tf.gather(x, [i, 0]),
            lambda x, i: x[-i],
        ],
        ids=["integer", "slice", "column", "tensor", "gather", "gather list", "negative"],
    )
    def test_indices(self, index, counting):
        x = tf.constant(np.arange(36.0, dtype=np.float32).reshape(6, 6))
        index(self.many(x), 1).numpy()
        with counting() as spent:
            found = [index(self.many(x), i).numpy() for i in (2, 3)]
        assert spent.compiled == 0
        assert found[0].tobytes() != found[1].tobytes()

    def test_a_changing_learning_rate(self, counting):
        x, y = batch()
        net = Network()
        for rate in (0.1, 0.1):
            float(net.step(x, y, rate))
        with counting() as spent:
            for i in range(5):
                float(net.step(*batch(i), rate=0.1 / (i + 1)))
        assert (spent.compiled, spent.dispatched) == (0, 5)

    def test_exponents_axes_and_shapes_are_static(self):
        """They decide how a thing is computed or its shape, so they are part of the key."""
        x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
        assert [tf.reduce_sum(self.many(x) * 0.0 + x, axis=a).shape for a in (0, 1, None)] == [(2,), (2,), ()]
        assert [tf.reshape(x, s).shape for s in ([4], [2, 2], [1, -1])] == [(4,), (2, 2), (1, 4)]
        v = tf.Variable([0.0, -2.0])
        for n, expected in ((2, [0.0, -4.0]), (3, [0.0, 12.0])):
            with tf.GradientTape() as tape:
                y = v**n
            np.testing.assert_array_equal(tape.gradient(y, v), expected)
