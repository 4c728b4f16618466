"""`if` over a tensor: what is recorded, what is an error, and what is left to Python."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def staged(function: Any, *args: Any) -> Any:
    """The result of a function that must be recorded, called twice."""
    made = tf.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(*args)
        return made(*args)


class TestErrors:
    def test_a_name_set_in_one_branch(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if x > 0:
                y = x
            return y

        with pytest.raises(ValueError, match="'y' must also be initialized in the else branch"):
            f(tf.constant(1.0))

    def test_a_name_set_in_the_other_branch(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if x > 0:
                pass
            else:
                y = x
            return y

        with pytest.raises(ValueError, match="'y' must also be initialized in the if branch"):
            f(tf.constant(1.0))

    def test_different_dtypes(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            y = 1
            if x > 0:
                y = x
            return y

        with pytest.raises(
            TypeError, match="'y' to have the same dtype in both branches; got float32 and int32"
        ):
            f(tf.constant(1.0))

    def test_a_return_in_one_branch(self) -> None:
        @tf.function  # noqa: RET503
        def f(x: Any) -> Any:
            if x > 0:
                return x

        with pytest.raises(ValueError, match="got a `return` in one branch only"):
            f(tf.constant(1.0))

    def test_a_truth_value_of_several_elements(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if x > 0:
                x = -x
            return x

        with pytest.raises(ValueError, match="truth value of other than one element is ambiguous"):
            f(tf.constant([1.0, 2.0]))


class TestLeftToPython:
    """What cannot be part of a program reads the value, with one warning that says why and where."""

    @staticmethod
    def plain(function: Any, why: str, *args: Any) -> Any:
        made = tf.function(function)
        with pytest.warns(UserWarning, match=f"is run as plain Python: at {__file__}:\\d+ .*{why}"):
            first = made(*args)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            second = made(*args)
        tf.nest.map_structure(np.testing.assert_array_equal, first, second)
        return first

    def test_different_python_values(self) -> None:
        def f(x: Any) -> Any:
            y = None
            if x > 0:
                y = x
            return y

        assert float(self.plain(f, "its branches give 'y' different Python values", tf.constant(1.0))) == 1.0

    def test_different_shapes(self) -> None:
        def f(x: Any) -> Any:
            return x if x > 0 else tf.stack([x, x])

        assert self.plain(f, "different shapes", tf.constant(-1.0)).shape == (2,)

    def test_strings(self) -> None:
        def f(x: Any) -> Any:
            return tf.constant("positive") if x > 0 else tf.constant("negative")

        assert self.plain(f, "strings", tf.constant(-1.0)).numpy() == b"negative"

    def test_a_list_that_is_changed(self) -> None:
        def f(x: Any) -> Any:
            seen = [x]
            if x > 0:
                seen.append(x * 2)
            return tf.add_n(seen)

        assert float(self.plain(f, "it changes a Python list", tf.constant(1.0))) == 3.0

    def test_a_dict_that_is_changed(self) -> None:
        def f(x: Any) -> Any:
            seen, key = {"y": x}, "y"
            if x > 0:
                seen[key] = x * 2
            return seen

        assert float(self.plain(f, "it changes a Python dict", tf.constant(1.0))["y"]) == 2.0

    def test_an_exception(self) -> None:
        def f(x: Any) -> Any:
            if x > 0:
                raise ValueError("positive")
            return x

        assert float(self.plain(f, "it raises an exception", tf.constant(-1.0))) == -1.0
        with pytest.raises(ValueError, match="positive"):
            tf.function(f)(tf.constant(1.0))

    def test_a_read(self) -> None:
        def f(x: Any) -> Any:
            if x > 0:
                x = x * x.numpy()
            return x

        assert float(self.plain(f, "Python reads the value", tf.constant(2.0))) == 4.0


class TestState:
    def test_variables_that_a_branch_assigns(self) -> None:
        v = tf.Variable(0.0)

        def f(x: Any) -> Any:
            if x > 0:
                v.assign_add(x)
            else:
                v.assign(-1.0)
            return v.read_value()

        made = tf.function(f)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [float(made(tf.constant(x))) for x in (1.0, 2.0, -1.0, 5.0)] == [1.0, 3.0, -1.0, 4.0]

    def test_attributes_that_a_branch_assigns(self) -> None:
        class Owner:
            pass

        def f(x: Any) -> Any:
            owner = Owner()
            owner.total = x  # pyright: ignore[reportAttributeAccessIssue]
            if x > 0:
                owner.total = owner.total * 2  # pyright: ignore[reportAttributeAccessIssue]
            return owner.total  # pyright: ignore[reportAttributeAccessIssue]

        assert float(staged(f, tf.constant(3.0))) == 6.0
        assert float(staged(f, tf.constant(-3.0))) == -3.0

    def test_assertions_are_checks_of_the_program(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if x < 10:
                assert x > 0, "not positive"
            return x

        assert float(f(tf.constant(1.0))) == 1.0
        assert float(f(tf.constant(20.0))) == 20.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
            f(tf.constant(-1.0)).numpy()

    def test_only_the_branch_taken_is_computed(self) -> None:
        @tf.function
        def f(x: Any, i: Any) -> Any:
            return x[i] if i < 3 and x[i] > 0 else tf.zeros(())

        x = tf.constant([1.0, -2.0, 3.0])
        assert [float(f(x, tf.constant(i))) for i in (0, 1, 2, 7)] == [1.0, 0.0, 3.0, 0.0]

    def test_python_runs_once(self) -> None:
        seen: list[str] = []

        def note(what: str) -> None:
            seen.append(what)

        @tf.function
        def f(x: Any) -> Any:
            if x > 0:
                note("if")
                return x
            note("else")
            return -x

        assert [float(f(tf.constant(x))) for x in (1.0, -1.0, 2.0)] == [1.0, 1.0, 2.0]
        assert sorted(seen) == ["else", "if"]

    def test_a_branch_on_a_variable(self) -> None:
        flag = tf.Variable(True)

        @tf.function
        def f(x: Any) -> Any:
            return x * 2 if flag else x

        assert float(f(tf.constant(1.0))) == 2.0
        flag.assign(False)
        assert float(f(tf.constant(1.0))) == 1.0


class TestEffects:
    """What a branch prints or logs happens if it was taken, at every call, in the order of the program."""

    def test_printing(self, capfd: pytest.CaptureFixture[str]) -> None:
        @tf.function
        def f(x: Any) -> Any:
            tf.print("start")
            if x > 0:
                tf.print("positive", x * 2, "!")
                if x > 5:
                    tf.print("large")
            else:
                tf.print("negative", x)
            return x

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for x in (1.0, -1.0, 7.0):
                f(tf.constant(x))
        told = capfd.readouterr().err.split("\n")
        assert told[:-1] == [
            *("start", "positive 2 !", "start", "negative -1", "start", "positive 14 !", "large"),
        ]

    def test_logging(self, tmp_path: Any) -> None:
        writer = tf.summary.create_file_writer(str(tmp_path))

        @tf.function
        def f(step: Any) -> Any:
            with writer.as_default():
                if step % 2 == 0:
                    tf.summary.scalar("even", tf.cast(step, tf.float32), step=tf.cast(step, tf.int64))
            return step

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for step in range(5):
                f(tf.constant(step))
        writer.close()
        assert len(list(tmp_path.iterdir())) == 1

    def test_strings_that_a_branch_computes_are_left_to_python(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if x > 0:
                tf.print(tf.strings.as_string(x))
            return x

        with pytest.warns(UserWarning, match="plain Python"):
            f(tf.constant(1.0))

    def test_a_while_that_prints_in_a_loop_of_unknown_length_is_left_to_python(
        self, capfd: pytest.CaptureFixture[str]
    ) -> None:
        @tf.function
        def f(x: Any, n: Any) -> Any:
            for _ in tf.range(n):
                while x > 1:
                    tf.print("turn", x)
                    x = x - 1
            return x

        with pytest.warns(UserWarning, match="prints or logs in a loop of unknown length"):
            f(tf.constant(3.0), tf.constant(2))
        assert capfd.readouterr().err == "turn 3\nturn 2\n"


class TestKnownTests:
    """A test whose value is known, say from a shape: both branches are traced, the taken one is computed."""

    def test_both_branches_are_checked(self) -> None:
        @tf.function
        def undefined() -> Any:
            if tf.constant(True):
                y = 1
            return y

        with pytest.raises(ValueError, match="'y' must also be initialized in the else branch"):
            undefined()

        @tf.function
        def mixed(x: Any) -> Any:
            if tf.shape(x)[0] > 2:
                y = tf.cast(x, tf.int32)
            else:
                y = x
            return y

        with pytest.raises(TypeError, match="'y' to have the same dtype"):
            mixed(tf.ones(3))

    def test_python_prints_once_in_each(self, capsys: pytest.CaptureFixture[str]) -> None:
        @tf.function
        def f(x: Any) -> Any:
            if tf.constant(True):
                print("a")  # noqa: T201
                y = x
            else:
                print("b")  # noqa: T201
                y = -x
            return y

        assert float(f(tf.constant(1.0))) == 1.0
        assert capsys.readouterr().out == "a\nb\n"

    def test_sizes_stay_known(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            size = tf.shape(x)[0]
            if size > 2:
                size = tf.constant(2)
            return tf.zeros([size])

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [f(tf.ones(n)).shape[0] for n in (1, 2, 3)] == [1, 2, 2]

    def test_a_loop_is_recorded_once(self) -> None:
        turns = []

        @tf.function
        def f() -> Any:
            i = tf.constant(0)
            while i < 1000:
                note()
                i += 1
            return i

        def note() -> None:
            turns.append(1)

        assert int(f()) == 1000
        assert len(turns) == 1
