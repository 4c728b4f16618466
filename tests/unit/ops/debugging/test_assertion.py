"""Assertions on values: what holds, what is raised, and that recorded code is checked at every call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.debugging.check_numerics import check_numerics

InvalidArgumentError = tf.errors.InvalidArgumentError
nan, inf = np.nan, np.inf


def lines_of(error: BaseException) -> list[str]:
    return str(error).splitlines()


def is_named(error: BaseException, code: Any, offset: int) -> bool:
    """Whether the message ends with a line of this file, `offset` lines into a function."""
    return str(error).endswith(f"At {__file__}:{code.__code__.co_firstlineno + offset}.")


COMPARISONS: list[tuple[Callable[..., Any], str, Any, Any]] = [
    (tf.debugging.assert_equal, "x == y", [1, 2, 3], [1, 5, 4]),
    (tf.debugging.assert_none_equal, "x != y", [1, 2, 3], [0, 2, 3]),
    (tf.debugging.assert_less, "x < y", [0, 2, 3], [1, 2, 2]),
    (tf.debugging.assert_less_equal, "x <= y", [0, 2, 3], [0, 1, 2]),
    (tf.debugging.assert_greater, "x > y", [1, 2, 3], [0, 2, 4]),
    (tf.debugging.assert_greater_equal, "x >= y", [1, 2, 3], [1, 3, 4]),
]


@pytest.mark.parametrize(("function", "rule", "x", "y"), COMPARISONS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "bfloat16"])
def test_comparisons(function: Any, rule: str, x: Any, y: Any, dtype: str) -> None:
    assert function(tf.constant(x[0], dtype), tf.constant(y[0], dtype)) is None
    with pytest.raises(InvalidArgumentError) as caught:
        function(tf.constant(x, dtype), tf.constant(y, dtype), message="what I say")
    lines = lines_of(caught.value)
    assert lines[:2] == ["what I say", f"Condition {rule} did not hold."]
    assert lines[2:5] == ["Indices of first 2 different values:", "[[1]", " [2]]"]
    first = np.array(x, tf.as_dtype(dtype).as_numpy_dtype)
    assert lines[5:7] == ["Corresponding x values:", str(first[1:])]
    assert lines[9:11] == ["First 3 elements of x:", str(first)]


def test_the_text_is_tensorflows() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        tf.debugging.assert_equal(tf.constant([1, 2, 3]), tf.constant([1, 2, 4]))
    assert str(caught.value).rsplit("\n", 1)[0] == (
        "Condition x == y did not hold.\nIndices of first 1 different values:\n[[2]]\n"
        "Corresponding x values:\n[3]\nCorresponding y values:\n[4]\n"
        "First 3 elements of x:\n[1 2 3]\nFirst 3 elements of y:\n[1 2 4]"
    )
    assert is_named(caught.value, test_the_text_is_tensorflows, 2)


@pytest.mark.parametrize(
    ("summarize", "shown"),
    [(None, "[0 1 2]"), (2, "[0 1]"), (-1, "[0 1 2 3 4 5]"), (0, None), (100, "[0 1 2 3 4 5]")],
)
def test_summarize(summarize: Any, shown: str | None) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        tf.debugging.assert_equal(tf.reshape(tf.range(6), [2, 3]), 0, summarize=summarize)
    lines = lines_of(caught.value)
    if shown is None:
        assert len(lines) == 2
    else:
        assert shown in lines


def test_broadcasting_scalars_strings_and_bools() -> None:
    tf.debugging.assert_equal(tf.constant([2, 2]), 2)
    tf.debugging.assert_equal(tf.zeros([0]), tf.zeros([0]))
    tf.debugging.assert_less(1, 2.5)
    tf.debugging.assert_equal(tf.Variable([1.0]), np.ones(1))
    with pytest.raises(
        InvalidArgumentError, match=r"\[\[0 1\]\n \[1 1\]\]\nCorresponding x values:\n\[1 4\]"
    ):
        tf.debugging.assert_equal(tf.constant([[0, 1], [0, 4]]), tf.constant([0, 2]))
    with pytest.raises(InvalidArgumentError, match=r"First 1 elements of x:\n\[1\]"):
        tf.debugging.assert_equal(1, 2)
    with pytest.raises(InvalidArgumentError, match=r"Corresponding x values:\n\[b'b'\]"):
        tf.debugging.assert_equal(tf.constant(["a", "b"]), tf.constant(["a", "c"]))
    with pytest.raises(InvalidArgumentError, match="x == y did not hold"):
        tf.debugging.assert_equal(tf.constant([True]), tf.constant([False]))


def test_comparisons_of_what_does_not_compare() -> None:
    with pytest.raises(InvalidArgumentError, match="was expected to be a int32 tensor but is a float32"):
        tf.debugging.assert_equal(tf.constant(1), tf.constant(1.0))
    with pytest.raises(InvalidArgumentError, match="incompatible"):
        tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 2, 3]))


@pytest.mark.parametrize(
    ("name", "rule", "good", "bad"),
    [
        ("assert_positive", "x > 0", [1.0, 2.0], [1.0, 0.0]),
        ("assert_negative", "x < 0", [-1.0, -2.0], [-1.0, 0.0]),
        ("assert_non_negative", "x >= 0", [0.0, 2.0], [0.0, -1.0]),
        ("assert_non_positive", "x <= 0", [0.0, -2.0], [0.0, 1.0]),
        ("assert_positive", "x > 0", [], [nan, 1.0]),
    ],
)
def test_signs(name: str, rule: str, good: Any, bad: Any) -> None:
    function = getattr(tf.debugging, name)
    assert function(tf.constant(good, tf.float32)) is None
    with pytest.raises(InvalidArgumentError) as caught:
        function(tf.constant(bad), message="m")
    assert lines_of(caught.value)[:4] == [
        "m",
        f"Condition {rule} did not hold element-wise.",
        "x (shape=(2,) dtype=float32) =",
        repr([str(v) for v in bad]),
    ]
    with pytest.raises(InvalidArgumentError, match=re.escape(f"['{bad[0]}', '...']")):
        function(bad, summarize=1)
    with pytest.raises(
        TypeError, match=rf"{name} expected a tensor of real numbers; got x \(shape \[1\], bool"
    ):
        function(tf.constant([True]))


def test_near() -> None:
    near = tf.debugging.assert_near
    assert near(tf.constant([1.0, 2.0]), [1.0, 2.0000001]) is None
    near(tf.constant(1.0, tf.float64), 1.0 + 1e-15)
    near(tf.constant([1.0], tf.bfloat16), tf.constant([1.01], tf.bfloat16))
    near(tf.constant([1j], tf.complex64), tf.constant([1.05j], tf.complex64), rtol=0.1)
    near([1.0], [1.5], rtol=0.0, atol=0.6)
    for bound in (0.5, tf.constant(0.5)):  # the bound itself is outside
        with pytest.raises(InvalidArgumentError, match=r"not equal to tolerance rtol = 0\.0, atol = 0\.5\."):
            near([1.0], [1.5], rtol=0.0, atol=bound)
    with pytest.raises(
        InvalidArgumentError, match=r"rtol = 1\.19\d*e-06, atol = 1\.19\d*e-06\.\nx \(shape=\(2,\)"
    ):
        near(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.1]))
    with pytest.raises(InvalidArgumentError, match=r"rtol = 2\.22\d*e-15"):
        near(tf.constant(1.0, tf.float64), 1.0 + 1e-14)
    with pytest.raises(InvalidArgumentError, match=r"^close\nx and y not equal"):
        near([inf], [inf], message="close")
    with pytest.raises(
        ValueError, match=r"assert_near expected floating-point tensors; got x \(shape \[1\], int32\)"
    ):
        near(tf.constant([1]), tf.constant([1]))


def test_assert() -> None:
    assert tf.Assert(True, ["a"]) is None
    assert tf.Assert(tf.constant([1]), ["a"]) is None
    with pytest.raises(InvalidArgumentError) as caught:
        tf.Assert(tf.constant(False), ["a", tf.range(5), 1.5])
    assert str(caught.value).startswith(
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'a'\n"
        "0, 1, 2, ...\n1.5"
    )
    with pytest.raises(InvalidArgumentError, match=r"Expected 'False' to be true. Summarized data: 0, ...\n"):
        tf.Assert(False, [tf.range(5)], summarize=1)
    with pytest.raises(InvalidArgumentError, match="Summarized data: b'alone'"):
        tf.Assert(False, "alone")
    with pytest.raises(ValueError, match="expected a condition with one element"):
        tf.Assert(tf.constant([True, True]), ["a"])
    with pytest.raises(TypeError, match="expected a list for data"):
        tf.Assert(False, tf.constant([1, 2]))


@pytest.mark.filterwarnings("ignore:.*is run as plain Python")
def test_assert_in_a_function_that_is_run_as_plain_python() -> None:
    @tf.function
    def lengths(text: Any) -> Any:
        found = tf.strings.length(text)
        tf.Assert(tf.reduce_all(found > 2), ["short", found])
        return found

    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match="short"):
            lengths(tf.constant(["abc", "a"]))
        assert lengths(tf.constant(["abc", "abcd"])).numpy().tolist() == [3, 4]


def test_check_numerics() -> None:
    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(check_numerics(x, "fine"), [1.0, 2.0])
    assert check_numerics([1.0], "fine").dtype == tf.float32
    for value, found in [([1.0, nan], "NaN"), ([-inf, 1.0], "Inf"), ([nan, inf], "Inf and NaN")]:
        for dtype in ("float16", "float32", "float64", "bfloat16"):
            with pytest.raises(InvalidArgumentError, match=rf"^here : Tensor had {found} values\.\nAt "):
                check_numerics(tf.constant(value, dtype), "here")
    with pytest.raises(InvalidArgumentError, match=r"expected a floating-point tensor; got tensor .* int32"):
        check_numerics(tf.constant([1]), "here")
    with pytest.raises(InvalidArgumentError, match=r"^all : Tensor had NaN values"):
        tf.debugging.assert_all_finite(tf.constant(nan), "all")


def test_check_numerics_lets_gradients_through() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = check_numerics(x * x, "fine")
    assert float(tape.gradient(y, x)) == 6.0


# ------------------------------------------------------------------------------- recorded code


def test_a_function_is_checked_at_every_call() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.debugging.assert_positive(x, message="a {message} with braces")
        return x * 2.0

    assert float(f(tf.constant(1.0))) == 2.0
    for _ in range(2):
        with pytest.raises(InvalidArgumentError) as caught:
            f(tf.constant(-1.0))  # the call raises, though nobody reads its result
        assert lines_of(caught.value)[0] == "a {message} with braces"
        assert "Condition x > 0 did not hold element-wise." in str(caught.value)
        assert is_named(caught.value, f.python_function, 2)
    assert float(f(tf.constant(4.0))) == 8.0
    assert f.experimental_get_tracing_count() == 1


def test_the_first_call_is_checked_too() -> None:
    @tf.function
    def f(x: Any) -> None:
        tf.debugging.assert_equal(x, tf.constant([1, 2, 4, 4]), message="m")

    with pytest.raises(InvalidArgumentError) as caught:
        f(tf.constant([1, 2, 3, 3]))
    assert str(caught.value).startswith(
        "m\nCondition x == y did not hold. It fails for 2 of 4 elements, the first at flat index 2. At "
    )
    assert is_named(caught.value, f.python_function, 2)
    assert f(tf.constant([1, 2, 4, 4])) is None


@pytest.mark.parametrize(
    ("check", "good", "bad", "text"),
    [
        (lambda x: tf.debugging.assert_near(x, 1.0, message="m"), 1.0, 2.0, "m\nx and y not equal to"),
        (lambda x: tf.debugging.assert_less(x, 3.0), [1.0], [3.0], "Condition x < y did not hold."),
        (lambda x: tf.Assert(x > 0, ["x is", x]), 1.0, -1.0, "Assertion failed: b'x is'."),
        (lambda x: tf.Assert(x, ["zero"]), 1, 0, "Assertion failed: b'zero'."),
        (lambda x: check_numerics(x, "m"), 1.0, nan, "m : Tensor had NaN values."),
        (lambda x: check_numerics(x, "m"), [1.0], [inf], "m : Tensor had Inf values."),
        (lambda x: check_numerics(x, "m"), [1.0, 1.0], [nan, inf], "m : Tensor had Inf and NaN values."),
    ],
)
def test_every_kind_is_checked_in_a_function(check: Any, good: Any, bad: Any, text: str) -> None:
    @tf.function
    def f(x: Any) -> Any:
        check(x)
        return x

    f(tf.constant(good))
    with pytest.raises(InvalidArgumentError) as caught:
        f(tf.constant(bad))
    assert str(caught.value).startswith(text)
    f(tf.constant(good))
    assert f.experimental_get_tracing_count() == 1


def test_a_failed_call_writes_nothing_after_the_assertion() -> None:
    before, after = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step(x: Any) -> None:
        before.assign_add(1.0)
        tf.debugging.assert_positive(x)
        after.assign_add(x)

    def values() -> tuple[float, float]:
        return float(before), float(after)

    with pytest.raises(InvalidArgumentError):
        step(tf.constant(-1.0))
    assert values() == (1.0, 0.0)  # as eager code would leave them
    step(tf.constant(2.0))
    assert values() == (2.0, 2.0)
    with pytest.raises(InvalidArgumentError):
        step(tf.constant(-1.0))
    assert values() == (3.0, 2.0)
    step(tf.constant(3.0))
    assert values() == (4.0, 5.0)


def test_what_the_host_knows_is_checked_when_recorded() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.debugging.assert_equal(tf.shape(x)[0], 3, message="rows")
        return x

    with pytest.raises(InvalidArgumentError, match=r"^rows\nCondition x == y did not hold\.\nFirst 1 elem"):
        f(tf.zeros([2]))
    f(tf.zeros([3]))
    assert f.experimental_get_tracing_count() == 1  # a trace that raises is none


def test_assertions_in_functions_run_eagerly() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        with pytest.raises(InvalidArgumentError, match=r"\['-1\.0'\]"):
            f(tf.constant([-1.0]))
    finally:
        tf.config.run_functions_eagerly(False)


def test_assertions_in_loops_and_branches() -> None:
    def body(i: Any, x: Any) -> Any:
        tf.debugging.assert_less(x, 5.0, message="in the loop")
        return i + 1, x + 1.0

    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x])[1]

    def choose(x: Any) -> Any:
        def large() -> Any:
            tf.debugging.assert_less(x, 8.0, message="in the branch")
            return x

        return tf.cond(x > 5.0, large, lambda: x + 1.0)

    for f, good, value, bad in [(loop, 0.0, 3.0, 4.0), (choose, 6.0, 6.0, 9.0)]:
        for run in (f, tf.function(f)):
            assert float(run(tf.constant(good))) == value
            with pytest.raises(InvalidArgumentError):
                run(tf.constant(bad)).numpy()
            assert float(run(tf.constant(good))) == value


@pytest.mark.parametrize("is_staged", [False, True])
def test_an_assertion_in_a_body_says_its_message(is_staged: bool) -> None:
    def f(x: Any) -> Any:
        def row(r: Any) -> Any:
            tf.debugging.assert_positive(r, message="rows are positive")
            return r * 2.0

        return tf.map_fn(row, x)

    run = tf.function(f) if is_staged else f
    np.testing.assert_array_equal(run(tf.constant([1.0, 2.0])), [2.0, 4.0])
    with pytest.raises(InvalidArgumentError, match="rows are positive"):
        run(tf.constant([1.0, -2.0])).numpy()
