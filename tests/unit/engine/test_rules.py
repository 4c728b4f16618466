"""The sixteen rules of the design (docs/architecture.md), one class each: each test fails if its rule is broken."""

from __future__ import annotations

import gc
import inspect
import re
import resource
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
import warnings
import weakref
from pathlib import Path
from types import FrameType

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import random
from tapeflow.engine.programs import flight, program
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import effect
from tapeflow.engine.recording.trace import state
from tapeflow.engine.settings import settings


def computed(values) -> tf.Tensor:
    """Integers the host does not know."""
    return tf.cast(tf.identity(np.asarray(values, np.float32)), tf.int32)


def bits(tensor) -> bytes:
    return np.asarray(tensor).tobytes()


class Network:
    """A small network with everything a training step has: weights, Adam's slots, a random mask."""

    def __init__(self, seed: int = 0, is_read: bool = False) -> None:
        tf.random.set_seed(seed)
        self.w = tf.Variable(tf.random.normal([8, 16]) * 0.3)
        self.b = tf.Variable(tf.zeros([16]) + 0.1)
        self.out = tf.Variable(tf.random.uniform([16, 1], -0.5, 0.5))
        self.variables = [self.w, self.b, self.out]
        self.slots = [tf.Variable(tf.zeros_like(v)) for v in self.variables]
        if is_read:
            for v in (*self.variables, *self.slots):
                v.numpy()

    def step(self, x, y, rate=0.01):
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ self.w + self.b)
            h = h * tf.cast(tf.random.uniform([16]) > 0.2, tf.float32)
            loss = tf.reduce_mean((h @ self.out - y) ** 2)
        gradients = tape.gradient(loss, self.variables)
        for v, slot, g in zip(self.variables, self.slots, gradients, strict=True):
            slot.assign(0.9 * slot + 0.1 * g * g)
            v.assign_sub(rate * g / (tf.sqrt(slot) + 1e-3))
        return loss

    def state(self) -> list[bytes]:
        return [bits(v) for v in (*self.variables, *self.slots)]


def batch(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(32, 8)).astype(np.float32), rng.normal(size=(32, 1)).astype(np.float32)


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
        assert (spent.dispatched, spent.op_by_op) == (1, 0)

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


class TestRule10DataDependentShapes:
    """Ops whose shape depends on data materialise and count as a read; shapes stay with the host."""

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: tf.boolean_mask(x, x > 1.0),
            lambda x: x[x > 1.0],
            lambda x: tf.unique(x)[0],
            lambda x: tf.where(x > 1.0),
            lambda x: tf.range(tf.cast(tf.reduce_sum(x), tf.int32)),
        ],
        ids=["boolean_mask", "mask index", "unique", "where", "range"],
    )
    def test_materialise_and_count_as_a_read(self, function, counting):
        staged = tf.function(function)
        with pytest.warns(UserWarning, match=rf"is run as plain Python: at {re.escape(__file__)}:\d+"):
            first = staged(tf.constant([1.0, 2.0, 3.0]))
        second = staged(tf.constant([3.0, 1.0, 1.0]))
        np.testing.assert_array_equal(second, function(tf.constant([3.0, 1.0, 1.0])))
        assert first.shape != second.shape or first.shape == (3,)

    def test_shapes_run_nothing(self, counting):
        x = tf.random.normal([4, 6])
        with counting() as spent:
            rows, columns = tf.shape(x)[0], tf.shape(x)[1]
            y = tf.reshape(x, [rows * 2, columns // 2])
            z = tf.zeros([rows, columns + 1])
            t = tf.reshape(x, tf.stack([rows, -1]))
            u = tf.range(rows)
            w = tf.ones(tf.shape(x))
            assert [s.shape for s in (y, z, t, u, w)] == [(8, 3), (4, 7), (4, 6), (4,), (4, 6)]
        assert (spent.dispatched, spent.op_by_op) == (0, 0)

    def test_shapes_do_not_keep_a_function_from_being_staged(self):
        @tf.function
        def flat(x):
            return tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1]]) + tf.cast(tf.size(x), tf.float32)

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                assert flat(tf.ones([2, 3])).shape == (6,)
        assert flat.experimental_get_tracing_count() == 1


