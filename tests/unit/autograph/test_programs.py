"""Converted programs give what plain Python gives, forward and backward, as one program without reading a value."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

PROGRAMS: list[Any] = []


def program(*inputs: Any) -> Any:
    """Enter a function to be run on each of these inputs: numbers or lists, as float32 tensors."""

    def enter(function: Any) -> Any:
        PROGRAMS.extend(pytest.param(function, value, id=f"{function.__name__}-{value}") for value in inputs)
        return function

    return enter


# ---------------------------------------------------------------------------------- branches


@program(3.0, -3.0)
def if_else(x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@program(3.0, -3.0)
def if_without_else(x):
    y = x
    if x > 0:
        y = y * x
    return y


@program(-2.0, 0.5, 2.0)
def elif_chain(x):
    if x < 0:
        y = -x
    elif x < 1:
        y = x * x
    else:
        y = tf.sqrt(x)
    return y


@program(-2.0, 0.5, 2.0)
def nested_ifs(x):
    y = x
    if x > -1:
        y = y + 1
        if x > 1:
            y = y * 3
        else:
            y = y * 5
    return y


@program(-1.0, 1.0)
def early_return(x):
    if x < 0:
        return -x
    y = x * 3
    return y + 1


@program(-1.0, 1.0, 5.0)
def early_returns(x):
    if x < 0:
        return -x
    if x > 3:
        return x * x
    return x + 10


@program(-1.0, 1.0, 5.0)
def return_in_a_nested_branch(x):
    y = x + 1
    if x > 0:
        if x > 3:
            return y * 2
        y = y * 5
    return y


@program(-1.0, 1.0)
def returns_a_structure(x):
    if x > 0:
        return {"a": x, "b": (x * 2, 1.0)}
    return {"a": -x, "b": (x, 2.0)}


@program(-1.0, 1.0)
def ternary(x):
    return (x * 2 if x > 0 else x * 3) + 1


@program(-1.0, 0.5, 1.5)
def nested_ternary(x):
    return x if x > 1 else (x * x if x > 0 else -x)


@program(-1.0, 0.5, 1.5)
def and_or_not(x):
    y = x
    if x > 0 and not (x > 1):
        y = y * 2
    if x < 0 or x > 1:
        y = y - 7
    return y


@program(-1.0, 0.5, 1.5)
def chained_comparison(x):
    return x * 2 if 0 < x < 1 else x


@program(-1.0, 1.0)
def branch_on_a_python_value(x):
    flag = x.shape == ()
    y = x
    if flag:
        y = y + 1
    return y if y > 0 else y * 2


@program(1.0, -1.0)
def local_names_in_branches(x):
    if x > 0:
        a = x * 2
        y = a + 1
    else:
        b = x * 3
        y = b - 1
    return y


@program(1.0, -1.0)
def a_number_in_one_branch(x):
    y = 0.0
    if x > 0:
        y = x
    return y + x


@program([1.0, -2.0, 3.0])
def branch_on_a_reduction(x):
    if tf.reduce_sum(x) > 0:
        x = x / tf.reduce_sum(x)
    return x


@program(1.0, -1.0)
def tuple_assignment(x):
    a, b = x, -x
    if x > 0:
        a, b = b, a
    return a * 2 + b


@program(1.0, -1.0)
def a_dict_in_a_branch(x):
    if x > 0:
        d = {"y": x * 2, "z": x}
    else:
        d = {"y": x, "z": x * 4}
    return d["y"] + d["z"]


@program(1.0, -1.0)
def with_block(x):
    with tf.name_scope("scope"):
        if x > 0:
            return x * 2
    return x


@program(1.0, -1.0)
def try_block(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = x
    finally:
        z = 1.0
    return y + z


# ---------------------------------------------------------------------------------- loops


@program(1.0)
def for_range(x):
    for _ in tf.range(5):
        x = x * 1.5
    return x


@program(1.0)
def for_range_with_index(x):
    total = x
    for i in tf.range(2, 10, 3):
        total = total + tf.cast(i, tf.float32) * x
    return total


@program(1.0, 3.0, 0.0)
def for_unknown_range(x):
    n = tf.cast(x, tf.int32) * 3
    y = x + 1
    for i in tf.range(n):
        y = y + tf.cast(i, tf.float32) * x
    return y


@program(1.0, 3.0)
def python_range_of_a_tensor(x):
    n = tf.cast(x, tf.int32)
    y = x
    for i in range(n):
        y = y * x + tf.cast(i, tf.float32)
    return y


@program([1.0, 2.0, 3.0])
def for_rows(x):
    total = 0.0
    for row in x:
        total = total * 2.0 + row
    return total


@program([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
def for_enumerate(x):
    total = tf.zeros(2)
    for i, row in enumerate(x):
        total += row * tf.cast(i + 1, tf.float32)
    return total


@program([1.0, 2.0, 3.0])
def for_zip(x):
    total = 0.0
    for a, b in zip(x, x * x):  # noqa: B905
        total = total + a * b
    return total


@program(1.0, 50.0)
def while_loop(x):
    while x < 100:
        x = x * 1.7
    return x


@program(1.0, 50.0)
def while_with_a_counter(x):
    i = 0
    while x < 100:
        x = x * 1.7
        i += 1
    return x + tf.cast(i, tf.float32)


@program(1.0, 100.0)
def while_and(x):
    i = tf.constant(0)
    while x < 100 and i < 3:
        x = x * 1.7
        i += 1
    return x


@program(1.0)
def while_true_break(x):
    while True:
        x = x * 2
        if x > 50:
            break
    return x


@program(1.0, 20.0)
def for_break(x):
    for i in tf.range(100):
        if x > 10:
            break
        x = x * 1.5 + tf.cast(i, tf.float32)
    return x


@program(1.0)
def for_continue(x):
    total = x
    for i in tf.range(10):
        if i % 2 == 0:
            continue
        total = total + tf.cast(i, tf.float32) * x
    return total


@program(1.0, 30.0)
def continue_and_break(x):
    n = 0
    for i in tf.range(20):
        if i % 3 == 0:
            continue
        x = x * 1.3
        if x > 40:
            break
        n += 1
    return x + tf.cast(n, tf.float32)


@program(1.0, 0.001, 20.0)
def return_in_a_loop(x):
    for _ in tf.range(10):
        if x > 10:
            return x
        x = x * 2
    return -x


@program(1.0, 0.001)
def return_in_a_while(x):
    i = 0
    while i < 5:
        if x > 4:
            return x * 100
        x = x * 2
        i += 1
    return x


@program(1.0, 100.0)
def for_else(x):
    for _ in tf.range(5):
        if x > 50:
            break
        x = x * 1.5
    else:
        x = x + 1000
    return x


@program(1.0)
def nested_for(x):
    for i in tf.range(3):
        for j in tf.range(4):
            x = x + tf.cast(i * j, tf.float32) * 0.1 * x
    return x


@program(1.0)
def nested_for_break(x):
    for i in tf.range(3):
        for j in tf.range(4):
            if j > i:
                break
            x = x * 1.1
    return x


@program(1.0)
def while_in_for(x):
    for _ in tf.range(3):
        y = x
        while y < 10:
            y = y * 2
        x = x + y
    return x


@program(1.0)
def python_loop_around(x):
    for i in range(3):
        if x > i:
            x = x * 2
        for _ in tf.range(2):
            x = x + 1
    return x


@program(1.0)
def name_set_in_a_loop_only(x):
    for i in tf.range(4):
        last = x * tf.cast(i, tf.float32)
    return last


@program(1.0)
def tuple_carried(x):
    state = (x, x * 2)
    for _ in tf.range(3):
        a, b = state
        state = (b, a + b)
    return state[0] - state[1]


@program(1.0)
def dict_carried(x):
    state = {"a": x, "b": tf.zeros(())}
    for _ in tf.range(3):
        state = {"a": state["a"] * 2, "b": state["b"] + state["a"]}
    return state["b"]


@program(1.0)
def fibonacci(x):
    a, b = x, x
    for _ in tf.range(10):
        a, b = b, a + b
    return b


@program(9.0)
def newton(x):
    guess = x
    while tf.abs(guess * guess - x) > 1e-3:
        guess = (guess + x / guess) / 2
    return guess


@program(27.0, 7.0)
def collatz(x):
    n, steps = tf.cast(x, tf.int32), 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return tf.cast(steps, tf.float32) * x


# ---------------------------------------------------------------------------------- arrays


@program(1.0)
def array_of_fixed_size(x):
    array = tf.TensorArray(tf.float32, size=5)
    for i in tf.range(5):
        x = x * 2
        array = array.write(i, x)
    return array.stack()


@program([1.0, 2.0])
def array_that_grows(x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(5):
        x = x * 2
        array = array.write(i, x)
    return array.stack()


@program([1.0, 2.0])
def array_written_at_its_size(x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    array = array.write(0, x)
    for _ in tf.range(3):
        x = x * 2
        array = array.write(array.size(), x)
    return array.stack()


@program([1.0, 2.0, 3.0])
def array_read_in_a_loop(x):
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    total = 0.0
    for i in tf.range(3):
        total = total + array.read(i) * tf.cast(i, tf.float32)
    return total


@program(1.0)
def array_and_break(x):
    array = tf.TensorArray(tf.float32, size=6, element_shape=())
    for i in tf.range(6):
        if x > 10:
            break
        x = x * 2
        array = array.write(i, x)
    return array.stack()


@program(1.0)
def array_in_a_branch(x):
    array = tf.TensorArray(tf.float32, size=4, element_shape=())
    for i in tf.range(4):
        if i % 2 == 0:
            array = array.write(i, x)
        else:
            array = array.write(i, -x)
    return array.stack()


@program([[1.0, 2.0], [3.0, 4.0]])
def array_after_enumerate(x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    h = tf.zeros(2)
    for i, row in enumerate(x):
        h = tf.tanh(h + row)
        array = array.write(i, h)
    return array.stack()


# ---------------------------------------------------------------------------------- functions


def _double_if_positive(x):
    if x > 0:
        return x * 2
    return x


@program(1.0, -1.0)
def calls_a_function(x):
    return _double_if_positive(x) + _double_if_positive(-x)


@program(1.0, -1.0)
def nested_function(x):
    def inner(y):
        if y > 0:
            return y * x
        return y - x

    return inner(x) + inner(-x)


@program(1.0, -1.0)
def calls_a_lambda(x):
    choose = lambda y: y * 2 if y > 0 else y  # noqa: E731
    return choose(x)


@program(1.0)
def nonlocal_name(x):
    count = tf.zeros(())

    def add(y):
        nonlocal count
        if y > 0:
            count = count + y

    add(x)
    add(x * 2)
    return count


class _Counter:
    def __init__(self, start):
        self.__total = start

    def __sum(self, x):
        return self.__total + x

    def add_if_positive(self, x):
        if x > 0:
            self.__total = self.__sum(x)
        return self.__total


class _Twice(_Counter):
    def add_if_positive(self, x):
        if x > -100:
            return super().add_if_positive(x) * 2
        return x


@program(1.0, -1.0)
def partial_function(x):
    def power(y, n):
        for _ in tf.range(n):
            y = y * x
        return y

    return functools.partial(power, n=3)(x)


@program(2.0)
def recursion_of_python(x):
    def power(y, n):
        if n == 0:
            return tf.ones(())
        return y * power(y, n - 1)

    return power(x, 3) if x > 0 else x


class _Callable:
    def __call__(self, x):
        if x > 0:
            return x * 7
        return x


@program(1.0, -1.0)
def callable_object(x):
    return _Callable()(x)


@program([1.0, -2.0, 3.0])
def body_of_map_fn(x):
    return tf.map_fn(lambda row: row * 2 if row > 0 else row, x)


@program([1.0, -2.0, 3.0])
def body_of_vectorized_map(x):
    def choose(row):
        if row > 0:
            return row * row
        return -row

    return tf.vectorized_map(choose, x)


@program(1.0, -1.0)
def body_of_cond(x):
    def positive():
        if x > 3:
            return x
        return x * 5

    return tf.cond(x > 0, positive, lambda: x)


# ---------------------------------------------------------------------------------- built-in functions


@program(2.7, -1.2)
def int_and_float(x):
    return float(int(x)) + x


@program([1.0, 2.0])
def length(x):
    return x * float(len(x))


@program([1.0, -1.0], [1.0, 1.0])
def any_and_all(x):
    y = x
    if all(x > 0):
        y = y * 2
    if any(x < 0):
        y = y * 3
    return y


@program(1.0)
def abs_min_max(x):
    y = abs(-x)
    return y if y > 0 else x


@pytest.mark.parametrize(("function", "value"), PROGRAMS)
def test_equals_plain_python(function: Any, value: Any) -> None:
    x = tf.constant(value)

    def run(f: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = f(x)
            flat = [tf.cast(t, tf.float32) for t in tf.nest.flatten(found)]
            total = tf.add_n([tf.reduce_sum(t * t) for t in flat])
        gradient = tape.gradient(total, x)
        return tf.nest.map_structure(lambda t: tf.convert_to_tensor(t).numpy(), found), gradient.numpy()

    wanted, wanted_gradient = run(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        staged = tf.function(function)
        found, gradient = run(staged)
        again, _ = run(staged)
        alone = tf.nest.map_structure(lambda t: tf.convert_to_tensor(t).numpy(), staged(x))
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5), found, wanted)
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5), again, wanted)
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5), alone, wanted)
    np.testing.assert_allclose(gradient, wanted_gradient, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [_Counter, _Twice])
@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_method_with_private_names_and_super(kind: Any, x: float) -> None:
    wanted = kind(tf.constant(5.0)).add_if_positive(tf.constant(x))

    @tf.function
    def staged(x: Any) -> Any:
        return kind(tf.constant(5.0)).add_if_positive(x)

    assert float(staged(tf.constant(x))) == float(wanted)
