"""Programs: when one is compiled, when it is used again, and what interrupts and threads do to it."""

from __future__ import annotations

import linecache
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import program, running
from tapeflow.engine.programs.host import host_function
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording.trace import state
from tapeflow.engine.settings import settings

ENGINE = str(Path(program.__file__).parents[1])


@pytest.fixture(autouse=True)
def _compiled():
    """These arrays are small, and would be computed on the host."""
    settings.hosted_elements = 0


def chain(x, n=8):
    """More ops than the handful that runs op by op."""
    for _ in range(n):
        x = tf.sin(x) + 0.5
    return x


def program_list(tensor):
    """The program that running a tensor's trace uses."""
    found = []
    whole = running.program_for

    def noted(*arguments):
        found.append(whole(*arguments))
        return found[-1]

    running.program_for = noted
    try:
        tensor.numpy()
    finally:
        running.program_for = whole
    return found


class TestOutputs:
    """A program gives what is asked for, whatever was asked for before: another output may change a last bit."""

    def outputs(self, is_held: bool) -> tuple[int, ...]:
        middle = chain(tf.constant([1.0, 2.0]))
        last = chain(middle)
        kept = middle if is_held else None
        del middle
        (program,) = {id(p): p for p in program_list(last)}.values()
        del kept
        return program.outputs

    def test_do_not_depend_on_what_was_held_before(self):
        few = self.outputs(is_held=False)
        many = self.outputs(is_held=True)
        assert (len(few), len(many)) == (1, 2)
        program.clear_programs()
        assert self.outputs(is_held=True) == many
        assert self.outputs(is_held=False) == few

    def test_that_change_all_the_time_share_programs(self, counting):
        def run(which):
            parts = [chain(tf.constant([1.0, 2.0]), 1)]
            for _ in range(11):
                parts.append(tf.sin(parts[-1]))
            kept = [p for i, p in enumerate(parts[:-1]) if which >> i & 1]
            last = parts[-1]
            del parts
            last.numpy()
            return kept

        for which in range(12):
            run(which)
        with counting() as spent:
            for which in range(12):
                run(which)
        assert spent.compiled <= 4


class TestCounters:
    def test_one_program_for_one_expression(self, counting):
        x = tf.constant([1.0, 2.0])
        chain(x).numpy()
        with counting() as spent:
            for _ in range(3):
                chain(x).numpy()
        assert (spent.compiled, spent.dispatched, spent.op_by_op) == (0, 3, 0)

    def test_another_structure_is_another_program(self, counting):
        x = tf.constant([1.0, 2.0])
        program.clear_programs()
        with counting() as spent:
            chain(x, 8).numpy()
            chain(x, 9).numpy()
            chain(tf.constant([1.0, 2.0, 3.0]), 8).numpy()
            chain(tf.constant([1.0, 2.0], tf.float64), 8).numpy()
            tf.cos(chain(x, 8)).numpy()
        assert spent.compiled == 5

    def test_the_order_of_inputs_matters(self):
        x, y = tf.constant([3.0]), tf.constant([5.0])
        assert float((chain(x) * 0.0 + x - y)[0]) == -2.0
        assert float((chain(x) * 0.0 + y - x)[0]) == 2.0

    def test_one_tensor_in_two_places(self):
        """x + x and x + y are different expressions even where x and y look alike."""
        x, y = tf.constant([3.0]), tf.constant([5.0])
        assert float((chain(x) * 0.0 + (x + x))[0]) == 6.0
        assert float((chain(x) * 0.0 + (x + y))[0]) == 8.0

    def test_all_that_is_wanted_comes_out_of_one_run(self, counting):
        x = tf.constant([1.0, 2.0])
        a = chain(x)
        b, c = a * 2.0, a * 3.0
        with counting() as spent:
            for tensor in (c, a, b):
                tensor.numpy()
        assert (spent.dispatched, spent.op_by_op) == (1, 0)

    def test_what_was_missing_is_added(self, counting):
        x = tf.constant([1.0, 2.0])
        program.clear_programs()

        def run(which):
            a = chain(x)
            b, c = tf.exp(a), tf.cos(a)
            wanted = {"a": a, "b": b, "c": c}[which]
            del a, b, c
            return wanted.numpy()

        with counting() as spent:
            for which in ("a", "b", "c", "a", "b", "c", "a"):
                run(which)
        assert spent.compiled == 3

    def test_exposed_to_users(self):
        assert tf.debugging.engine_counters is not None


