"""Printing and logging in recorded loops: Python runs once, the effects happen turn by turn."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def _no_warning() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_loops_of_known_and_unknown_length(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def count(n):
        for i in tf.range(3):
            tf.print("a", i, output_stream=sys.stdout)
        while n > 0:
            n -= 1
            if n % 2 == 0:
                tf.print("even", n, output_stream=sys.stdout)
            else:
                tf.print("odd", n, output_stream=sys.stdout)
        tf.print("end", output_stream=sys.stdout)
        return n

    def call(n: int) -> list[str]:
        count(tf.constant(n))
        return capsys.readouterr().out.splitlines()

    assert call(3) == ["a 0", "a 1", "a 2", "even 2", "odd 1", "even 0", "end"]
    assert call(1) == ["a 0", "a 1", "a 2", "even 0", "end"]
    assert call(0) == ["a 0", "a 1", "a 2", "end"]
    assert count.experimental_get_tracing_count() == 1


def test_python_prints_each_branch_once(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def fizz(n):
        for i in tf.range(1, n + 1):
            print("loop")  # noqa: T201
            if i % 3 == 0:
                print("fizz")  # noqa: T201
                tf.print("fizz", output_stream=sys.stdout)
            else:
                print("other")  # noqa: T201
                tf.print(i, output_stream=sys.stdout)

    fizz(tf.constant(3))
    assert capsys.readouterr().out == "loop\nfizz\nother\n1\n2\nfizz\n"
    fizz(tf.constant(4))
    assert capsys.readouterr().out == "1\n2\nfizz\n4\n"


def test_gradients_do_not_repeat_them(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def power(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while y < 20.0:
                tf.print(y, output_stream=sys.stdout)
                y = y * x
        return tape.gradient(y, x)

    for _ in range(2):
        assert float(power(tf.constant(2.0))) == 80.0
        assert capsys.readouterr().out == "2\n4\n8\n16\n"
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:  # the function is recorded into the tape around
        tape.watch(x)
        slope = power(x)
    assert float(tape.gradient(slope, x)) == 160.0
    assert float(power(x)) == 80.0
    assert capsys.readouterr().out.endswith("2\n4\n8\n16\n")


def test_summaries(tmp_path: Any) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def log(n):
        with writer.as_default():
            for i in tf.range(n):
                tf.summary.scalar("doubled", 2 * i, step=tf.cast(i, tf.int64))

    log(tf.constant(3))
    writer.flush()
    (file,) = tmp_path.iterdir()
    events = [e for e in tf.compat.v1.train.summary_iterator(str(file)) if e.summary.value]
    assert [e.step for e in events] == [0, 1, 2]


def test_an_assertion_in_a_loop_raises_at_the_call() -> None:
    @tf.function
    def check(n):
        for i in tf.range(n):
            tf.debugging.assert_less(i, 3)

    check(tf.constant(3))
    with pytest.raises(tf.errors.InvalidArgumentError):
        check(tf.constant(5))