class TestRule11Effects:
    """Effects are ordered and happen though nobody reads them; out of range raises in every mode."""

    def test_order_in_a_function(self):
        seen = []

        @tf.function
        def noisy(x):
            effect(lambda a: seen.append(("first", float(a))), x)
            y = x * 2.0
            effect(lambda a: seen.append(("second", float(a))), y)
            effect(lambda: seen.append(("third", None)))
            effect(lambda a: seen.append(("fourth", float(a))), x)

        for value in (1.0, 5.0):
            seen.clear()
            noisy(tf.constant(value))
            assert seen == [("first", value), ("second", 2 * value), ("third", None), ("fourth", value)]

    def test_with_assignments_between(self):
        seen, v = [], tf.Variable(0.0)

        @tf.function
        def count():
            effect(lambda a: seen.append(float(a)), v.value())
            v.assign_add(1.0)
            effect(lambda a: seen.append(float(a)), v.value())

        for _ in range(3):
            count()
        assert seen == [0.0, 1.0, 1.0, 2.0, 2.0, 3.0]

    def test_printing(self, capfd):
        @tf.function
        def talk(x):
            tf.print("a", x)
            tf.print("b", x + 1)

        for value in (1, 5):
            talk(tf.constant(value))
        assert capfd.readouterr().err.split() == ["a", "1", "b", "2", "a", "5", "b", "6"]

    def test_eager_effects_happen_at_once(self):
        seen = []
        effect(lambda a: seen.append(float(a)), tf.identity(2.0) * 3.0)
        assert seen == [6.0]

    @pytest.mark.parametrize("mode", ["lazy", "op by op", "staged"])
    def test_out_of_range(self, mode):
        x = tf.constant([1.0, 2.0, 3.0])

        def pick(i):
            return tf.gather(x, i)

        line = inspect.getsourcelines(pick)[1] + 1
        settings.op_by_op = mode == "op by op"
        call = tf.function(pick) if mode == "staged" else pick
        assert call(computed([2])).numpy().tolist() == [3.0]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=rf"7.*\[0, 3\).*{re.escape(__file__)}:{line}"
        ):
            call(computed([7])).numpy()

    def test_assertions_in_a_function(self):
        @tf.function
        def positive(x):
            tf.debugging.assert_positive(x)
            return x * 2.0

        assert positive(tf.constant(1.0)).numpy() == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            positive(tf.constant(-1.0)).numpy()


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


class TestRule13Counters:
    """Random state is a counter that can be saved; building and shape inference never advance it."""

    def test_shapes_and_failed_ops(self):
        counter = random.counter_for(None)
        before = counter.count
        tf.random.normal([3, 4]).shape  # noqa: B018
        assert counter.count == before + 1
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.random.normal([3]) + tf.ones([4])
        assert counter.count == before + 2

    def test_saved_and_restored(self):
        generator = tf.random.Generator.from_seed(1)
        generator.normal([2])
        saved = generator.state.numpy()
        expected = [generator.normal([2]).numpy().tolist() for _ in range(2)]
        generator.reset(saved)
        assert [generator.normal([2]).numpy().tolist() for _ in range(2)] == expected

    def test_generators_are_independent(self):
        a, b = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
        tf.random.normal([2])
        expected = a.normal([2]).numpy().tolist()
        tf.random.normal([2])
        assert b.normal([2]).numpy().tolist() == expected

    def test_recording_a_function_draws_as_often_as_calling_it(self):
        counter = random.counter_for(None)
        staged = tf.function(lambda: tf.random.normal([2]))
        for _ in range(3):
            before = counter.count
            staged()
            assert counter.count == before + 1


