"""Run-time checks: out of range raises wherever the value is known, names the line, and harms nothing else."""

from __future__ import annotations

import inspect
import re
import threading

import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.settings import settings

InvalidArgument = tf.errors.InvalidArgumentError


def computed(values) -> tf.Tensor:
    """Integers the host does not know."""
    return tf.cast(tf.identity(np.asarray(values, np.float32)), tf.int32)


def line_below() -> int:
    """The number of the line after the caller's."""
    return inspect.currentframe().f_back.f_lineno + 1


def row(found) -> list[int]:
    return [int(v) for v in found]


class TestIndexCheck:
    @pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
    def test_rows(self, xp):
        check = index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[0])
        x = xp.zeros((3,))
        assert row(check(xp, x, xp.asarray([0, 2])))[0] == 0
        assert row(check(xp, x, xp.asarray([[0, 3], [4, 1]]))) == [1, 3, 3]
        assert row(check(xp, x, xp.asarray([-1]))) == [1, -1, 3]
        assert row(check(xp, x, xp.asarray(2)))[0] == 0
        assert row(check(xp, x, xp.zeros((0,), xp.int32)))[0] == 0

    def test_lowest_and_statics(self):
        check = index_check(arg=0, limit=lambda arrays, statics: statics["depth"], lowest=-1)
        assert row(check(np, np.array([-1, 4]), depth=5))[0] == 0
        assert row(check(np, np.array([-2]), depth=5)) == [1, -2, 5]

    def test_every_integer_dtype(self):
        check = index_check(arg=0, limit=lambda arrays, statics: 300)
        for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
            assert row(check(np, np.array([100], dtype)))[0] == 0


@pytest.fixture(params=["lazy", "op by op", "staged"])
def run(request):
    """Calls a function of tensors lazily, op by op, or as a `tf.function` that has been recorded."""
    if request.param == "op by op":
        settings.op_by_op = True
    if request.param == "staged":

        def staged(function, *args):
            call = tf.function(function)
            call(*[tf.zeros_like(a) for a in args])
            return call(*args)

        return staged
    return lambda function, *args: function(*args)


class TestOutOfRange:
    def test_names_op_value_limit_and_line(self, run):
        params = tf.constant([1.0, 2.0, 3.0])

        def pick(i):
            return tf.gather(params, i)  # this line

        line = inspect.getsourcelines(pick)[1] + 1
        with pytest.raises(InvalidArgument, match=rf"7.*\[0, 3\).*{re.escape(__file__)}:{line}"):
            run(pick, computed([1, 7])).numpy()

    def test_in_range_is_silent(self, run):
        params = tf.constant([1.0, 2.0, 3.0])
        assert run(lambda i: tf.gather(params, i), computed([0, 2])).numpy().tolist() == [1.0, 3.0]

    def test_raises_again_at_every_read(self, run):
        params = tf.constant([1.0, 2.0])
        for _ in range(2):
            with pytest.raises(InvalidArgument):
                bad = run(lambda i: tf.gather(params, i), computed([7]))
                bad.numpy()

    def test_known_to_the_host_raises_at_the_call(self):
        with pytest.raises(InvalidArgument, match="7"):
            tf.gather(tf.constant([1.0, 2.0]), [7])
        with pytest.raises(InvalidArgument, match="7"):
            tf.gather(tf.constant([1.0, 2.0]), np.array([7]))

    def test_indexing(self, run):
        with pytest.raises(InvalidArgument, match="slice index 5 out of bounds"):
            run(lambda i: tf.constant([1.0, 2.0])[i], computed(5)).numpy()

    def test_inside_a_tape(self):
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with pytest.raises(InvalidArgument, match="9"):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.gather(table, computed([0, 9])))
            table.assign_sub(tf.convert_to_tensor(tape.gradient(y, table)))
            table.numpy()
        np.testing.assert_array_equal(table, [[1.0, 2.0], [3.0, 4.0]])
        table.assign_add(tf.ones([2, 2]))
        np.testing.assert_array_equal(table, [[2.0, 3.0], [4.0, 5.0]])

    def test_inside_a_loop(self, run):
        params = tf.constant([1.0, 2.0])

        def pick(i):
            return tf.gather(params, i)

        line = inspect.getsourcelines(pick)[1] + 1
        with pytest.raises(InvalidArgument, match=rf"8.*\[0, 2\).*{re.escape(__file__)}:{line}"):
            run(lambda i: tf.map_fn(pick, i, fn_output_signature=tf.float32), computed([0, 8])).numpy()

    def test_in_the_branch_not_taken(self, run):
        params = tf.constant([1.0, 2.0])

        def choose(i):
            return tf.cond(i > 1, lambda: tf.constant(-1.0), lambda: tf.gather(params, i))

        assert run(choose, computed(5)).numpy() == -1.0
        assert run(choose, computed(1)).numpy() == 2.0

    def test_in_a_while_loop(self, run):
        params = tf.constant([1.0, 2.0])

        def walk(n):
            return tf.while_loop(
                lambda i, total: i < n,
                lambda i, total: (i + 1, total + tf.gather(params, i)),
                (tf.constant(0), tf.constant(0.0)),
            )[1]

        assert run(walk, computed(2)).numpy() == 3.0
        with pytest.raises(InvalidArgument, match="2"):
            run(walk, computed(4)).numpy()


