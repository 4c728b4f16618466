"""Programs that hypothesis draws, of nested control flow, equal the same function run eagerly by plain Python."""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tapeflow as tf

NAMES = ("a", "b", "c")
STEPS = (
    "{x} = {y} * 0.5 + {z}",
    "{x} = tf.sin({y}) - {z}",
    "{x} = {y} - 0.3",
    "{x}, {y} = {y}, {x}",
    "{x} += {y} * {z} * 0.1",
    "{x} = {y} if {test} else {z}",
    "{x} = tf.tanh({y} + {z})",
    "pair = ({x}, {y}); {z} = pair[0] - pair[1]",
)
TESTS = (
    "{y} > {z}",
    "{y} < 0.217",
    "{y} * {z} > 0.113",
    "not {y} > 0.391",
    "{y} > -0.513 and {z} < 0.877",
    "{y} > 1.123 or {z} > 0.057",
    "-0.411 < {y} < 0.823",
    "n > 2",
    "{y} > 0.333 and n > 1",
)
HEADS = ("for i in tf.range({count})", "for i in tf.range(n)", "for i in range({count})", "for row in v")

names = st.sampled_from(NAMES)
tests = st.builds(lambda t, y, z: t.format(y=y, z=z), st.sampled_from(TESTS), names, names)
tensor_tests = st.builds(lambda t, y, z: t.format(y=y, z=z), st.sampled_from(TESTS[:7]), names, names)


@st.composite
def steps(draw: Any) -> list[str]:
    """One statement on tensors."""
    order = draw(st.permutations(NAMES))
    text = draw(st.sampled_from(STEPS)).format(x=order[0], y=order[1], z=order[2], test=draw(tests))
    return text.split("; ")


@st.composite
def blocks(draw: Any, depth: int, loop: str = "") -> list[str]:
    """Statements, with branches and loops in them down to a depth; `loop` is the kind of loop they are in."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["step", "step", "if", "for", "while"])) if depth else "step"
        if kind == "step":
            lines += draw(steps())
        elif kind == "if":
            lines += draw(branches(depth, loop))
        elif kind == "for":
            head = draw(st.sampled_from(HEADS)).format(count=draw(st.integers(0, 4)))
            of_python = "" if "tf." in head or "row" in head else "python"
            body = draw(blocks(depth - 1, of_python or "tensor"))
            used = "row * 0.01" if "row" in head else "tf.cast(i, tf.float32) * 0.01"
            lines += [f"{head}:", *indented([f"a = a + {used}", *body])]
        else:
            counter = f"k{draw(st.integers(0, 10**6))}"
            body = draw(blocks(depth - 1, "tensor"))
            test = f"{counter} < n and {draw(tensor_tests)}" if draw(st.booleans()) else f"{counter} < n"
            lines += [f"{counter} = tf.constant(0)", f"while {test}:", *indented([f"{counter} += 1", *body])]
    return lines


@st.composite
def branches(draw: Any, depth: int, loop: str) -> list[str]:
    lines = [f"if {draw(tensor_tests if loop == 'tensor' else tests)}:"]
    lines += indented(draw(blocks(depth - 1, loop)))
    jump = draw(st.sampled_from(["", "", "break", "continue", "return a - b"]))
    if jump and (loop == "tensor" or (not loop and jump.startswith("return"))):
        lines += indented([jump])
    for _ in range(draw(st.integers(0, 1))):
        lines += [f"elif {draw(tensor_tests)}:", *indented(draw(blocks(depth - 1, loop)))]
    if draw(st.booleans()):
        lines += ["else:", *indented(draw(blocks(depth - 1, loop)))]
    return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def programs(draw: Any) -> str:
    start = ["a, b, c = x, x * 0.7 - 0.2, tf.cos(x)", "v = tf.stack([x, x * x, -x])"]
    end = ["return a + b * 2.0 - c"]
    return "\n".join(["def program(x, n):", *indented([*start, *draw(blocks(2)), *end])]) + "\n"


def function_of(source: str) -> Any:
    """The function of a source that `inspect` can find."""
    name = f"<drawn {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"tf": tf}
    exec(compile(source, name, "exec"), space)
    return space["program"]


def check(source: str, value: float, n: int) -> None:
    function = function_of(source)
    x, count = tf.constant(value), tf.constant(n)

    def run(f: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = f(x, count)
        return found.numpy(), tape.gradient(found, x, unconnected_gradients="zero").numpy()

    wanted = run(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        staged = tf.function(function)
        found = run(staged)
        alone = staged(x, count).numpy()
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(alone, wanted[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found[1], wanted[1], rtol=2e-3, atol=1e-3)


values = st.floats(-1.5, 1.5).map(lambda v: round(v, 3) + 0.0007)
QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


@settings(max_examples=12, **QUIET)
@given(programs(), values, st.integers(0, 4))
def test_equals_plain_python(source: str, value: float, n: int) -> None:
    check(source, value, n)


@pytest.mark.slow
@settings(max_examples=150, **QUIET)
@given(programs(), values, st.integers(0, 4))
def test_many_equal_plain_python(source: str, value: float, n: int) -> None:
    check(source, value, n)
