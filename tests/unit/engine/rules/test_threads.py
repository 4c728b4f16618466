"""The engine's rule 15: each thread records by itself, and one runs at a time."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.trace import state


class TestRule15Threads:
    """Recording is per thread, one lock around running, and tensors cross threads concrete."""

    def test_recording_is_per_thread(self):
        mine = tf.identity([1.0]) * 2.0
        seen = []

        def work():
            seen.append(len(state.trace.nodes))
            other = tf.identity([1.0]) * 3.0
            seen.append(len(state.trace.nodes))
            seen.append(state.tapes)
            other.numpy()

        with tf.GradientTape():
            mine = mine + 1.0
            before = len(state.trace.nodes)
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert seen == [0, 2, ()]
        assert len(state.trace.nodes) == before > 0
        np.testing.assert_array_equal(mine, [3.0])

    def test_a_pending_tensor_crosses(self):
        x = tf.identity([1.0, 2.0]) * 2.0
        results = []

        def work():
            y = x + 1.0
            results.append((x._node.value is not None, y.numpy().tolist()))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert results == [(True, [3.0, 5.0])]
        np.testing.assert_array_equal(x, [2.0, 4.0])

    def test_a_variable_crosses(self):
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])

        def work():
            v.assign_add([10.0, 10.0])

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        v.assign_add([100.0, 100.0])
        np.testing.assert_array_equal(v, [112.0, 113.0])

    def test_a_thread_that_ends_leaves_its_tensors_readable(self):
        made = []
        thread = threading.Thread(target=lambda: made.append(tf.identity([1.0]) * 5.0))
        thread.start()
        thread.join()
        del thread
        gc.collect()
        np.testing.assert_array_equal(made[0], [5.0])

    def test_a_function_recorded_in_one_thread_runs_in_another(self):
        v = tf.Variable(2.0)
        f = tf.function(lambda x: x * v)
        assert float(f(tf.constant(3.0))) == 6.0
        found = []
        thread = threading.Thread(target=lambda: found.append(float(f(tf.constant(4.0)))))
        thread.start()
        thread.join()
        assert found == [8.0]

    def test_recording_goes_on_while_another_thread_compiles(self):
        begun, naps = threading.Event(), [0.0]

        @op
        def slow(x):
            begun.set()
            time.sleep(naps[0])
            return x + 1

        v = tf.Variable([1.0])

        def work():
            v.assign_add(slow(tf.constant([1.0])))
            begun.clear()
            naps[0] = 1.5  # for the compilation, not for the shape
            run_pending()

        tf.sin(tf.identity([1.0])) + 1.0
        thread = threading.Thread(target=work)
        thread.start()
        while not (naps[0] and begun.is_set()):
            time.sleep(0.001)
        start = time.monotonic()
        y = tf.identity([1.0])
        for _ in range(3):
            y = tf.sin(y) + 1.0
        recorded_s = time.monotonic() - start
        thread.join()
        assert recorded_s < 0.75
        assert y.numpy().shape == (1,)
        assert v.numpy().tolist() == [3.0]

    def test_many_threads_train_each_its_own(self):
        results = []

        def train():
            w = tf.Variable(np.zeros((4, 1), np.float32))
            target = tf.constant([[1.0], [2.0], [3.0], [4.0]])
            for _ in range(40):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((w - target) ** 2)
                w.assign_sub(1.0 * tape.gradient(loss, w))
            results.append(w.numpy().ravel().tolist())

        threads = [threading.Thread(target=train) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(results) == 4
        assert all(r == results[0] for r in results)
