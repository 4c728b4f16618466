"""The engine's rules 6 and 7: what memory is kept, and when values are copied."""

from __future__ import annotations

import gc
import inspect
import sys
import weakref
from types import FrameType

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.trace import state

from .training import Network, batch


class TestRule6Memory:
    """Handles are weak, nodes form no cycles, and a node keeps (code, line), never a frame."""

    def test_what_nobody_holds_is_not_computed(self):
        ran = []

        @op
        def spy(x):
            return jax.pure_callback(
                lambda a: (ran.append(1), a)[1], jax.ShapeDtypeStruct(x.shape, x.dtype), x
            )

        dropped = spy(tf.constant([1.0]))
        kept = tf.constant([1.0]) + 1.0
        del dropped
        kept.numpy()
        assert ran == []

    def test_no_cycles(self):
        """With the collector off, everything a step made is gone when its names are."""
        x, y = batch()
        net = Network()

        def step() -> None:
            float(net.step(x, y))
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    z = tf.reduce_sum(tf.sin(net.w))
                g = inner.gradient(z, net.w)
                w = tf.reduce_sum(g * g)
            outer.gradient(w, net.w).numpy()
            a, b = tf.split(net.w, 2)
            (a + b).numpy()

        for _ in range(2):  # from then on shapes are known: JAX leaves cycles where they are learnt
            step()
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for _ in range(3):
                step()
            gc.collect()
            ours = [o for o in gc.garbage if type(o).__module__.startswith("tapeflow")]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
        assert ours == []

    def test_values_go_with_their_names(self):
        gc.disable()
        try:
            x = tf.constant(np.zeros(1000, np.float32)) + 1.0
            y = tf.sin(x)
            for _ in range(6):
                y = y * 2.0
            y.numpy()
            x.numpy()
            references = [
                weakref.ref(t._node.value) for t in (x, y) if not isinstance(t._node.value, np.ndarray)
            ]
            tensors = [weakref.ref(t) for t in (x, y)]
            del x, y
            assert [r() for r in (*references, *tensors)] == [None] * len([*references, *tensors])
        finally:
            gc.enable()

    def test_no_frame_is_kept(self):
        class Big:
            pass

        seen = []

        def user_code():
            local = Big()
            seen.append(weakref.ref(local))
            return tf.identity([1.0]) * 2.0

        gc.disable()
        try:
            pending = user_code()
            assert seen[0]() is None
        finally:
            gc.enable()
        node = pending._node
        assert not any(isinstance(o, FrameType) for o in gc.get_referents(node))
        assert node.line() == f"{__file__}:{inspect.getsourcelines(user_code)[1] + 3}"
        pending.numpy()

    def test_all_that_is_live_comes_out_of_one_run(self, counting):
        x = tf.constant([1.0, 2.0])
        kept = []
        for _ in range(8):
            x = tf.sin(x)
            kept.append(x)
        with counting() as spent:
            for tensor in reversed(kept):
                tensor.numpy()
        assert (spent.on_host, spent.dispatched, spent.op_by_op) == (1, 0, 0)

    def test_a_program_with_more_outputs_is_used_again_where_what_is_held_changes_all_the_time(
        self, counting
    ):
        def run(keeps):
            x, kept = tf.constant([1.0, 2.0]), []
            for i in range(8):
                x = tf.sin(x)
                if i in keeps:
                    kept.append(x)
            return x.numpy()

        run(range(8))
        for i in range(7):
            run([i])
        with counting() as spent:
            for keeps in ((), (1, 2), (3, 5)):
                run(keeps)
        assert spent.compiled == 0

    def test_a_function_holds_its_arguments_once(self):
        v, f = tf.Variable(1.0), tf.function(lambda a: a * 2.0)
        f(v)
        before = sys.getrefcount(v)
        for _ in range(50):
            f(v)
        assert sys.getrefcount(v) <= before + 1

    def test_the_trace_keeps_nothing_that_has_run(self):
        net = Network()
        float(net.step(*batch()))
        run_pending()
        assert (len(state.trace.nodes), len(state.trace.leaves)) == (0, 0)


class TestRule7Copies:
    """numpy inputs are copied when recorded: the user may change them the next line."""

    @pytest.mark.parametrize(
        "use",
        [
            lambda a: tf.constant(a) + 0.0,
            lambda a: tf.convert_to_tensor(a),
            lambda a: tf.identity([0.0, 0.0]) + a,
            lambda a: a + tf.identity([0.0, 0.0]),
            lambda a: tf.Variable(a).value(),
            lambda a: tf.Variable([0.0, 0.0]).assign(a).value(),
            lambda a: tf.Variable([0.0, 0.0]).assign_add(a).value(),
            lambda a: tf.stack([a, a])[0],
            lambda a: tf.where([True, True], a, a),
            lambda a: tf.function(lambda x: x + 0.0)(a),
            lambda a: tf.constant([a, a])[1],
            lambda a: tf.reshape(a[None], [2]),
        ],
    )
    def test_floats(self, use):
        array = np.array([1.0, 2.0], np.float32)
        result = use(array)
        array[:] = 9.0
        np.testing.assert_array_equal(result, [1.0, 2.0])

    def test_large_arrays(self):
        """Large aligned arrays are those that JAX would rather not copy."""
        array = np.zeros(1 << 20, np.float32)
        tensor, v = tf.constant(array), tf.Variable(array)
        total = tf.reduce_sum(tensor + array)
        array[:] = 9.0
        assert float(total) == 0.0
        v.assign_add(tf.ones([1 << 20]))
        assert v.numpy().max() == 1.0
        assert tensor.numpy().max() == 0.0
        assert array.min() == 9.0

    def test_indices_and_output_gradients(self):
        index, seed = np.array([1, 0]), np.array([1.0, 2.0], np.float32)
        x = tf.Variable([5.0, 6.0])
        with tf.GradientTape() as tape:
            picked = tf.gather(x, index)
        gradient = tape.gradient(picked, x, output_gradients=seed)
        index[:], seed[:] = 0, 9.0
        np.testing.assert_array_equal(picked, [6.0, 5.0])
        np.testing.assert_array_equal(gradient, [2.0, 1.0])