class TestRule14ForeignTraces:
    """Under the user's own JAX transformation ops run at once on the tracers and register nothing."""

    def function(self, x):
        t = tf.convert_to_tensor(x)
        return jnp.asarray(tf.reduce_sum(tf.sin(t) * t + 2.0))

    def test_jit_grad_and_vmap(self):
        x = jnp.arange(3, dtype=jnp.float32)
        expected = jnp.sum(jnp.sin(x) * x + 2.0)
        np.testing.assert_allclose(jax.jit(self.function)(x), expected, 1e-6)
        np.testing.assert_allclose(jax.grad(self.function)(x), jnp.sin(x) + x * jnp.cos(x), 1e-6)
        rows = jnp.ones((2, 3), jnp.float32)
        np.testing.assert_allclose(jax.vmap(self.function)(rows), [float(self.function(rows[0]))] * 2, 1e-6)
        np.testing.assert_allclose(
            jax.jit(jax.vmap(jax.grad(self.function)))(rows), jnp.sin(rows) + rows * jnp.cos(rows), 1e-6
        )

    def test_registers_nothing(self):
        before = len(state.trace.nodes)
        jax.jit(self.function)(jnp.ones(3, jnp.float32))
        jax.grad(self.function)(jnp.ones(3, jnp.float32))
        assert len(state.trace.nodes) == before
        with jax.checking_leaks():
            jax.jit(self.function)(jnp.ones(4, jnp.float32))

    def test_meets_tensors_and_variables(self):
        v, pending = tf.Variable(2.0), tf.identity([1.0, 2.0, 3.0]) * 2.0

        def mixed(x):
            return jnp.asarray(tf.reduce_sum(tf.convert_to_tensor(x) * v * pending))

        x = jnp.ones(3, jnp.float32)
        assert jax.jit(mixed)(x) == 24.0
        np.testing.assert_array_equal(jax.grad(mixed)(x), [4.0, 8.0, 12.0])
        np.testing.assert_array_equal(pending, [2.0, 4.0, 6.0])

    def test_materialising_inside(self):
        pending = [tf.identity([1.0, 2.0]) * 3.0]
        for _ in range(6):
            pending.append(pending[-1] + 1.0)
        seen = []

        def reads(x):
            seen.append(float(pending[-1][0]))
            scale = float(tf.reduce_sum(tf.constant([1.0, 2.0]) * 2.0))
            return x * scale

        np.testing.assert_array_equal(jax.jit(reads)(jnp.ones(2, jnp.float32)), [6.0, 6.0])
        assert seen == [9.0]
        np.testing.assert_array_equal(pending[-1], [9.0, 12.0])

    def test_training_inside_a_trace(self):
        """A Variable that is written while tracing holds a value afterwards, not a tracer."""
        v = tf.Variable([1.0, 2.0])

        def traced(x):
            v.assign_add([1.0, 1.0])
            return x + float(v[0])

        assert jax.jit(traced)(jnp.float32(1.0)) == 3.0
        np.testing.assert_array_equal(v, [2.0, 3.0])

    def test_a_tracer_cannot_be_assigned(self):
        v = tf.Variable(1.0)

        def leaks(x):
            v.assign(tf.convert_to_tensor(x))
            return x

        with pytest.raises((TypeError, ValueError, RuntimeError), match="jax|JAX|trac"):
            jax.jit(leaks)(jnp.float32(3.0))
        assert float(v) == 1.0

    def test_several_results_and_indexing(self):
        def parts(x):
            a, b = tf.split(tf.convert_to_tensor(x), 2)
            return jnp.asarray(a[0] * b[-1])

        assert jax.jit(parts)(jnp.array([2.0, 3.0, 4.0, 5.0], jnp.float32)) == 10.0

    def test_reading_a_tracer(self):
        def reads(x):
            return x * float(tf.convert_to_tensor(x))

        with pytest.raises((jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)):
            jax.jit(reads)(jnp.float32(1.0))
        assert (tf.identity(1.0) + 1.0).numpy() == 2.0


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


class TestRule16Dtypes:
    """x64 is on and every dtype explicit: nothing of a float32 step is computed in float64."""

    def test_x64_is_on(self):
        assert jax.config.jax_enable_x64
        assert (tf.constant(1.0, tf.float64) / 3.0).numpy() == 1.0 / 3.0
        assert (tf.constant(2**40) + 1).numpy() == 2**40 + 1

    def test_no_float64_in_a_float32_training_step(self, monkeypatch):
        made = []
        original = program.Program.__post_init__
        monkeypatch.setattr(
            program.Program, "__post_init__", lambda self: (original(self), made.append(self))[0]
        )
        program.clear_programs()
        net = Network(is_read=True)
        made.clear()
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                z = tf.reduce_mean(tf.nn.softmax(net.w * 2 + 1)) + tf.reduce_sum(
                    tf.scan(lambda a, b: a * b, net.b)
                )
            g = inner.gradient(z, net.w)
            penalty = tf.reduce_sum(g**2) / 3
        outer.gradient(penalty, net.w).numpy()
        float(net.step(*batch(), rate=0.5))
        assert len(made) >= 2
        for compiled in made:
            avals = [
                jax.ShapeDtypeStruct(compiled.leaf_keys[i].shape, compiled.leaf_keys[i].np_dtype)
                for i in compiled.direct
            ]
            avals += [jax.ShapeDtypeStruct((len(found),), dtype) for dtype, found in compiled.packs]
            text = str(jax.make_jaxpr(compiled.evaluate)(*avals))
            assert "f64[" not in text

    def test_python_scalars_take_the_tensors_dtype(self):
        for name in ("float16", "bfloat16", "float32", "float64", "int8", "int64", "uint8"):
            tensor = tf.constant([1], dtype=name)
            assert (tensor + 1).dtype.name == name
            assert (2 * tensor).dtype.name == name

    def test_an_integer_tensor_met_with_a_python_float(self):
        for i in (tf.constant([1, 2]), computed([1, 2]), tf.Variable([1, 2]), tf.constant([1, 2], tf.int64)):
            for result in (i * 0.5, 0.5 * i, i + 0.5, i / 2.0 if i.dtype == tf.int32 else i * 0.5):
                assert result.dtype.is_floating
            assert (i * 0.5).dtype is tf.float32
            np.testing.assert_array_equal(i * 0.5, [0.5, 1.0])

    def test_gradients_have_the_dtype_of_their_source(self):
        for name in ("float16", "bfloat16", "float32", "float64"):
            v = tf.Variable([1.0, 2.0], dtype=name)
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v * v * 0.5)
            assert tape.gradient(y, v).dtype.name == name