class TestOpByOp:
    def test_a_handful(self, counting):
        x = tf.constant([1.0, 2.0])
        with counting() as spent:
            (x + 1.0).numpy()
        assert (spent.compiled, spent.dispatched, spent.op_by_op) == (0, 0, 1)

    def test_what_was_recorded_and_let_go_does_not_count(self, counting):
        x = tf.constant([1.0, 2.0])
        with counting() as spent:
            chain(x)
            (x + 1.0).numpy()
        assert (spent.compiled, spent.dispatched, spent.op_by_op) == (0, 0, 1)

    def test_the_threshold(self, counting):
        x = tf.constant([1.0, 2.0])
        program.clear_programs()
        for n in (settings.handful, settings.handful + 1):
            y = x
            for _ in range(n):
                y = tf.sin(y)
            with counting() as spent:
                y.numpy()
            assert (spent.op_by_op, spent.dispatched) == ((1, 0) if n == settings.handful else (0, 1))

    def test_not_with_a_write_or_a_gradient(self, counting):
        v = tf.Variable([1.0, 2.0])
        with counting() as spent:
            v.assign_add([1.0, 1.0])
            v.numpy()
            with tf.GradientTape() as tape:
                y = v * v
            tape.gradient(y, v).numpy()
        assert spent.op_by_op == 0
        assert spent.dispatched == 2

    def test_switch(self, counting):
        settings.op_by_op = True
        with counting() as spent:
            x = tf.constant([1.0, 2.0])
            y = chain(x, 2)
        assert spent.op_by_op == 4
        assert spent.compiled == 0
        np.testing.assert_allclose(y, np.sin(np.sin([1.0, 2.0]) + 0.5) + 0.5, 1e-6)

    def test_switch_with_everything(self):
        """Several results, gradients of both orders, assignments, loops: all op by op."""
        results = []
        for settings.op_by_op in (False, True):
            v = tf.Variable([0.3, 0.6, 0.9, 1.2])
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    a, b = tf.split(v * v, 2)
                    y = tf.reduce_sum(tf.sin(a) * b) + tf.reduce_sum(tf.scan(lambda s, e: s * e, v))
                g = inner.gradient(y, v)
                z = tf.reduce_sum(g * g)
            h = outer.gradient(z, v)
            v.assign_sub(0.1 * g)
            v[0].assign(5.0)
            results.append([y, g, h, v.value()])
        for lazy, eager in zip(*results, strict=True):
            np.testing.assert_allclose(lazy, eager, 1e-5)

    def test_the_error_is_raised_at_the_op(self):
        settings.op_by_op = True
        x = tf.constant([1.0, 2.0])
        i = tf.cast(x * 7.0, tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(x, i)
        assert (x + 1.0).numpy().tolist() == [2.0, 3.0]


class TestHostFunctions:
    """A handful of small ops is computed with numpy; results must be those of the compiled program."""

    FLOATS = np.array(
        [0.0, -0.0, 1.0, -1.5, 2.5, 0.49999997, 1e30, -1e30, np.inf, -np.inf, np.nan], np.float32
    )
    INTEGERS = np.array([0, 1, -1, 7, -7, 100, 2**31 - 1, -(2**31)], np.int32)

    @pytest.mark.parametrize(
        "name",
        ["abs", "negative", "sign", "square", "exp", "tanh", "sigmoid", "floor", "round"]
        + ["reduce_sum", "reduce_max", "reduce_min", "reduce_mean", "argmax", "argmin", "cumsum", "sort"],
    )
    @pytest.mark.parametrize("array", [FLOATS, INTEGERS], ids=["floats", "integers"])
    def test_of_one(self, name, array):
        function = getattr(tf, name)
        try:
            alone = function(tf.constant(array)).numpy()
        except tf.errors.InvalidArgumentError:
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.function(function)(tf.constant(array))
            return
        compiled = tf.function(function)(tf.constant(array)).numpy()
        assert alone.dtype == compiled.dtype
        np.testing.assert_allclose(alone, compiled, 1e-6)

    @pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "less", "equal"])
    @pytest.mark.parametrize("array", [FLOATS, INTEGERS], ids=["floats", "integers"])
    def test_of_two(self, name, array):
        function = getattr(tf, name)
        x, y = tf.constant(np.repeat(array, len(array))), tf.constant(np.tile(array, len(array)))
        np.testing.assert_array_equal(function(x, y), tf.function(function)(x, y))

    @pytest.mark.parametrize("target", ["int32", "uint8", "int64", "bool", "float64"])
    def test_casts(self, target):
        x = tf.constant(self.FLOATS)
        cast = lambda t: tf.cast(t, target)  # noqa: E731
        np.testing.assert_array_equal(cast(x), tf.function(cast)(x))

    def test_integer_division(self):
        x, y = np.array([7, -7, 7, -7, -(2**31)], np.int32), np.array([2, 2, -2, -2, 2], np.int32)
        closed = jax.make_jaxpr(jax.lax.div)(x, y)
        function = host_function(closed)
        assert function is not None
        np.testing.assert_array_equal(function(x, y)[0], jax.lax.div(x, y))
        closed = jax.make_jaxpr(jax.lax.rem)(x, y)
        np.testing.assert_array_equal(host_function(closed)(x, y)[0], jax.lax.rem(x, y))

    def test_views_are_never_written_through(self):
        x = tf.constant(np.zeros(8, np.float32))
        y = tf.reshape(tf.identity(x), [2, 4])
        array = y.numpy()
        v = tf.Variable(y)
        v.assign_add(tf.ones([2, 4]))
        run_pending()
        array[:] = 5.0
        assert x.numpy().max() == 0.0
        assert y.numpy().max() == 0.0
        assert v.numpy().max() == 1.0