class TestWhatElseHappens:
    def test_other_results_of_the_program_stay(self):
        x = tf.identity([1.0, 2.0])
        before = x * 2.0
        bad = tf.gather(x, computed([7]))
        after = x * 3.0
        with pytest.raises(InvalidArgument):
            bad.numpy()
        np.testing.assert_array_equal(before, [2.0, 4.0])
        np.testing.assert_array_equal(after, [3.0, 6.0])

    def test_what_is_computed_from_a_bad_value_raises_too(self):
        x = tf.identity([1.0, 2.0])
        bad = tf.gather(x, computed([7]))
        also = bad + 1.0
        run_pending()
        later = bad * 2.0
        for tensor in (later, also, bad, later, also, bad):
            with pytest.raises(InvalidArgument, match="7"):
                tensor.numpy()
        np.testing.assert_array_equal(x + 0.0, [1.0, 2.0])

    def test_a_new_op_on_a_bad_value(self):
        x = tf.identity([1.0, 2.0])
        bad = tf.gather(x, computed([7]))
        with pytest.raises(InvalidArgument):
            bad.numpy()
        with pytest.raises(InvalidArgument, match="7"):
            (bad + 1.0).numpy()

    def test_a_result_nobody_reads_raises_all_the_same(self):
        """TensorFlow would have raised at the call; here it is by the next value that is read."""
        x = tf.identity([1.0, 2.0])
        bad = tf.gather(x, computed([7]))
        del bad
        with pytest.raises(InvalidArgument, match="7"):
            (x + 1.0).numpy()

    def test_training_without_reads_finds_out_soon(self):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(InvalidArgument, match="7"):
            for step in range(20):
                v.assign_add(tf.gather(v, computed([0, 7 if step == 3 else 1])))
                run_pending()
        # Three steps of doubling; the failed one is left out, and at most two more have run since.
        assert float(v[0]) in (8.0, 16.0, 32.0)

    def test_variables_stay_as_they_were(self):
        v, w = tf.Variable([0.0, 0.0]), tf.Variable(1.0)
        w.assign_add(1.0)
        with pytest.raises(InvalidArgument):
            v.assign(tf.gather(tf.identity([1.0, 2.0]), computed([7, 0]))).numpy()
        np.testing.assert_array_equal(v, [0.0, 0.0])
        assert float(w) == 2.0

    def test_staged_writes_do_not_happen(self):
        v = tf.Variable([1.0, 2.0])

        @tf.function
        def step(i):
            v.assign_add(tf.gather(v, i))
            return v.value()

        step(computed([0, 1]))
        with pytest.raises(InvalidArgument):
            step(computed([0, 9])).numpy()
        np.testing.assert_array_equal(v, [2.0, 4.0])
        np.testing.assert_array_equal(step(computed([1, 1])), [6.0, 8.0])

    def test_effects_do_not_see_a_bad_value(self, capfd):
        @tf.function
        def show(i):
            tf.print("before")
            tf.print("value", tf.gather(tf.constant([1.0, 2.0]), i))

        show(computed([0]))
        capfd.readouterr()
        with pytest.raises(InvalidArgument):
            show(computed([9]))
            tf.identity(1.0).numpy()
        assert "value" not in capfd.readouterr().err

    def test_another_thread_is_not_told(self):
        """What went wrong in one thread is raised there."""
        ready, go = threading.Event(), threading.Event()
        seen = []

        def work():
            bad = tf.gather(tf.identity([1.0, 2.0]), computed([7]))
            run_pending()
            ready.set()
            go.wait(10)
            try:
                bad.numpy()
            except InvalidArgument as error:
                seen.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        ready.wait(10)
        try:
            assert (tf.identity(1.0) + 1.0).numpy() == 2.0
        finally:
            go.set()
            thread.join(10)
        assert len(seen) == 1

    def test_nothing_is_left_to_look_at(self):
        tf.gather(tf.identity([1.0, 2.0]), computed([1])).numpy()
        assert checks.unsettled == []


