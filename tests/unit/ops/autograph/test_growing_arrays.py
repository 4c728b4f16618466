"""TensorArrays that grow in loops which a tensor ends: one op, whatever the number of turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

pytestmark = pytest.mark.filterwarnings("ignore:tf.function:UserWarning")


def _episode(x: Any, limit: Any) -> Any:
    seen = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for t in tf.range(50):
        x = x * 1.5 + tf.cast(t, tf.float32) * 0.1
        seen = seen.write(t, x)
        if x > limit:
            break
    return seen.stack()


def test_an_episode_equals_plain_python() -> None:
    staged = tf.function(_episode)
    for limit in (1.0, 5.0, 20.0, 3.0):
        x, end = tf.constant(0.7), tf.constant(limit)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            found, wanted = staged(x, end), _episode(x, end)
            totals = tf.reduce_sum(found * found), tf.reduce_sum(wanted * wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        slopes = [tape.gradient(total, x) for total in totals]
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-5)


def test_episodes_of_many_lengths_share_programs() -> None:
    w = tf.Variable(1.5)

    @tf.function
    def train(limit: Any) -> Any:
        with tf.GradientTape() as tape:
            seen = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            x = tf.constant(0.7)
            for t in tf.range(50):
                x = x * w
                seen = seen.write(t, x)
                if x > limit:
                    break
            steps = seen.stack()[::-1]
            loss = tf.reduce_mean(steps)
        w.assign_sub(0.0 * tape.gradient(loss, w))
        return tf.size(steps)

    lengths = []
    for k, limit in enumerate(1.5**n * 0.7 + 0.01 for n in (3, 20, 7, 12, 9, 15, 5, 14, 11)):
        if k == 4:
            before = tf.debugging.engine_counters()["compiled"]
        lengths.append(int(train(tf.constant(limit, tf.float32))))
    assert lengths == [4, 21, 8, 13, 10, 16, 6, 15, 12]
    assert tf.debugging.engine_counters()["compiled"] - before <= 1  # of another power of two


def test_writing_in_a_branch() -> None:
    @tf.function
    def positive(v: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        n = 0
        for x in v:
            if x > 100:
                break
            if x > 0:
                found = found.write(n, x)
                n += 1
        return found.stack(), found.size()

    values, count = positive(tf.constant([1.0, -1.0, 2.0, 3.0, 101.0, 7.0]))
    assert values.numpy().tolist() == [1.0, 2.0, 3.0]
    assert int(count) == 3
    values, count = positive(tf.constant([200.0, 1.0]))
    assert values.shape[0] == 0
    assert int(count) == 0


def test_writing_in_a_branch_of_a_loop_of_known_length() -> None:
    @tf.function
    def positive(v: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for x in v:
            if x > 0:
                found = found.write(found.size(), x * x)
        return found.stack()

    for values in ([1.0, -1.0, 2.0, 3.0], [-1.0, -2.0, 5.0, -1.0], [-1.0, -1.0, -1.0, -1.0]):
        x = tf.constant(values)
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = positive(x)
            total = tf.reduce_sum(found)
        assert found.numpy().tolist() == [v * v for v in values if v > 0]
        assert tape.gradient(total, x).numpy().tolist() == [2 * v if v > 0 else 0 for v in values]


def test_an_array_that_holds_elements_already() -> None:
    @tf.function
    def f(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(0, x)
        for _ in tf.range(9):
            x = x * 2
            found = found.write(found.size(), x)
            if x > 5:
                break
        return found.stack()

    assert f(tf.constant(1.0)).numpy().tolist() == [1, 2, 4, 8]


def test_more_than_one_element_in_a_turn_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=())
        for i in tf.range(4):
            found = found.write(3 * i, x)
            if x > 100:
                break
        return found.stack()

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected an index in \[0, 4\)"):
        f(tf.constant(1.0)).numpy()