class TestDonation:
    def step(self, v):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        run_pending()

    def test_a_training_step_copies_nothing(self, counting):
        v = tf.Variable(np.ones(1000, np.float32))
        self.step(v)
        with counting() as spent:
            for _ in range(5):
                self.step(v)
        assert (spent.copied_for_donation, spent.compiled, spent.dispatched) == (0, 0, 5)

    def test_the_new_value_takes_the_old_ones_place(self):
        v = tf.Variable(np.ones(1000, np.float32))
        self.step(v)
        self.step(v)
        pointers = set()
        for _ in range(4):
            self.step(v)
            pointers.add(v._node.value.unsafe_buffer_pointer())
        assert len(pointers) == 1

    @pytest.mark.parametrize(
        "hold",
        [
            lambda v: v.value(),
            lambda v: v.read_value(),
            lambda v: tf.convert_to_tensor(v),
            lambda v: tf.identity(v),
            lambda v: v[:],
            lambda v: np.asarray(v),
            lambda v: v.numpy(),
            lambda v: jax.numpy.asarray(v),
            lambda v: np.asarray(jax.numpy.asarray(v)),
            lambda v: tf.Variable(v),
            lambda v: v + 0.0,
            lambda v: tf.reshape(v, [10, 100]),
            lambda v: tf.function(lambda: v.value())(),
            lambda v: tf.function(lambda x: x)(v.value()),
            lambda v: [v.value()],
        ],
    )
    @pytest.mark.parametrize("is_staged", [False, True], ids=["lazy", "staged"])
    def test_never_touches_what_somebody_holds(self, hold, is_staged):
        v = tf.Variable(np.ones(1000, np.float32))
        self.step(v)
        expected = v.numpy().copy()
        held = hold(v)
        step = tf.function(lambda: v.assign_sub(0.1 * v)) if is_staged else lambda: self.step(v)
        for _ in range(3):
            step()
        run_pending()
        held = held[0] if isinstance(held, list) else held
        np.testing.assert_array_equal(np.asarray(held).reshape(-1), expected)

    def test_two_variables_of_one_value(self):
        a = tf.Variable(np.ones(1000, np.float32))
        b = tf.Variable(a)
        a.assign(b)
        b.assign(a)
        for _ in range(3):
            a.assign_add(b)
            run_pending()
        assert a.numpy()[0] == 4.0
        assert b.numpy()[0] == 1.0

    def test_a_variable_read_by_another_thread_meanwhile(self):
        v = tf.Variable(np.zeros(1000, np.float32))
        stop = threading.Event()
        failures = []

        def watch():
            while not stop.is_set():
                try:
                    array = v.numpy()
                except Exception as error:  # noqa: BLE001
                    failures.append(repr(error))
                    return
                if array.min() != array.max():
                    failures.append("torn")

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            for _ in range(100):
                v.assign_add(tf.ones([1000]))
                run_pending()
        finally:
            stop.set()
            thread.join(20)
        assert failures == []
        assert v.numpy()[0] == 100.0


