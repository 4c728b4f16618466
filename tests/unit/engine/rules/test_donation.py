"""The engine's rules 8 and 9: Variables are updated in place, and what a loop lets go of is freed."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import flight, program
from tapeflow.engine.programs.running import run_pending

from .training import Network, batch


class TestRule8Donation:
    """Donated buffers have one owner; a buffer somebody else holds is copied. Interrupts lose nothing."""

    def test_a_snapshot_survives_training(self):
        net, (x, y) = Network(is_read=True), batch()
        snapshots = [v.value() for v in net.variables]
        arrays = [v.numpy() for v in net.variables]
        for _ in range(5):
            net.step(x, y)
        run_pending()
        for snapshot, array in zip(snapshots, arrays, strict=True):
            np.testing.assert_array_equal(snapshot, array)

    def test_the_mask_is_fixed(self, counting):
        """Holding a snapshot copies; it does not compile a program without donation."""
        net, (x, y) = Network(is_read=True), batch()
        for _ in range(2):
            float(net.step(x, y))
        with counting() as spent:
            held = net.w.value()
            float(net.step(x, y))
            del held
            float(net.step(x, y))
        assert spent.compiled == 0
        assert spent.copied_for_donation == 1

    def test_a_step_donates_every_variable_it_writes(self, monkeypatch):
        made = []
        original = program.Program.__post_init__
        monkeypatch.setattr(
            program.Program, "__post_init__", lambda self: (original(self), made.append(self))[0]
        )
        program.clear_programs()
        net = Network(is_read=True)
        made.clear()
        float(net.step(*batch()))
        (only,) = made
        assert len(only.donated) == 6

    @pytest.mark.parametrize("is_staged", [False, True], ids=["lazy", "staged"])
    def test_a_snapshot_taken_by_another_thread_during_dispatch(self, is_staged, monkeypatch):
        """A thread that comes between the look at who holds a buffer and its donation."""
        v = tf.Variable(np.ones(1000, np.float32))
        staged = tf.function(lambda: v.assign_add(tf.ones([1000])))

        def step():
            if is_staged:
                staged()
            else:
                v.assign_add(tf.ones([1000]))
                run_pending()

        step()
        step()
        held, threads = [], []
        original = flight.Flight.take_off

        def take_off(self, function, arguments):
            threads.append(threading.Thread(target=lambda: held.append(v.value())))
            threads[-1].start()
            threads[-1].join(0.2)  # where readers wait for the dispatch, they get the new value
            original(self, function, arguments)

        monkeypatch.setattr(flight.Flight, "take_off", take_off)
        step()
        for thread in threads:
            thread.join(10)
        assert len(held) == 1
        assert held[0].numpy()[0] in (3.0, 4.0)
        assert v.numpy()[0] == 4.0

    def test_signals_while_training(self):
        """Ctrl-C at random moments of a real loop, in a process of its own; the Variables go on."""
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(_SIGNALS)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert int(done.stdout.split()[-1]) > 20


_SIGNALS = """
    import os, random, signal, threading, time
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process may have been told to ignore it
    import numpy as np
    import tapeflow as tf

    v = tf.Variable(np.zeros(1000, np.float32))
    step = tf.function(lambda: v.assign_add(tf.ones([1000])))

    def lazy():
        v.assign_add(tf.ones([1000]))
        v.numpy()

    for _ in range(3):
        step()
        lazy()
    hits, kills, turns, is_over = 0, 0, 0, False
    ready = threading.Event()

    def pester():
        global kills
        while not is_over:
            ready.wait()
            time.sleep(random.random() * 0.002)
            if ready.is_set():
                ready.clear()
                os.kill(os.getpid(), signal.SIGINT)
                kills += 1

    threading.Thread(target=pester, daemon=True).start()
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        turns += 1
        try:
            ready.set()
            while ready.is_set():
                step()
                lazy()
            while kills < turns:  # it is on its way
                time.sleep(0.001)
        except KeyboardInterrupt:
            hits += 1
        ready.clear()
        step()  # in peace: JAX itself cannot be interrupted while it compiles what is pending now
        lazy()
        a = v.numpy()
        assert a.min() == a.max()
    is_over = True
    before = v.numpy()[0]
    step()
    lazy()
    assert v.numpy()[0] == before + 2.0
    print("survived", hits)
"""


class TestRule9LettingGo:
    """A non-persistent tape lets go at `gradient`: names still bound pin no weights."""

    def test_a_loop_that_keeps_its_names_copies_nothing(self, counting):
        v = tf.Variable(np.ones(1000, np.float32))

        def steps(n):
            for _ in range(n):
                with tf.GradientTape() as tape:
                    h = v * 2.0
                    loss = tf.reduce_sum(h * h)
                gradient = tape.gradient(loss, v)
                v.assign_sub(0.01 * gradient)
                run_pending()
            return tape, h, loss, gradient

        held = steps(2)
        with counting() as spent:
            held = steps(5)
        assert spent.copied_for_donation == 0
        assert len(held) == 4

    def test_also_when_a_value_is_read_inside(self, counting):
        v = tf.Variable(np.ones(1000, np.float32))
        with counting() as spent:
            for _ in range(6):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(v * v)
                    float(loss)
                gradient = tape.gradient(loss, v)
                v.assign_sub(0.01 * gradient)
                run_pending()
        assert spent.copied_for_donation <= 1

    def test_the_old_weights_are_freed(self):
        gc.disable()
        try:
            v = tf.Variable(np.ones(1000, np.float32))
            v.assign_add(tf.ones([1000]))
            run_pending()
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v)
            old = weakref.ref(v._node.value)
            v.assign_sub(0.01 * tape.gradient(loss, v))
            run_pending()
            assert old() is None
            assert tape is not None
            assert float(loss) == 4000.0
        finally:
            gc.enable()

    def test_a_persistent_tape_keeps_what_it_needs(self):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            y = v * v * v
        for _ in range(3):
            v.assign_add([1.0, 1.0])
            run_pending()
        np.testing.assert_array_equal(tape.gradient(y, v), [3.0, 12.0])