class TestNumerics:
    @pytest.fixture(autouse=True)
    def _enabled(self):
        tf.debugging.enable_check_numerics()
        yield
        tf.debugging.disable_check_numerics()

    @pytest.mark.parametrize("op_by_op", [False, True])
    def test_names_the_first_op_and_its_line(self, op_by_op):
        settings.op_by_op = op_by_op
        x = tf.constant([1.0, -1.0])
        with pytest.raises(InvalidArgument) as caught:
            line = line_below()
            y = tf.math.log(x)
            z = tf.exp(y) * 2.0 + y
            z.numpy()
        assert "NaN" in str(caught.value)
        assert "Log" in str(caught.value)
        assert f"{__file__}:{line}" in str(caught.value)

    def test_infinity(self):
        with pytest.raises(InvalidArgument, match=r"Inf .*op .*[Dd]iv"):
            (tf.constant([1.0]) / tf.constant([0.0])).numpy()

    def test_finite_values_pass(self):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        v.assign_sub(tape.gradient(y, v) * 0.1)
        np.testing.assert_allclose(v, [0.8, 1.6], 1e-6)

    def test_integers_are_not_looked_at(self):
        assert (tf.constant([1]) + 1).numpy().tolist() == [2]

    def test_in_a_gradient(self):
        v = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(v))
        with pytest.raises(InvalidArgument, match="Inf|NaN"):
            tape.gradient(y, v).numpy()

    def test_in_a_function(self):
        @tf.function
        def unlucky(x):
            return tf.math.log(x) + 1.0

        line = inspect.getsourcelines(unlucky.python_function)[1] + 2
        assert np.isfinite(unlucky(tf.constant(1.0)).numpy())
        with pytest.raises(InvalidArgument, match=rf"NaN.*Log.*{re.escape(__file__)}:{line}"):
            unlucky(tf.constant(-1.0)).numpy()

    def test_a_function_recorded_before(self):
        tf.debugging.disable_check_numerics()
        logarithm = tf.function(lambda x: tf.math.log(x))
        logarithm(tf.constant(1.0))
        tf.debugging.enable_check_numerics()
        with pytest.raises(InvalidArgument, match="NaN"):
            logarithm(tf.constant(-1.0)).numpy()

    def test_a_step_that_fails_changes_no_variable(self):
        v, w = tf.Variable(1.0), tf.Variable(0.0)
        with pytest.raises(InvalidArgument, match="NaN"):
            v.assign(tf.math.log(v * -1.0))
            w.assign_add(1.0)
            v.numpy()
        assert float(v) == 1.0

    def test_switched_off(self):
        tf.debugging.disable_check_numerics()
        assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())
