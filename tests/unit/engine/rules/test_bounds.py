"""The engine's rule 12: what is pending is bounded, whatever the loop."""

from __future__ import annotations

import gc
import resource
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.trace import state
from tapeflow.engine.settings import settings

from .training import computed


def _resident_mb() -> float:
    """The memory this process has now; its peak where the system does not tell."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class TestRule12Bounds:
    """An endless loop that never reads a value runs in constant memory and compiles a program or two."""

    STEPS = 20_000

    def grows(self, loop) -> float:
        """By how many megabytes the process grows over the second half of a long loop."""
        loop(self.STEPS // 2)
        run_pending()
        gc.collect()
        before = _resident_mb()
        loop(self.STEPS // 2)
        run_pending()
        return _resident_mb() - before

    def test_assignments(self, counting):
        v = tf.Variable(0.0)

        def loop(n):
            for _ in range(n):
                v.assign_add(1.0)

        with counting() as spent:
            grown = self.grows(loop)
        assert grown < 40
        assert spent.compiled <= 4
        assert float(v) == self.STEPS

    def test_tensors(self, counting):
        values = [tf.constant(1.0)]

        def loop(n):
            x = values[0]
            for _ in range(n):
                x = x * 0.999 + 0.1
            values[0] = x

        with counting() as spent:
            grown = self.grows(loop)
        assert grown < 40
        assert spent.compiled <= 4
        np.testing.assert_allclose(float(values[0]), 100.0, 1e-2)

    def test_tape_steps(self, counting):
        v = tf.Variable(10.0)

        def loop(n):
            for _ in range(n):
                with tf.GradientTape() as tape:
                    loss = v * v
                v.assign_sub(0.001 * tape.gradient(loss, v))

        with counting() as spent:
            grown = self.grows(loop)
        assert grown < 60
        assert spent.compiled <= 4
        assert abs(float(v)) < 1e-6

    def test_tape_steps_without_variables(self, counting):
        """The state is a tensor that each step replaces: nothing but the bound ends the expression."""
        values = [tf.constant(1.0)]
        settings.soft_nodes, settings.hard_nodes = 64, 256

        def loop(n):
            x = values[0]
            for _ in range(n):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x * x
                x = x - 0.01 * tape.gradient(y, x)
            values[0] = x

        with counting() as spent:
            loop(600)
            float(values[0])
        assert spent.compiled <= 6
        np.testing.assert_allclose(float(values[0]), 0.98**600, 1e-3)

    def test_one_long_tape(self):
        """All of it must stay differentiable, so only the end of the tape bounds it; it must work."""
        settings.soft_nodes, settings.hard_nodes = 16, 64
        v = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = v * 1.0
            for _ in range(100):
                y = y * 1.01
        np.testing.assert_allclose(tape.gradient(y, v), 1.01**100, 1e-5)

    def test_what_a_tape_does_not_follow_is_bounded_inside_it(self):
        settings.soft_nodes, settings.hard_nodes = 16, 64
        x, v = tf.constant(1.0), tf.Variable(2.0)
        most = 0
        with tf.GradientTape() as tape:
            y = v * v
            for _ in range(300):
                x = x * 0.999 + 0.1
                most = max(most, len(state.trace.nodes))
            z = y * x
        assert most < 200
        gradient = tape.gradient(z, v)
        np.testing.assert_allclose(gradient, 4.0 * float(x), 1e-5)

    def test_bytes_of_results_are_bounded(self):
        settings.soft_bytes, settings.hard_bytes = 1 << 20, 1 << 22
        kept = None
        most = 0
        for i in range(60):
            kept = tf.ones([1 << 16]) * float(i)  # 256 KB
            most = max(most, sum(n.spec.nbytes for n in state.trace.nodes if type(n.spec) is not tuple))
        assert most < 2 << 22
        assert float(kept[0]) == 59.0

    def test_bytes_of_inputs_are_bounded(self):
        """Each step brings a batch of its own; a program that waits for 100 of them holds 100."""
        settings.soft_bytes, settings.hard_bytes = 1 << 20, 1 << 22
        v = tf.Variable(0.0)
        most = 0
        for _ in range(60):
            v.assign_add(tf.reduce_mean(np.ones(1 << 16, np.float32)))
            most = max(most, sum(n.spec.nbytes for n in state.trace.leaves))
        assert most < 2 << 22
        assert float(v) == 60.0

    @pytest.mark.parametrize("soft", [5, 6, 7, 8, 9, 10, 11])
    def test_a_cut_anywhere_loses_nothing(self, soft):
        """The bound may come between any two ops: casts, parts of results, gradients, assignments."""
        settings.soft_nodes, settings.hard_nodes = soft, soft + 3
        i = computed([1, 2])
        i.numpy()
        total, v = tf.zeros([2]), tf.Variable([1.0, 1.0])
        for k in range(12):
            a, b = tf.split(total + i * 0.5, 2)
            total = tf.concat([b, a], 0) + tf.convert_to_tensor([a[0], 1.0 * k])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v * v * total)
            v.assign_sub(1e-4 * tape.gradient(y, v))
        expected, w = np.zeros(2, np.float32), np.ones(2, np.float32)
        for k in range(12):
            a, b = expected + np.float32([0.5, 1.0])
            expected = np.float32([b + a, a + k])
            w = w - np.float32(1e-4) * 2 * w * expected
        np.testing.assert_allclose(total, expected, 1e-5)
        np.testing.assert_allclose(v, w, 1e-5)

    def test_python_objects_do_not_pile_up(self):
        v = tf.Variable(0.0)

        def loop():
            for _ in range(2000):
                v.assign_add(1.0)
            run_pending()
            gc.collect()

        loop()
        tracemalloc.start()
        loop()
        before = tracemalloc.get_traced_memory()[0]
        loop()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 50_000
        assert sum(isinstance(o, Node) for o in gc.get_objects()) < 2000
