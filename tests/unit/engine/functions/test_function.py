"""`tf.function`: results equal eager's, Python runs once, reads fall through, and warnings that help."""

from __future__ import annotations

import contextlib
import re
import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.flight import Flight
from tapeflow.engine.programs.program import clear_programs, counters
from tapeflow.engine.programs.running import run_pending


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_python_runs_once_per_signature() -> None:
    calls = []

    @tf.function
    def double(x: Any) -> Any:
        calls.append(x)
        return x * 2

    for value in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(double(tf.constant([value])), [2 * value])
    assert len(calls) == double.experimental_get_tracing_count() == 1
    double(tf.constant([1.0, 2.0]))
    double(tf.constant([1]))
    assert len(calls) == 3


def test_one_program_a_call() -> None:
    v = tf.Variable(tf.zeros((3,)))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v - x) ** 2)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    x = tf.constant([1.0, 2.0, 3.0])
    step(x)
    before = counters.dispatched, counters.compiled
    for _ in range(5):
        loss = step(x)
    assert (counters.dispatched - before[0], counters.compiled - before[1]) == (5, 0)
    expected = np.zeros(3, np.float32)
    for _ in range(6):
        expected, last = (
            expected - 0.2 * (expected - x.numpy()),
            ((expected - x.numpy()) ** 2).sum(),
        )
    np.testing.assert_allclose(v.numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(loss.numpy(), last, rtol=1e-6)


def test_structures_of_arguments_and_results() -> None:
    @tf.function
    def f(pair: Any, *, scale: Any) -> Any:
        return {"sum": pair[0] + pair[1]["b"], "rest": (pair[0] * scale, None)}

    out = f((tf.constant(1.0), {"b": tf.constant(2.0)}), scale=tf.constant(3.0))
    again = f((tf.constant(2.0), {"b": tf.constant(5.0)}), scale=tf.constant(4.0))
    assert float(out["sum"]) == 3.0
    assert float(again["sum"]) == 7.0
    assert float(again["rest"][0]) == 8.0
    assert again["rest"][1] is None


def test_the_same_tensor_twice_is_two_arguments() -> None:
    @tf.function
    def f(a: Any, b: Any) -> Any:
        return a - b

    x, y = tf.constant(5.0), tf.constant(3.0)
    assert float(f(x, x)) == 0.0
    assert float(f(x, y)) == 2.0


def test_returning_arguments_captured_values_and_numbers() -> None:
    captured = tf.constant([7.0])
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        before = v.read_value()
        v.assign_add(1.0)
        return x, captured, 3, "text", before, v

    for expected in (1.0, 2.0, 3.0):
        x, c, n, s, before, after = f(tf.constant(expected))
        assert float(x) == expected
        assert float(c[0]) == 7.0
        assert (int(n), n.dtype, s.numpy()) == (3, tf.int32, b"text")
        assert (float(before), float(after)) == (expected, expected + 1)


def test_numpy_arguments_are_tensors_and_python_numbers_are_not() -> None:
    calls = []

    @tf.function
    def f(x: Any, n: Any) -> Any:
        calls.append(n)
        return x * n

    assert float(f(np.float32(2.0), 3)) == 6.0
    assert float(f(np.float32(5.0), 3)) == 15.0
    assert float(f(np.float32(5.0), 4)) == 20.0
    assert float(f(np.float32(5.0), True)) == 5.0
    assert float(f(np.float32(5.0), 1)) == 5.0
    assert calls == [3, 4, True, 1]


def test_what_is_computed_from_an_argument_is_no_constant() -> None:
    @tf.function
    def f(n: Any) -> Any:
        return n + 1, tf.constant(2) + 3

    assert int(f(tf.constant(1))[0]) == 2
    assert int(f(tf.constant(10))[0]) == 11
    assert int(f(tf.constant(10))[1]) == 5


def test_a_read_falls_through_with_one_warning_naming_the_line() -> None:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(1)
        if tf.reduce_sum(x).numpy() > 0:  # the read
            return x * 2
        return -x

    here = f.python_function.__code__.co_firstlineno + 3
    with pytest.warns(UserWarning, match=re.escape(f"{__file__}:{here}")):
        first = f(tf.constant([1.0]))
    assert len(calls) == 1  # the call went on: no side effect is repeated
    np.testing.assert_array_equal(first, [2.0])
    np.testing.assert_array_equal(f(tf.constant([-3.0])), [3.0])
    assert len(calls) == 2


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.__float__(),
        lambda x: x.numpy(),
        str,
        lambda x: list(x[None]) and x.numpy(),
        lambda x: tf.py_function(float, [x], tf.float32),
    ],
)
def test_every_way_of_reading_is_noticed(read: Any) -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append(read(x))
        return x + 1

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert float(f(tf.constant(1.0))) == 2.0
        assert float(f(tf.constant(2.0))) == 3.0
    assert len(seen) == 2
    assert len(found) == 1


