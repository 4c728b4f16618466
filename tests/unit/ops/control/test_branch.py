"""tf.cond, tf.case and tf.switch_case: in eager code, recorded, differentiated, and given nonsense."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


both = pytest.mark.parametrize("run", [eager, tf.function], ids=["eager", "function"])


def computed(value: Any) -> Any:
    """A tensor whose value the host does not know."""
    return tf.constant(value) * 1


def _nothing(_: Any) -> None:
    """For a branch that is there for what it does."""


class TestCond:
    @pytest.mark.parametrize(
        "pred",
        [
            True,
            3,
            -1.5,
            "a",
            [1],
            np.bool_(True),
            np.int32(3),
            np.array(2),
            np.array([True]),
            tf.constant(True),
            tf.constant(3),
            tf.constant(0.5),
            tf.constant("a"),
            tf.constant([True]),
            tf.Variable(True),
            tf.Variable(2.0),
        ],
        ids=repr,
    )
    def test_what_holds(self, pred: Any) -> None:
        assert tf.cond(pred, lambda: "yes", lambda: "no") == "yes"

    @pytest.mark.parametrize(
        "pred", [False, 0, 0.0, "", [0], np.bool_(False), tf.constant(0), tf.constant(""), tf.Variable(0.0)]
    )
    def test_what_does_not(self, pred: Any) -> None:
        assert tf.cond(pred, lambda: "yes", lambda: "no") == "no"

    def test_only_the_branch_taken_is_called(self) -> None:
        called: list[str] = []
        tf.cond(computed(2.0) > 1.0, lambda: called.append("yes"), lambda: called.append("no"))
        assert called == ["yes"]

    @both
    def test_both_ways(self, run: Any) -> None:
        function = run(lambda x: tf.cond(x > 0, lambda: x * 2, lambda: -x))
        assert [function(computed(v)).numpy() for v in (3, -3, 4)] == [6, 3, 8]

    @both
    @pytest.mark.parametrize("pred", [2, 0])
    def test_numbers_as_tensors(self, run: Any, pred: int) -> None:
        function = run(lambda x: tf.cond(x, lambda: tf.constant(1), lambda: tf.constant(2)))
        expected = 1 if pred else 2
        assert function(computed(pred)).numpy() == expected
        assert function(computed([float(pred)])).numpy() == expected

    @both
    def test_structures(self, run: Any) -> None:
        function = run(lambda x: tf.cond(x > 0, lambda: {"a": (x, [x * 2])}, lambda: {"a": (-x, [x])}))
        for value in (1.0, -1.0):
            found = function(computed(value))
            assert isinstance(found["a"], tuple)
            assert isinstance(found["a"][1], list)
            assert found["a"][0].numpy() == 1.0

    @both
    def test_nothing_returned(self, run: Any) -> None:
        assert run(lambda x: tf.cond(x > 0, lambda: None, lambda: None))(computed(1.0)) is None

    @both
    def test_none_among_results(self, run: Any) -> None:
        found = run(lambda x: tf.cond(x > 0, lambda: (x, None), lambda: (-x, None)))(computed(-2.0))
        assert found[0].numpy() == 2.0
        assert found[1] is None

    def test_strings(self) -> None:
        function = tf.function(
            lambda x: tf.cond(x > 0, lambda: tf.constant("big"), lambda: tf.constant("small"))
        )
        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            assert function(tf.constant(1.0)).numpy() == b"big"
        assert function(tf.constant(-1.0)).numpy() == b"small"

    def test_recorded_once(self) -> None:
        calls: list[str] = []

        @tf.function
        def function(x: Any) -> Any:
            return tf.cond(
                x > 0, lambda: (calls.append("yes"), x * 2)[1], lambda: (calls.append("no"), -x)[1]
            )

        assert [function(tf.constant(v)).numpy() for v in (1.0, -1.0, 2.0)] == [2.0, 1.0, 4.0]
        assert sorted(calls) == ["no", "yes"]
        assert function.experimental_get_tracing_count() == 1

    def test_branches_that_cannot_be_recorded(self, capsys: Any) -> None:
        @tf.function
        def function(x: Any) -> Any:
            return tf.cond(x > 0, lambda: (tf.print("yes", output_stream=sys.stdout), x)[1], lambda: x)

        with pytest.warns(
            UserWarning, match=r"at .*test_branch.py:\d+ tf.cond runs a function that .*: it prints"
        ):
            assert function(tf.constant(1.0)).numpy() == 1.0
        assert function(tf.constant(-1.0)).numpy() == -1.0
        assert capsys.readouterr().out == "yes\n"

    def test_branches_that_assign_variables_are_part_of_the_program(self) -> None:
        total, other, steps = tf.Variable(1.0), tf.Variable([0.0, 0.0]), tf.Variable(0)

        @tf.function
        def function(x: Any) -> Any:
            steps.assign_add(1)
            result = tf.cond(x > 0, lambda: total.assign_add(x), lambda: total.assign(total * 2.0))
            tf.cond(steps % 2 == 0, lambda: other.assign_add([1.0, x]), lambda: other)
            tf.switch_case(
                steps % 3, [lambda: None, lambda: None, lambda: _nothing(total.assign(total + 100.0))]
            )
            return result + 1.0

        found = [(float(function(tf.constant(x))), float(total)) for x in (1.0, -1.0, 2.0, -3.0)]
        assert found == [(3.0, 2.0), (5.0, 104.0), (107.0, 106.0), (213.0, 212.0)]
        assert other.numpy().tolist() == [2.0, -4.0]
        assert function.experimental_get_tracing_count() == 1

    def test_an_assignment_in_a_branch_and_the_gradient_through_it(self) -> None:
        weight, calls = tf.Variable(3.0), tf.Variable(0, trainable=False)

        def loss(x: Any) -> Any:
            return tf.cond(x > 0, lambda: (calls.assign_add(1), weight * x)[1], lambda: weight * weight)

        staged = tf.function(loss)
        for x, slope, count in ((2.0, 2.0, 1), (-1.0, 6.0, 1)):
            with tf.GradientTape() as tape:
                value = staged(tf.constant(x))
            assert (float(tape.gradient(value, weight)), int(calls)) == (slope, count)

    def test_a_branch_that_fails_leaves_variables_as_they_were(self) -> None:
        total = tf.Variable(1.0)

        def fail() -> Any:
            total.assign(9.0)
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            tf.function(lambda x: tf.cond(x > 0, fail, lambda: x))(tf.constant(1.0))
        assert float(total) == 1.0

    def test_a_step_that_applies_every_second_gradient(self) -> None:
        def losses(decorate: Any) -> list[float]:
            weight, held, steps = tf.Variable(1.0), tf.Variable(0.0), tf.Variable(0)
            optimizer = tf.keras.optimizers.Adam(0.1)
            optimizer.build([weight])

            def apply() -> None:
                optimizer.apply_gradients([(held / 2.0, weight)])
                held.assign(0.0)

            @decorate
            def step(x: Any) -> Any:
                steps.assign_add(1)
                with tf.GradientTape() as tape:
                    loss = (weight * x - 3.0) ** 2
                held.assign_add(tape.gradient(loss, weight))
                tf.cond(steps % 2 == 0, apply, lambda: None)
                return loss

            return [float(step(tf.constant(x))) for x in (1.0, 2.0, 1.5, 0.5, 1.0)]

        np.testing.assert_allclose(losses(tf.function), losses(lambda f: f), rtol=1e-6)

    def test_branches_of_different_shapes(self) -> None:
        function = tf.function(lambda x: tf.cond(x > 0, lambda: tf.zeros([1]), lambda: tf.zeros([2])))
        with pytest.warns(UserWarning, match=r"its branches give different shapes"):
            assert function(tf.constant(1.0)).shape == (1,)
        assert function(tf.constant(-1.0)).shape == (2,)

    def test_in_a_loop_over_rows(self) -> None:
        rows = tf.map_fn(lambda x: tf.cond(x > 0, lambda: x, lambda: -10.0 * x), tf.constant([1.0, -2.0]))
        assert rows.numpy().tolist() == [1.0, 20.0]

    def test_a_branch_within_a_branch(self) -> None:
        @tf.function
        def function(x: Any) -> Any:
            small = lambda: tf.cond(x > -5, lambda: x * 10, lambda: x * 100)  # noqa: E731
            return tf.cond(x > 0, lambda: x, small)

        assert [function(tf.constant(v)).numpy() for v in (1, -1, -6)] == [1, -10, -600]

    @both
    def test_draws(self, run: Any) -> None:
        function = run(lambda x: tf.cond(x > 0, lambda: tf.random.uniform([]), lambda: tf.random.normal([])))
        assert len({float(function(tf.constant(1.0))) for _ in range(4)}) == 4

    @pytest.mark.parametrize(
        ("pred", "text"),
        [
            (
                tf.constant([True, False]),
                r"tf.cond expected a scalar pred; got shape \(2,\): the truth value",
            ),
            ([], r"tf.cond expected a scalar pred; got shape \(0,\)"),
            (None, "Attempt to convert a value"),
        ],
    )
    def test_bad_preds(self, pred: Any, text: str) -> None:
        with pytest.raises(ValueError, match=text):
            tf.cond(pred, lambda: 1, lambda: 2)

    def test_branches_must_be_functions(self) -> None:
        with pytest.raises(TypeError, match=r"tf.cond expected true_fn to be callable; got true_fn=1"):
            tf.cond(True, 1, lambda: 2)  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match=r"tf.cond expected false_fn to be callable; got false_fn=2"):
            tf.cond(True, lambda: 1, 2)  # pyright: ignore[reportArgumentType]


class TestDerivatives:
    @both
    @pytest.mark.parametrize(("x", "first", "second"), [(2.0, 12.0, 12.0), (-2.0, 3.0, 0.0)])
    def test_to_second_order(self, run: Any, x: float, first: float, second: float) -> None:
        variable = tf.Variable(x)
        function = run(lambda v: tf.cond(v > 0, lambda: v**3, lambda: v * 3.0))
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = function(variable)
            slope = inner.gradient(y, variable)
        assert slope.numpy() == first
        assert outer.gradient(slope, variable).numpy() == second

    @both
    def test_of_what_a_branch_captures(self, run: Any) -> None:
        weight, bias = tf.Variable(3.0), tf.Variable(5.0)

        def loss(x: Any) -> Any:
            return tf.cond(x > 0, lambda: x * weight, lambda: x * bias)

        function = run(loss)
        for x, expected in ((2.0, [2.0, 0.0]), (-2.0, [0.0, -2.0])):
            with tf.GradientTape() as tape:
                y = function(tf.constant(x))
            found = tape.gradient(y, [weight, bias], unconnected_gradients="zero")
            assert [float(g) for g in found] == expected

    def test_a_tape_inside_a_recorded_function(self) -> None:
        weight = tf.Variable(3.0)

        @tf.function
        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.cond(x > 0, lambda: x * weight * weight, lambda: weight * 1.0)
            return tape.gradient(y, weight)

        assert [slope(tf.constant(v)).numpy() for v in (2.0, -2.0)] == [12.0, 1.0]
        weight.assign(5.0)
        assert slope(tf.constant(2.0)).numpy() == 20.0


class TestChecks:
    def test_name_the_line_in_the_branch(self) -> None:
        @tf.function
        def pick(i: Any) -> Any:
            return tf.cond(
                i > 1,
                lambda: tf.gather(tf.constant([1.0, 2.0, 3.0]), i),
                lambda: tf.constant(-1.0),
            )

        line = sys._getframe().f_lineno - 4
        assert [pick(tf.constant(i)).numpy() for i in (2, -9)] == [3.0, -1.0]
        with pytest.raises(Invalid, match=rf"indices = 7 is not in \[0, 3\). At .*test_branch.py:{line}"):
            pick(tf.constant(7)).numpy()

    def test_name_the_branch_that_failed(self) -> None:
        table = tf.constant([1.0, 2.0])

        @tf.function
        def pick(i: Any) -> Any:
            return tf.cond(i < 0, lambda: tf.gather(table, i), lambda: tf.gather_nd(table, [i]))

        with pytest.raises(Invalid, match=r"tf.gather: indices = -3"):
            pick(tf.constant(-3)).numpy()
        with pytest.raises(Invalid, match=r"tf.gather_nd expected .* got 3"):
            pick(tf.constant(3)).numpy()
        assert pick(tf.constant(1)).numpy() == 2.0


class TestCase:
    @both
    def test_the_first_that_holds(self, run: Any) -> None:
        def grade(x: Any) -> Any:
            pairs = [(x < 2, lambda: x * 10), (x < 5, lambda: x * 100)]
            return tf.case(pairs, default=lambda: x)

        function = run(grade)
        assert [function(tf.constant(v)).numpy() for v in (1, 3, 7)] == [10, 300, 7]

    @both
    def test_without_a_default(self, run: Any) -> None:
        def grade(x: Any) -> Any:
            return tf.case([(x < 2, lambda: x * 10), (x < 5, lambda: x * 100)])

        function = run(grade)
        assert [function(tf.constant(v)).numpy() for v in (1, 3)] == [10, 300]
        text = "tf.case expected a predicate that holds, or a default; none of conditions evaluated as True"
        with pytest.raises(Invalid, match=text):
            function(tf.constant(7)).numpy()

    @both
    def test_exclusive(self, run: Any) -> None:
        def grade(x: Any) -> Any:
            pairs = [(x < 5, lambda: x * 10), (x > 1, lambda: x * 100)]
            return tf.case(pairs, default=lambda: x, exclusive=True)

        function = run(grade)
        assert [function(tf.constant(v)).numpy() for v in (1, 6)] == [10, 600]
        with pytest.raises(Invalid, match=r"expected at most one predicate that holds; exclusive=True"):
            function(tf.constant(3)).numpy()

    def test_dict_and_python_preds(self) -> None:
        assert tf.case({False: lambda: 1, True: lambda: 2}) == 2
        assert tf.case([(0, lambda: 1), (1.5, lambda: 2)]) == 2

    @pytest.mark.parametrize(
        ("error", "pairs", "default", "text"),
        [
            (ValueError, [], None, "tf.case expected at least one pair in pred_fn_pairs; got none"),
            (TypeError, 3, None, "pred_fn_pairs to be a list, tuple or dict; got pred_fn_pairs=3"),
            (TypeError, [True], None, "each entry of pred_fn_pairs to be a 2-tuple; got True"),
            (TypeError, [(True, 1)], None, "callable functions in pred_fn_pairs; got 1"),
            (TypeError, [(True, lambda: 1)], 3, "tf.case expected default to be callable; got default=3"),
            (ValueError, [([True, False], lambda: 1)], None, "tf.case expected a scalar pred"),
        ],
    )
    def test_nonsense(self, error: Any, pairs: Any, default: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            tf.case(pairs, default)


class TestSwitchCase:
    BRANCHES: tuple[Callable[[], Any], ...] = (
        lambda: tf.constant(10),
        lambda: tf.constant(11),
        lambda: tf.constant(12),
    )

    @both
    def test_numbers(self, run: Any) -> None:
        function = run(lambda i: tf.switch_case(i, list(self.BRANCHES)))
        found = [int(function(tf.constant(i))) for i in (0, 1, 2, 3, -1)]
        assert found == [10, 11, 12, 12, 12]
        assert int(function(tf.constant(1, tf.int64))) == 11

    @both
    def test_default(self, run: Any) -> None:
        function = run(lambda i: tf.switch_case(i, self.BRANCHES, default=lambda: tf.constant(99)))
        assert [int(function(tf.constant(i))) for i in (1, 3, -1)] == [11, 99, 99]

    def test_pairs(self) -> None:
        first, second, _ = self.BRANCHES
        assert tf.switch_case(tf.constant(1), {1: first, 0: second}).numpy() == 10
        assert tf.switch_case(0, [(1, first), (0, second)]).numpy() == 11
        assert tf.switch_case(tf.constant(4), {1: first, 0: second}).numpy() == 10

    def test_derivative(self) -> None:
        x = tf.Variable(3.0)

        @tf.function
        def slope(i: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.switch_case(i, [lambda: x * 2.0, lambda: x * x])
            return tape.gradient(y, x)

        assert [float(slope(tf.constant(i))) for i in (0, 1)] == [2.0, 6.0]

    def test_branches_that_cannot_be_recorded(self) -> None:
        function = tf.function(lambda i: tf.switch_case(i, [lambda: tf.zeros([1]), lambda: tf.zeros([2])]))
        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            assert function(tf.constant(0)).shape == (1,)
        assert function(tf.constant(1)).shape == (2,)

    @pytest.mark.parametrize(
        ("error", "index", "branches", "text"),
        [
            (
                TypeError,
                1.0,
                [lambda: 1],
                "branch_index to be an integer scalar; got shape \\(\\), dtype float32",
            ),
            (TypeError, [1], [lambda: 1], "branch_index to be an integer scalar; got shape \\(1,\\)"),
            (TypeError, True, [lambda: 1], "branch_index to be an integer scalar"),
            (TypeError, 0, 3, "branch_fns to be a list, tuple or dict; got branch_fns=3"),
            (ValueError, 0, [], "tf.switch_case expected at least one pair in branch_fns"),
            (TypeError, 0, [1, 2], "each entry of branch_fns to be a 2-tuple; got 1"),
            (TypeError, 0, {"a": lambda: 1}, "a Python int as the number of a branch; got 'a'"),
            (TypeError, 0, {0: 1}, "callable branch_fns; got 1"),
            (ValueError, 0, {0: lambda: 1, 5: lambda: 2}, r"contiguous range of \[0 to 2\); got \[0, 5\]"),
        ],
    )
    def test_nonsense(self, error: Any, index: Any, branches: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            tf.switch_case(index, branches)

    def test_default_must_be_a_function(self) -> None:
        with pytest.raises(TypeError, match=r"tf.switch_case expected default to be callable; got default=3"):
            tf.switch_case(0, self.BRANCHES, default=3)  # pyright: ignore[reportArgumentType]