class TestInterrupts:
    """A KeyboardInterrupt may fall anywhere; Variables stay usable and nothing pending is lost."""

    def test_while_compiling(self, monkeypatch):
        earlier = chain(tf.constant([1.0, 2.0]), 6)
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])

        def interrupted(self, *args):
            raise KeyboardInterrupt

        program.clear_programs()
        with monkeypatch.context() as patch:
            patch.setattr(program.Program, "evaluate", interrupted)
            with pytest.raises(KeyboardInterrupt):
                (earlier + 1.0).numpy()
        program.clear_programs()
        np.testing.assert_array_equal(v, [2.0, 3.0])
        expected = np.float32([1.0, 2.0])
        for _ in range(6):
            expected = np.sin(expected) + np.float32(0.5)
        np.testing.assert_allclose(earlier, expected, 1e-6)

    def test_op_by_op(self, monkeypatch):
        earlier = tf.identity([1.0, 2.0]) * 2.0

        def interrupted(self, slot):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(running._EagerEvaluation, "_evaluate", interrupted)
            with pytest.raises(KeyboardInterrupt):
                earlier.numpy()
        np.testing.assert_array_equal(earlier, [2.0, 4.0])

    @pytest.mark.parametrize("is_staged", [False, True], ids=["lazy", "staged"])
    def test_at_every_line_of_a_step(self, is_staged):
        """Injects an interrupt at each line the engine runs in a step, one after the other."""
        broken = []
        for number in range(10_000):
            state.__init__()
            v, count = tf.Variable(np.float32([0.0, 0.0])), tf.Variable(np.float32(0.0))

            def body(v=v, count=count):
                v.assign_add([1.0, 1.0])
                count.assign_add(1.0)

            call = tf.function(body) if is_staged else body

            def step(call=call):
                call()
                run_pending()

            step()
            step()
            place = _interrupted_at(number, step)
            if place is None:
                break
            try:
                step()
                steps, values = float(count), v.numpy().tolist()
                # Each of the two assignments of the interrupted step has happened, or has not.
                is_sound = steps in (3.0, 4.0) and values in ([3.0, 3.0], [4.0, 4.0])
                step()
                is_sound &= float(count) == steps + 1.0
            except Exception as error:  # noqa: BLE001
                is_sound, values = False, repr(error)
            if not is_sound:
                broken.append((place, values))
        assert number > 100
        assert not broken, "\n".join(f"{place}: {what}" for place, what in broken)

    def test_real_signals(self):
        """Ctrl-C again and again while training, in a process of its own."""
        script = """
            import signal, time
            import numpy as np
            import tapeflow as tf

            v = tf.Variable(np.zeros(1000, np.float32))
            w = tf.Variable(np.zeros(1000, np.float32))

            def step():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(v)
                g = tape.gradient(loss, v)
                v.assign_add(g)
                w.assign_add(g)
                loss.numpy()

            for _ in range(3):
                step()
            armed = False

            def interrupt(number, frame):
                global armed
                if armed:
                    armed = False
                    raise KeyboardInterrupt

            signal.signal(signal.SIGALRM, interrupt)
            interrupted = 0
            end = time.monotonic() + 2.0
            while time.monotonic() < end:
                try:
                    armed = True
                    signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.002 * np.random.rand())
                    # Python drops an interrupt that falls into a __del__, so this cannot wait for one.
                    soon = time.monotonic() + 0.02
                    while time.monotonic() < soon:
                        step()
                    armed = False
                except KeyboardInterrupt:
                    interrupted += 1
                # What the interrupt left pending is a new program; JAX itself cannot be interrupted
                # while it compiles, so that happens in peace.
                step()
                step()
                a, b = v.numpy(), w.numpy()
                assert a.min() == a.max() and b.min() == b.max(), (a, b)
                assert abs(a[0] - b[0]) <= interrupted, (a[0], b[0])
            before = float(v[0])
            step()
            assert float(v[0]) == before + 1.0
            print("survived", interrupted)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert int(done.stdout.split()[-1]) > 20


def _interrupted_at(number: int, function) -> str | None:
    """Call `function`, raising KeyboardInterrupt at line event `number` inside the engine.

    Says where that was; `None` if the function came to its end first. The line of a `with` statement is
    left out: it is met once more on the way out, where Python itself takes no interrupt before the
    block is closed.
    """
    left, place = number, None

    def local(frame, event, arg):
        nonlocal left, place
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        if event == "line" and place is None and not line.lstrip().startswith("with "):
            if left == 0:
                place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
                raise KeyboardInterrupt
            left -= 1
        return local

    def tracer(frame, event, arg):
        return local if frame.f_code.co_filename.startswith(ENGINE) and place is None else None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        function()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return place


class TestErrors:
    def test_a_program_that_cannot_be_compiled(self):
        """The error goes to whoever reads; later work is not affected."""
        from tapeflow.engine.recording.op import op

        is_broken = []

        @op
        def fragile(x):
            if is_broken:
                raise NotImplementedError("no kernel for this")
            return x + 1

        v = tf.Variable([1.0])
        y = fragile(tf.constant([1.0]))
        v.assign_add(y)
        is_broken.append(True)
        with pytest.raises(NotImplementedError, match="no kernel"):
            v.numpy()
        with pytest.raises(NotImplementedError, match="no kernel"):
            y.numpy()
        assert v.numpy().tolist() == [1.0]
        v.assign_add([1.0])
        assert v.numpy().tolist() == [2.0]


class TestThreads:
    """Run in processes of their own: a deadlock must fail, not hang the tests."""

    def run(self, script: str, timeout_s: float = 40.0) -> str:
        header = """
            import faulthandler, sys, threading
            import numpy as np
            import tapeflow as tf
            faulthandler.dump_traceback_later(30, exit=True)
            sys.setswitchinterval(1e-6)
            failures = []

            def in_threads(*functions):
                def guarded(function):
                    try:
                        function()
                    except BaseException as error:
                        failures.append(repr(error))
                threads = [threading.Thread(target=guarded, args=(f,), daemon=True) for f in functions]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(25)
                assert not any(t.is_alive() for t in threads), "deadlock"
                assert failures == [], failures[:3]
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(header) + textwrap.dedent(script)],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def test_tensors_made_in_one_and_read_in_another(self):
        self.run("""
            import queue
            q = queue.Queue(4)

            def produce():
                for k in range(300):
                    t = tf.constant([1.0, 2.0]) * float(k) + 1.0
                    q.put((k, t))
                    if k % 3 == 0:
                        (t * 2.0).numpy()
                q.put(None)

            def consume():
                while (item := q.get(timeout=20)) is not None:
                    k, t = item
                    np.testing.assert_allclose((t + 0.0).numpy(), np.float32([1, 2]) * k + 1, 1e-6)

            in_threads(produce, consume)
        """)

    def test_each_uses_the_others_pending_tensors(self):
        self.run("""
            shared = [tf.constant([1.0]) * 1.0 for _ in range(3)]

            def work(me):
                for _ in range(400):
                    shared[me] = shared[(me + 1) % 3] * 0.5 + shared[(me + 2) % 3] * 0.1 + 1.0

            in_threads(*[lambda me=me: work(me) for me in range(3)])
            assert 0.9 < float(shared[0][0]) < 2.6
        """)

    def test_one_pending_tensor_read_by_many(self):
        self.run("""
            for k in range(40):
                t = tf.sin(tf.constant([1.0, 2.0]) * float(k)) + 1.0
                for _ in range(6):
                    t = tf.sin(t)
                seen = []
                in_threads(*[lambda: seen.append(t.numpy().tolist()) for _ in range(4)])
                assert len(seen) == 4 and all(s == seen[0] for s in seen)
        """)

    def test_many_train(self):
        self.run("""
            finals = []

            def train():
                w = tf.Variable(np.zeros((4, 1), np.float32))
                x = tf.constant(np.eye(4, dtype=np.float32))
                y = tf.constant([[1.0], [2.0], [3.0], [4.0]])
                for _ in range(60):
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_mean((x @ w - y) ** 2)
                    w.assign_sub(0.5 * tape.gradient(loss, w))
                finals.append(w.numpy().ravel().tolist())

            in_threads(*[train] * 4)
            assert len(finals) == 4 and all(f == finals[0] for f in finals), finals
            np.testing.assert_allclose(finals[0], [1, 2, 3, 4], 1e-2)
        """)

    def test_one_variable_updated_by_many(self):
        self.run("""
            v = tf.Variable(0.0)
            lock = threading.Lock()

            def add():
                for _ in range(100):
                    with lock:
                        v.assign_add(1.0)

            in_threads(*[add] * 3)
            assert float(v) == 300.0, float(v)
        """)

    def test_a_function_called_by_many(self):
        self.run("""
            v = tf.Variable([1.0, 2.0])
            f = tf.function(lambda x: tf.reduce_sum(x * v))

            def call(k):
                for i in range(50):
                    x = np.float32([k, i])
                    assert float(f(x)) == k + 2.0 * i

            in_threads(*[lambda k=k: call(k) for k in range(4)])
        """)