def test_reading_a_variable_is_noticed() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        return x * v.numpy()

    with pytest.warns(UserWarning, match="as plain Python"):
        assert float(f(tf.constant(3.0))) == 3.0
    v.assign(2.0)
    assert float(f(tf.constant(3.0))) == 6.0


def test_shapes_are_no_reads() -> None:
    @tf.function
    def f(x: Any) -> Any:
        rows = tf.shape(x)[0]
        total = tf.zeros(())
        for i in range(int(rows)):
            total += x[i, 0] * tf.cast(rows * 2, tf.float32)
        return total / x.shape[1], tf.reshape(x, [rows * x.shape[1]])

    total, flat = f(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert float(total) == 8.0
    assert flat.shape == (4,)
    assert float(f(tf.constant([[2.0, 2.0], [3.0, 4.0]]))[0]) == 10.0


def test_variables_made_on_the_first_call() -> None:
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w: Any = None
            self.calls = 0

        @tf.function
        def __call__(self, x: Any) -> Any:
            self.calls += 1
            if self.w is None:
                self.w = tf.Variable(2.0)
            return x * self.w

    scale = Scale()
    assert [float(scale(tf.constant(v))) for v in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert scale.calls == 2  # the call that made the Variable, and the one that is the record
    scale.w.assign(10.0)
    assert float(scale(tf.constant(1.0))) == 10.0
    other = Scale()
    assert float(other(tf.constant(1.0))) == 2.0


def test_variables_made_on_every_call_and_gone_with_it() -> None:
    @tf.function
    def f(x: Any) -> Any:
        v = tf.Variable(x)
        v.assign_add(tf.ones_like(x))
        return v * 2

    assert float(f(tf.constant(1.0))) == 4.0
    with pytest.warns(UserWarning, match=r"makes a tf\.Variable at every call"):
        assert float(f(tf.constant(2.0))) == 6.0
    assert float(f(tf.constant(3.0))) == 8.0


def test_gradients_summed_in_variables_made_on_every_call() -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x: Any) -> Any:
        total = tf.Variable(tf.zeros_like(w), trainable=False)
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w * x)
            total.assign_add(tape.gradient(loss, w))
        w.assign_sub(0.1 * total)

    f(tf.constant(1.0))
    with pytest.warns(UserWarning, match=r"makes a tf\.Variable at every call"):
        f(tf.constant(1.0))
    np.testing.assert_allclose(w.numpy(), [0.36, 0.72], rtol=1e-6)


def test_variables_made_on_a_later_call_and_kept() -> None:
    kept = []

    @tf.function
    def f(x: Any) -> Any:
        kept.append(tf.Variable(x))
        return kept[-1] * 2

    assert float(f(tf.constant(1.0))) == 2.0
    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables created on the first call"):
        f(tf.constant(2.0))


def test_variables_made_on_every_call_and_returned() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.Variable(x)

    with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables created on the first call"):
        f(tf.constant(1.0))


def test_a_variable_made_once_and_returned() -> None:
    kept = []

    @tf.function
    def f(x: Any) -> Any:
        if not kept:
            kept.append(tf.Variable(x))
        return kept[0]

    assert [float(f(tf.constant(v))) for v in (1.0, 2.0)] == [1.0, 1.0]


