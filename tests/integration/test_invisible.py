"""Laziness is invisible: the same code run lazily, op by op and staged gives the same of everything.

Values (to 1e-6 in float32 and 1e-12 in float64), shapes, dtypes, exceptions and the line they name.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.engine.settings import settings as engine_settings

Script = Callable[[], Any]
SCRIPTS: list[Script] = []
FAILING: list[Script] = []


def script(function: Script) -> Script:
    """A program that gives tensors."""
    SCRIPTS.append(function)
    return function


def failing(function: Script) -> Script:
    """A program that raises, at the line marked `# here`."""
    FAILING.append(function)
    return function


def lazily(program: Script) -> Any:
    return tf.nest.map_structure(_value, program())


def op_by_op(program: Script) -> Any:
    engine_settings.op_by_op = True
    try:
        return tf.nest.map_structure(_value, program())
    finally:
        engine_settings.op_by_op = False


def staged(program: Script) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # programs that read a value are run as Python, and say so
        return tf.nest.map_structure(_value, tf.function(program)())


MODES = {"lazily": lazily, "op by op": op_by_op, "staged": staged}


def _value(tensor: Any) -> tuple[Any, ...]:
    if tensor is None:
        return (None,)
    return tuple(tensor.shape), tensor.dtype, tensor.numpy()


def assert_alike(found: Any, expected: Any) -> None:
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        if isinstance(one, (np.ndarray, np.generic)) and one.dtype.kind in "fc":
            tight = one.dtype in (np.float64, np.complex128)
            np.testing.assert_allclose(
                one, other, rtol=1e-12 if tight else 1e-6, atol=1e-12 if tight else 1e-6
            )
        elif isinstance(one, (np.ndarray, np.generic)):
            np.testing.assert_array_equal(one, other)
        else:
            assert one == other


def _weights(dtype: Any = "float32") -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    return tf.Variable(rng.normal(size=(5, 4)), dtype=dtype), tf.Variable(rng.normal(size=(4,)), dtype=dtype)


def _rows(dtype: Any = "float32") -> Any:
    return tf.constant(np.random.default_rng(8).normal(size=(3, 5)), dtype=dtype)


@script
def arithmetic_in_float32() -> Any:
    x = _rows()
    return [
        x * 2 + 1,
        x / 3.0,
        1.0 - x,
        x**2,
        tf.exp(x) - tf.math.log1p(tf.abs(x)),
        x // 0.5,
        x % 0.7,
    ]


@script
def arithmetic_in_float64() -> Any:
    x = _rows("float64")
    return [
        tf.tanh(x) * 0.3,
        tf.reduce_logsumexp(x, 1),
        tf.reduce_mean(x, 0),
        tf.sqrt(tf.abs(x)) / 7,
    ]


@script
def integers_and_booleans() -> Any:
    i = tf.constant([[7, -3], [2, 5]])
    return [
        i // 2,
        i % 3,
        -i // 4,
        i > 2,
        tf.reduce_sum(i),
        tf.cast(i, tf.float64) / 3,
        tf.argmax(i, 1),
        i * 1.5,
    ]


@script
def shapes_and_indexing() -> Any:
    x = _rows()
    n = tf.shape(x)[0]
    return [
        x[1],
        x[:, -2:],
        x[..., None],
        tf.reshape(x, [n * 5]),
        tf.transpose(x),
        tf.concat([x, x], 0),
        tf.stack([x, x], 1),
        tf.gather(x, [2, 0], axis=0),
    ]


@script
def several_results() -> Any:
    x = _rows()
    mean, variance = tf.nn.moments(x, 1)
    first, second = tf.split(x, [2, 3], axis=1)
    values, where = tf.math.top_k(x, 2)
    return [mean, variance, first, second, values, where]


@script
def a_value_read_half_way() -> Any:
    x = _rows()
    total = tf.reduce_sum(x)
    y = x * 2 if float(total) > 0 else x * 3
    return [y, total, tf.reduce_max(y)]


@script
def assignments_and_reads() -> Any:
    w, b = _weights()
    before = w.read_value()
    w.assign(w * 2)
    between = w + 1
    w.assign_add(tf.ones_like(w))
    b.assign_sub(tf.reduce_mean(w, 0))
    return [before, between, w.read_value(), b.read_value()]


@script
def a_gradient() -> Any:
    w, b = _weights()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.relu(tf.matmul(_rows(), w) + b) ** 2)
    return [loss, *tape.gradient(loss, [w, b])]


@script
def a_gradient_in_float64() -> Any:
    w, b = _weights("float64")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.softplus(tf.matmul(_rows("float64"), w) + b))
    return [loss, *tape.gradient(loss, [w, b])]


@script
def a_value_read_inside_a_tape() -> Any:
    w, b = _weights()
    with tf.GradientTape() as tape:
        hidden = tf.tanh(tf.matmul(_rows(), w) + b)
        str(hidden)
        loss = tf.reduce_sum(hidden * hidden)
    return [loss, *tape.gradient(loss, [w, b])]


@script
def third_order() -> Any:
    x = tf.constant([0.3, -0.7, 1.1], tf.float64)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.reduce_sum(tf.sin(x) * x)
            one = first.gradient(y, x)
        two = second.gradient(one, x)
    return [one, two, third.gradient(two, x)]


@script
def a_few_training_steps() -> Any:
    w, b = _weights()
    rate = 0.1
    for step in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(_rows(), w) + b) ** 2)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(rate / (1 + step) * gradient)
    return [loss, w.read_value(), b.read_value()]


@script
def loops_and_branches() -> Any:
    x = _rows()
    _, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + tf.reduce_sum(x)), (0, 0.0))
    return [
        tf.map_fn(lambda row: tf.reduce_sum(row) * row, x),
        tf.scan(lambda a, row: a * 0.5 + row, x),
        tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x),
        total,
    ]


@script
def seeded_random_numbers() -> Any:
    tf.random.set_seed(3)
    return [tf.random.normal((3,)), tf.random.uniform((2, 2)), tf.random.normal((3,))]


@script
def unconnected() -> Any:
    w, b = _weights()
    with tf.GradientTape() as tape:
        y = w * 2
    return tape.gradient(y, [w, b])


@failing
def inner_dimensions_differ() -> Any:
    return tf.matmul(tf.ones((2, 3)), tf.ones((4, 5)))  # here


@failing
def dtypes_differ() -> Any:
    x = tf.ones((2,))
    return x + tf.ones((2,), tf.float64)  # here


@failing
def shapes_do_not_broadcast() -> Any:
    x = tf.ones((2,)) * 2
    return x + tf.ones((3,))  # here


@failing
def an_axis_too_far() -> Any:
    return tf.reduce_sum(tf.ones((2, 2)), axis=5)  # here


@failing
def an_index_the_program_computes() -> Any:
    index = tf.cast(tf.reduce_sum(tf.ones((7,))), tf.int32)
    return tf.gather(tf.ones((3, 2)), [index])  # here


@failing
def an_index_too_far() -> Any:
    return tf.gather(tf.ones((3, 2)), [1, 5])  # here


@failing
def a_label_out_of_range() -> Any:
    labels = tf.cast(tf.ones((2,)) * 9, tf.int32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.ones((2, 4)))  # here


@failing
def a_wrong_shape_assigned() -> Any:
    w, _ = _weights()
    return w.assign(tf.ones((2, 2)))  # here


@failing
def a_tape_used_twice() -> Any:
    w, _ = _weights()
    with tf.GradientTape() as tape:
        y = w * 2
    tape.gradient(y, w)
    return tape.gradient(y, w)  # here


@failing
def a_ragged_list() -> Any:
    return tf.constant([[1, 2], [3]])  # here


@pytest.mark.parametrize("mode", ["op by op", "staged"])
@pytest.mark.parametrize("program", SCRIPTS, ids=lambda s: s.__name__)
def test_results_do_not_depend_on_how_code_runs(program: Script, mode: str) -> None:
    assert_alike(MODES[mode](program), lazily(program))


def _line_named(error: BaseException) -> int:
    """The line of this file that an error points to: in its text, or where it was raised."""
    named = re.findall(re.escape(__file__) + r":(\d+)", str(error))
    if named:
        return int(named[-1])
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
    line = frames[-1].lineno
    assert line is not None
    return line


def _line_marked(program: Script) -> int:
    code = program.__code__
    with open(__file__, encoding="utf-8") as source:
        lines = source.read().splitlines()
    return next(n for n in range(code.co_firstlineno, len(lines) + 1) if "# here" in lines[n - 1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", FAILING, ids=lambda s: s.__name__)
def test_errors_do_not_depend_on_how_code_runs(program: Script, mode: str) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011
        op_by_op(program)
    with pytest.raises(expected.type) as found:
        MODES[mode](program)
    assert _line_named(found.value) == _line_marked(program)


# Random programs: a list of small instructions over a pool of tensors and two Variables.

UNARY = [
    tf.tanh,
    tf.sin,
    tf.square,
    tf.nn.relu,
    lambda t: t * 0.5,
    lambda t: 1.0 - t,
    tf.identity,
    tf.reduce_mean,
]
BINARY = [tf.add, tf.subtract, tf.multiply, tf.maximum]
INSTRUCTIONS = st.lists(
    st.tuples(
        st.sampled_from(["unary", "binary", "assign", "assign_add", "use", "read", "gradient"]),
        st.integers(0, 7),
        st.integers(0, 7),
        st.integers(0, 1),
    ),
    min_size=3,
    max_size=14,
)


def _interpret(instructions: list[tuple[str, int, int, int]], dtype: str) -> list[Any]:
    variables = [
        tf.Variable([0.5, -1.0, 2.0], dtype=dtype),
        tf.Variable([1.5, 0.25, -0.75], dtype=dtype),
    ]
    pool = [tf.constant([0.1, -0.2, 0.3], dtype=dtype)]
    with tf.GradientTape(persistent=True) as tape:
        for kind, i, j, k in instructions:
            x, y, variable = pool[i % len(pool)], pool[j % len(pool)], variables[k]
            if kind == "unary":
                pool.append(UNARY[j](x))
            elif kind == "binary":
                pool.append(BINARY[k * 2 + j % 2](x, y))
            elif kind == "use":
                pool.append(x * variable)
            elif kind == "assign":
                variable.assign(tf.zeros((3,), dtype) + tf.tanh(x))
            elif kind == "assign_add":
                variable.assign_add(tf.zeros((3,), dtype) + 0.1 * x)
            elif kind == "read":
                str(x)
            else:
                found = tape.gradient(y, variable)
                pool.append(tf.zeros((3,), dtype) if found is None else found)
    return [*pool, *variables]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(INSTRUCTIONS, st.sampled_from(["float32", "float64"]))
def test_random_programs(instructions: list[tuple[str, int, int, int]], dtype: str) -> None:
    def program() -> Any:
        return [v.read_value() if isinstance(v, tf.Variable) else v for v in _interpret(instructions, dtype)]

    expected = op_by_op(program)
    assert_alike(lazily(program), expected)
    assert_alike(staged(program), expected)
