"""The engine's rule 11: effects happen once and in order."""

from __future__ import annotations

import inspect
import re

import pytest

import tapeflow as tf
from tapeflow.engine.recording.recorder import effect
from tapeflow.engine.settings import settings

from .training import computed


class TestRule11Effects:
    """Effects are ordered and happen though nobody reads them; out of range raises in every mode."""

    def test_order_in_a_function(self):
        seen = []

        @tf.function
        def noisy(x):
            effect(lambda a: seen.append(("first", float(a))), x)
            y = x * 2.0
            effect(lambda a: seen.append(("second", float(a))), y)
            effect(lambda: seen.append(("third", None)))
            effect(lambda a: seen.append(("fourth", float(a))), x)

        for value in (1.0, 5.0):
            seen.clear()
            noisy(tf.constant(value))
            assert seen == [("first", value), ("second", 2 * value), ("third", None), ("fourth", value)]

    def test_with_assignments_between(self):
        seen, v = [], tf.Variable(0.0)

        @tf.function
        def count():
            effect(lambda a: seen.append(float(a)), v.value())
            v.assign_add(1.0)
            effect(lambda a: seen.append(float(a)), v.value())

        for _ in range(3):
            count()
        assert seen == [0.0, 1.0, 1.0, 2.0, 2.0, 3.0]

    def test_printing(self, capfd):
        @tf.function
        def talk(x):
            tf.print("a", x)
            tf.print("b", x + 1)

        for value in (1, 5):
            talk(tf.constant(value))
        assert capfd.readouterr().err.split() == ["a", "1", "b", "2", "a", "5", "b", "6"]

    def test_eager_effects_happen_at_once(self):
        seen = []
        effect(lambda a: seen.append(float(a)), tf.identity(2.0) * 3.0)
        assert seen == [6.0]

    @pytest.mark.parametrize("mode", ["lazy", "op by op", "staged"])
    def test_out_of_range(self, mode):
        x = tf.constant([1.0, 2.0, 3.0])

        def pick(i):
            return tf.gather(x, i)

        line = inspect.getsourcelines(pick)[1] + 1
        settings.op_by_op = mode == "op by op"
        call = tf.function(pick) if mode == "staged" else pick
        assert call(computed([2])).numpy().tolist() == [3.0]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=rf"7.*\[0, 3\).*{re.escape(__file__)}:{line}"
        ):
            call(computed([7])).numpy()

    def test_assertions_in_a_function(self):
        @tf.function
        def positive(x):
            tf.debugging.assert_positive(x)
            return x * 2.0

        assert positive(tf.constant(1.0)).numpy() == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            positive(tf.constant(-1.0)).numpy()