def test_random_numbers_differ_from_call_to_call_and_repeat_with_the_seed() -> None:
    @tf.function
    def f() -> Any:
        return tf.random.normal((2,)), tf.random.uniform((2,))

    def eager() -> Any:
        return tf.random.normal((2,)), tf.random.uniform((2,))

    def draws(function: Any) -> list[Any]:
        tf.random.set_seed(5)
        return [t.numpy() for _ in range(3) for t in function()]

    staged, again = draws(f), draws(f)
    np.testing.assert_array_equal(staged, again)
    np.testing.assert_allclose(staged, draws(eager), rtol=1e-6)
    assert len({a.tobytes() for a in staged}) == 6


def test_a_retrace_storm_names_the_argument() -> None:
    @tf.function
    def f(x: Any, count: int) -> Any:
        return x * count

    x = tf.constant(1.0)
    for n in range(5):
        f(x, n)
    with pytest.warns(UserWarning, match=r"recorded 6 times.*argument 'count' went from 4 to 5"):
        f(x, 5)
    f(x, 6)  # said once


def test_a_storm_of_shapes_names_the_shapes() -> None:
    @tf.function
    def f(batch: Any) -> Any:
        return tf.reduce_sum(batch)

    for n in range(1, 6):
        f(tf.zeros((n,)))
    with pytest.warns(UserWarning, match=r"argument 'batch' went from float32\[5\] to float32\[6\]"):
        f(tf.zeros((6,)))


def test_donation_leaves_what_the_user_holds() -> None:
    v = tf.Variable(tf.zeros((4,)))

    @tf.function
    def step() -> Any:
        v.assign_add(tf.ones((4,)))
        return v.read_value()

    kept = [v.read_value()] + [step() for _ in range(4)] + [v.read_value()]
    for tensor, expected in zip(kept, (0, 1, 2, 3, 4, 4), strict=True):
        np.testing.assert_array_equal(tensor, np.full(4, expected))


def test_input_signature() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x: Any) -> Any:
        return tf.reduce_sum(x, 1)

    np.testing.assert_array_equal(f([[1.0, 2.0]]), [3.0])
    for rows in range(1, 9):  # many shapes, and no warning
        assert f(tf.ones((rows, 2))).shape == (rows,)
    with pytest.raises(
        TypeError, match=r"expected an argument that fits .*got shape \(1, 3\), dtype float32"
    ):
        f(tf.ones((1, 3)))
    with pytest.raises(TypeError, match=r"got shape .* dtype int32"):
        f(tf.ones((1, 2), tf.int32))


def test_functions_in_functions_are_one_record() -> None:
    calls = []

    @tf.function
    def inner(x: Any) -> Any:
        calls.append("inner")
        return x + 1

    @tf.function
    def outer(x: Any) -> Any:
        calls.append("outer")
        return inner(x) * 2

    assert float(outer(tf.constant(1.0))) == 4.0
    assert float(outer(tf.constant(2.0))) == 6.0
    assert calls == ["outer", "inner"]


def test_run_functions_eagerly() -> None:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(1)
        return x * 1

    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 2


def test_effects_happen_at_every_call_in_order(capsys: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.print("first", x)
        tf.print("second", x * 2)
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    assert capsys.readouterr().err == "first 1\nsecond 2\nfirst 2\nsecond 4\n"


def test_a_failed_check_raises_and_keeps_the_variables() -> None:
    table = tf.Variable([1.0, 2.0, 3.0])
    seen = tf.Variable(0)

    @tf.function
    def f(i: Any) -> Any:
        seen.assign_add(1)
        picked = tf.gather(table, i)
        table.assign_add(tf.ones((3,)))
        return picked

    np.testing.assert_array_equal(f(tf.constant([0, 2])), [1.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(__file__)):
        f(tf.constant([3])).numpy()
    np.testing.assert_array_equal(table.numpy(), [2.0, 3.0, 4.0])
    assert int(seen) == 2  # assigned before the op that failed
    np.testing.assert_array_equal(f(tf.constant([1])), [3.0])


def test_an_exception_in_the_function_passes_through_and_the_next_call_is_recorded() -> None:
    should_fail = [True]

    @tf.function
    def f(x: Any) -> Any:
        if should_fail[0]:
            raise LookupError("not today")
        return x + 1

    with pytest.raises(LookupError, match="not today"):
        f(tf.constant(1.0))
    should_fail[0] = False
    assert float(f(tf.constant(1.0))) == 2.0


def test_inside_a_tape_python_runs_once_and_gradients_pass() -> None:
    calls = []
    v = tf.Variable([1.0, 2.0])
    count = tf.Variable(0.0)

    @tf.function
    def f(x: Any, y: Any) -> Any:
        calls.append(1)
        count.assign_add(1.0)
        with tf.GradientTape() as inner:
            z = tf.reduce_sum(v * v * x)
        return tf.reduce_sum(v * x * y) + tf.reduce_sum(inner.gradient(z, v)), tf.random.normal(())

    noise = []
    for k in (1.0, 2.0, 3.0):
        x = tf.constant([k, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss, drawn = f(x, x)
        for_v, for_x = tape.gradient(loss, [v, x])
        values = x.numpy()
        np.testing.assert_allclose(for_v, values * values + 2 * values)
        np.testing.assert_allclose(for_x, 2 * v.numpy() * values + 2 * v.numpy())
        noise.append(float(drawn))
    assert len(calls) == 1
    assert float(count) == 3.0
    assert len(set(noise)) == 3


def test_methods_are_staged_for_each_instance() -> None:
    class Adder:
        def __init__(self, n: float) -> None:
            self.n = n
            self.calls = 0

        @tf.function
        def add(self, x: Any) -> Any:
            self.calls += 1
            return x + self.n

    one, ten = Adder(1.0), Adder(10.0)
    for _ in range(3):
        assert (float(one.add(tf.constant(1.0))), float(ten.add(tf.constant(1.0)))) == (2.0, 11.0)
    assert (one.calls, ten.calls) == (1, 1)
    assert Adder.add.__name__ == "add"


@pytest.mark.parametrize("is_taped", [False, True])
def test_a_variable_given_back_as_it_is(is_taped: bool) -> None:
    v = tf.Variable(1.0)
    both = tf.function(lambda: (v, v.read_value(), v * 1.0))
    for expected in (1.0, 2.0, 3.0):
        with tf.GradientTape() if is_taped else contextlib.nullcontext():
            found = both()
        assert [float(f) for f in found] == [expected] * 3
        v.assign_add(1.0)


def test_a_first_call_under_a_tape_that_watches_nothing() -> None:
    v = tf.Variable(3.0)
    square = tf.function(lambda: v * v)
    with tf.GradientTape(watch_accessed_variables=False) as blind:
        y = square()
    assert blind.gradient(y, v) is None
    with tf.GradientTape() as tape:
        y = square()
    assert float(tape.gradient(y, v)) == 6.0
    with tf.GradientTape(watch_accessed_variables=False) as told:
        told.watch(v)
        y = square()
    assert float(told.gradient(y, v)) == 6.0


def test_a_value_from_before_an_assignment_inside_a_tape() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def step() -> Any:
        before = v.read_value()
        v.assign_add(1.0)
        return before * 10.0 + v

    for expected in (12.0, 23.0, 34.0):
        with tf.GradientTape() as tape:
            y = step()
        assert float(y) == expected
        assert float(tape.gradient(y, v)) == 11.0


def test_within_a_users_own_jit_the_function_is_part_of_it(recwarn: pytest.WarningsRecorder) -> None:
    import jax

    doubled = tf.function(lambda x: x * 2.0)
    traced = jax.jit(lambda a: doubled(tf.convert_to_tensor(a))._node.value)
    np.testing.assert_array_equal(traced(np.ones(3, "float32")), [2.0, 2.0, 2.0])
    assert doubled.experimental_get_tracing_count() == 0
    np.testing.assert_array_equal(doubled(tf.ones(3)), [2.0, 2.0, 2.0])
    assert [str(w.message) for w in recwarn] == []


def test_plain_calls_return_tensors_for_numbers_too() -> None:
    @tf.function
    def relu(x: Any) -> Any:
        return x if x.numpy() > 0 else 0

    with pytest.warns(UserWarning, match="run as plain Python"):
        assert isinstance(relu(tf.constant(1)), tf.Tensor)
    assert relu(tf.constant(-1)).dtype is tf.int32


def test_a_signature_may_ask_for_ragged_tensors() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def longest(rows: Any) -> Any:
        return tf.reduce_max(rows, axis=-1)

    assert longest(tf.ragged.constant([[1, 2], [3]])).numpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match=r"expected an argument that fits RaggedTensorSpec"):
        longest(tf.constant([[1.0]]))


class Programs(list[Any]):
    """The programs that have run: their ops, leaves and outputs."""

    def of(self, call: Any) -> list[Any]:
        """What ran for a call: programs, and last how many traces ran op by op."""
        start, before = len(self), counters.op_by_op
        call()
        return [*self[start:], counters.op_by_op - before]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    found = Programs()
    take_off = Flight.take_off

    def noted(self: Any, *arguments: Any) -> None:
        found.append((self.program.entries, self.program.leaf_keys, self.program.outputs))
        take_off(self, *arguments)

    monkeypatch.setattr(Flight, "take_off", noted)
    return found


class TestFirstCall:
    """The first call of a process runs the programs that every other one runs."""

    def test_makes_variables_that_later_calls_use(self, programs: Programs) -> None:
        made: list[tf.Variable] = []
        count = tf.Variable(0)

        @tf.function
        def step(x: Any) -> Any:
            if not made:
                made.append(tf.Variable([1.0, 2.0, 3.0]))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.exp(made[0] * x))
            made[0].assign_sub(0.1 * tape.gradient(loss, made[0]))
            return loss

        def turn() -> None:
            noise = tf.random.normal((3,))
            step(0.1 * noise)
            count.assign_add(1)
            tf.sin(tf.cast(count, tf.float32)).numpy()

        first, second, third = programs.of(turn), programs.of(turn), programs.of(turn)
        assert second == third
        # The first makes the Variable besides; what the caller computes after it has no part in it.
        assert len(first) == len(second)
        assert first[1:] == second[1:]

    def test_is_plain_python(self, programs: Programs) -> None:
        v, count = tf.Variable(tf.ones((3,))), tf.Variable(0)

        @tf.function
        def step(x: Any) -> Any:
            y = tf.sin(x) * 3.0 + 0.1
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.exp(v * y))
            gradient = tape.gradient(loss, v)
            if loss.numpy() > 0.0:
                gradient = 0.5 * gradient
            v.assign_sub(0.1 * gradient)
            return loss

        def turn() -> None:
            step(0.1 * tf.random.normal((3,)))
            count.assign_add(1)

        with pytest.warns(UserWarning, match="run as plain Python"):
            turn()
        run_pending()
        clear_programs()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            step = tf.function(step.python_function)
            first, second, third = programs.of(turn), programs.of(turn), programs.of(turn)
        # The count is left pending by one turn and runs at the next.
        assert second == third
        assert first[:-1] == second[-len(first) : -1]

    def test_of_a_function_in_one_that_is_plain_python(self) -> None:
        calls = []

        @tf.function
        def inner(x: Any) -> Any:
            calls.append(x)
            return x * 2.0 + 1.0

        @tf.function
        def outer(x: Any) -> Any:
            total = tf.constant(0.0)
            if x.numpy() > 0.0:
                for _ in range(3):
                    total += inner(x)
            return total, tf.executing_eagerly()

        with pytest.warns(UserWarning, match="run as plain Python"):
            found = [outer(tf.constant(2.0)) for _ in range(2)]
        assert [(float(total), is_eager) for total, is_eager in found] == [(15.0, False)] * 2
        assert len(calls) == 1

    def test_under_a_tape(self, programs: Programs) -> None:
        v, w = tf.Variable(tf.ones((3,))), tf.Variable(2.0, trainable=False)

        @tf.function
        def forward(x: Any) -> Any:
            return tf.reduce_sum(tf.exp(v * x) * w) + tf.random.normal(())

        def turn() -> None:
            with tf.GradientTape() as tape:
                loss = forward(tf.constant([0.1, 0.2, 0.3]))
            v.assign_sub(0.1 * tape.gradient(loss, v))
            w.assign_add(0.1)
            v.numpy()

        assert programs.of(turn) == programs.of(turn) == programs.of(turn)

    def test_of_plain_python_that_trains_runs_a_step_as_a_program(self, counting: Any) -> None:
        v = tf.Variable(1.0)
        data = tf.data.Dataset.range(40)

        @tf.function
        def train() -> None:
            for x in data:
                with tf.GradientTape() as tape:
                    loss = (v - tf.cast(x, tf.float32)) ** 2
                v.assign_sub(0.01 * tape.gradient(loss, v))

        with counting() as spent:
            with pytest.warns(UserWarning, match="run as plain Python"):
                train()
            run_pending()
        assert spent.compiled <= 2
        assert spent.dispatched == 40


class TestCompilerIR:
    def test_stages(self) -> None:
        scale = tf.Variable(2.0)
        f = tf.function(lambda x, y: tf.nn.relu(x) * scale + y, jit_compile=True)
        stages = f.experimental_get_compiler_ir(tf.TensorSpec([2, 3], tf.float32), tf.ones((2, 3)))
        hlo = stages(stage="hlo")
        assert hlo.startswith("HloModule")
        assert "f32[2,3]" in hlo
        assert "maximum" in hlo
        assert stages(stage="optimized_hlo").startswith("HloModule")
        assert "stablehlo.add" in stages(stage="stablehlo")
        assert isinstance(stages(stage="hlo_serialized"), bytes)
        assert isinstance(stages(stage="optimized_hlo_serialized"), bytes)
        with pytest.raises(ValueError, match="expected a stage among"):
            stages(stage="machine code")

    def test_functions_without_compiler_ir_raise(self) -> None:
        with pytest.raises(ValueError, match="'jit_compile=True'; got 'plain'"):

            @tf.function
            def plain(x):
                return x

            plain.experimental_get_compiler_ir(tf.ones(2))
        reads = tf.function(lambda x: x + float(x), autograph=False, jit_compile=True)
        with pytest.raises(ValueError, match="expected a function that is one program"):
            reads.experimental_get_compiler_ir(tf.constant(1.0))
        copies = tf.function(lambda x: x, jit_compile=True)
        with pytest.raises(ValueError, match="without open dimensions"):
            copies.experimental_get_compiler_ir(tf.TensorSpec([None], tf.float32))


class TestUnusedOps:
    def test_what_the_result_does_not_need_is_not_checked(self) -> None:
        @tf.function
        def unused(x):
            tf.gather(x, [1])
            return x

        @tf.function
        def used(x):
            return tf.gather(x, [1])

        @tf.function
        def asserts(x):
            tf.debugging.assert_equal(x, 1.0)
            return x

        x = tf.constant([0.0])
        for _ in range(2):
            assert unused(x).numpy().tolist() == [0.0]
            for f in (used, asserts):
                with pytest.raises(tf.errors.InvalidArgumentError):
                    f(x)


class TestStateOfLaterCalls:
    def test_a_second_optimizer(self) -> None:
        v = tf.Variable(1.0)

        def train(x, optimizer):
            with tf.GradientTape() as tape:
                loss = v * x
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])
            return loss

        first, second, built = (tf.keras.optimizers.Adam(0.1) for _ in range(3))
        step, x = tf.function(train), tf.constant(1.0)
        step(x, first)
        with pytest.raises(ValueError, match="singleton tf.Variables created on the first call"):
            step(x, second)
        built.build([v])
        step(x, built)
        tf.function(train)(x, tf.keras.optimizers.Adam(0.1))

    def test_a_second_layer(self) -> None:
        call = tf.function(lambda layer, x: layer(x))
        x = tf.ones((1, 2))
        call(tf.keras.layers.Dense(1), x)
        with pytest.raises(ValueError, match="Dense.add_weight expected to make its Variables outside"):
            call(tf.keras.layers.Dense(1), x)
