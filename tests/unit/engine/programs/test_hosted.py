"""Rows of small ops run on the host: which do, with which results, and that nothing else can be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.engine.programs.program import counters
from tapeflow.engine.programs.running import run_pending
from tapeflow.engine.settings import settings

L = tf.keras.layers


def hosted(function: Callable[[], Any]) -> tuple[Any, int, int]:
    """What a function gives, how often something ran on the host meanwhile, and how many programs were compiled."""
    run_pending()
    before = counters.on_host, counters.compiled
    found = tf.nest.map_structure(lambda t: t.numpy(), function())
    return found, counters.on_host - before[0], counters.compiled - before[1]


def both(function: Callable[[], Any]) -> tuple[Any, Any]:
    """What a function gives on the host, and what its programs give."""
    found, times, compiled = hosted(function)
    assert (times > 0, compiled) == (True, 0)
    settings.hosted_elements = 0
    expected, times, _ = hosted(function)
    assert times == 0
    return found, expected


def assert_alike(found: Any, expected: Any) -> None:
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert (np.shape(one), one.dtype) == (np.shape(other), other.dtype)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def search() -> Any:
    """A beam search."""
    table, words, scores = tf.constant(array(9, 9)), tf.zeros((3, 1), tf.int32), tf.zeros(3)
    for _ in range(6):
        found = scores[:, tf.newaxis] + tf.nn.log_softmax(tf.gather(table, words[:, -1]))
        scores, best = tf.math.top_k(tf.reshape(found, (-1,)), 3)
        words = tf.concat([tf.gather(words, best // 9), (best % 9)[:, tf.newaxis]], 1)
    return words, scores


def attention() -> Callable[[], Any]:
    layer, norm, dense = L.MultiHeadAttention(2, 4), L.LayerNormalization(), L.Dense(3, "tanh")

    def call() -> Any:
        x = tf.constant(array(2, 5, 6))
        return dense(norm(x + layer(x, x, use_causal_mask=True)))

    call()
    run_pending()
    return call


def gradient() -> Any:
    """A gradient of several sources through ops of several results, with a seed."""
    x, w = tf.constant(array(4, 6)), tf.constant(array(6, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        a, b = tf.split(tf.sin(x) * x, 2, axis=1)
        values, _ = tf.math.top_k(tf.concat([a, b * b], 1) @ w, 1)
        y = tf.reduce_logsumexp(values, 1) + tf.reduce_max(x, 1)
    return tape.gradient(y, [x, w, a], output_gradients=tf.constant([1.0, -2.0, 0.5, 3.0]))


def second_gradient() -> Any:
    x = tf.constant(array(3, 2))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) ** 3)
        g = inner.gradient(y, x)
    return outer.gradient(g, x)


class TestWhatRuns:
    @pytest.mark.parametrize(
        "make", [lambda: search, attention, lambda: gradient], ids=["search", "attention", "gradient"]
    )
    def test_gives_what_a_program_gives(self, make: Callable[[], Callable[[], Any]]) -> None:
        assert_alike(*both(make()))

    def test_a_second_order_gradient_is_compiled(self) -> None:
        found, _, compiled = hosted(second_gradient)
        x = array(3, 2)
        assert compiled
        expected = 3 * (2 * np.sin(x) * np.cos(x) ** 2 - np.sin(x) ** 3)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

    def test_what_assigns_is_compiled(self) -> None:
        v = tf.Variable(array(4))

        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(v) * v)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            return loss

        assert hosted(step)[1] == 0

    def test_what_a_function_records_is_compiled(self) -> None:
        function = tf.function(lambda x: tf.sin(tf.cos(tf.sin(x) + 1.0) * x) - x)
        assert hosted(lambda: function(tf.constant([1.0, 2.0])))[1] == 0

    @pytest.mark.parametrize("size", [1 << 13, 1 << 16])
    def test_large_arrays_are_compiled(self, size: int) -> None:
        def chain() -> Any:
            x = tf.constant(np.zeros(size, np.float32))
            for _ in range(6):
                x = tf.sin(x) + 1.0
            return x

        assert hosted(chain)[1] == (size <= settings.hosted_elements)

    def test_what_has_no_rule_is_compiled(self) -> None:
        found, times, _ = hosted(
            lambda: tf.linalg.svd(tf.sin(tf.cos(tf.constant(array(3, 3)) + 1.0) * 2.0) + 1.0)
        )
        assert times == 0
        assert len(found) == 3

    def test_random_numbers_are_compiled(self) -> None:
        def draw() -> Any:
            noise = tf.random.stateless_uniform((4,), (1, 2))
            return tf.sin(tf.cos(noise) + 1.0) * 2.0 - tf.random.shuffle(noise)

        found, times, _ = hosted(draw)
        assert times == 0
        assert found.shape == (4,)

    def test_numbers_do_not_depend_on_the_sizes_there_were(self) -> None:
        """After some sizes an op is traced for symbols; that must not show in a bit."""

        def values(n: int) -> Any:
            x = tf.constant(array(n, 4))
            return tf.nn.softmax(tf.reduce_mean(tf.sin(x) * x, 0, keepdims=True) @ tf.transpose(x) / 3.0)

        first, _, _ = hosted(lambda: values(7))
        for n in range(2, 15):
            hosted(lambda n=n: values(n))
        np.testing.assert_array_equal(hosted(lambda: values(7))[0], first)


class TestVariables:
    def test_a_result_keeps_its_value_when_a_variable_changes(self) -> None:
        v = tf.Variable(array(2, 3))
        old = v.numpy()
        kept = tf.reshape(tf.transpose(tf.reshape(tf.transpose(tf.identity(v)), (3, 2))), (-1,))
        kept.numpy()
        for _ in range(3):
            v.assign_add(tf.ones((2, 3)))
            run_pending()
        np.testing.assert_array_equal(kept, old.ravel())

    def test_reading_one_does_not_make_an_update_copy_it(self) -> None:
        v = tf.Variable(array(64, 4))

        def update() -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            run_pending()

        update()
        for _ in range(3):
            (tf.sin(tf.cos(v) * v) + tf.exp(v) * 2.0).numpy()
            before = counters.copied_for_donation
            update()
            assert counters.copied_for_donation == before


class TestChecks:
    def gathered(self, index: int) -> tuple[Any, ...]:
        x = tf.identity([1.0, 2.0, 3.0])
        found = tf.gather(tf.sin(x) * 2.0 + x, tf.cast(x[:1] * 0.0, tf.int32) + index)  # here
        return found, found * 2.0 - 1.0, tf.cos(x) + x

    def test_a_failed_check_names_the_line_and_spares_the_rest(self) -> None:
        bad, worse, good = self.gathered(5)
        before = counters.on_host
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices = 5 is not in \[0, 3\)") as caught:
            bad.numpy()
        assert counters.on_host == before + 1
        line = self.gathered.__code__.co_firstlineno + 2
        assert f"{__file__}:{line}" in str(caught.value)
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 5"):
            worse.numpy()
        np.testing.assert_allclose(good, np.cos([1.0, 2.0, 3.0]) + [1.0, 2.0, 3.0], rtol=1e-6)

    def test_a_check_that_passes(self) -> None:
        found, *_ = self.gathered(1)
        np.testing.assert_allclose(found, [2 * np.sin(2.0) + 2.0], rtol=1e-6)


OPS: list[Callable[[Any], Any]] = [
    lambda x: tf.sin(x) * 2.0,
    lambda x: x - tf.reduce_max(x, -1, keepdims=True),
    lambda x: tf.nn.softmax(x, 0),
    lambda x: tf.concat([x, x[:1]], 0),
    lambda x: tf.reverse(x, [0]),
    lambda x: tf.cumsum(x, 0) / 4.0,
    lambda x: tf.where(x > 0.1, x, 0.5 * x),
    lambda x: tf.gather(x, tf.argsort(x[:, 0])),
    lambda x: tf.pad(x, [[1, 0], [0, 0]]),
    lambda x: x @ tf.transpose(x) @ x / 9.0,
    lambda x: tf.math.l2_normalize(x, 1),
    lambda x: tf.clip_by_value(x, -0.7, 0.7),
]


@hypothesis_settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(OPS))), min_size=4, max_size=8),
    st.integers(1, 6),
    st.booleans(),
)
def test_chains_of_any_ops_and_their_gradients(chosen: list[int], rows: int, takes_gradient: bool) -> None:
    def run() -> Any:
        x = tf.constant(array(rows, 3))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in chosen:
                y = OPS[i](y)
            total = tf.reduce_sum(tf.sin(y))
        return tape.gradient(total, x) if takes_gradient else y

    limit = settings.hosted_elements
    found, _, _ = hosted(run)
    settings.hosted_elements = 0
    expected, _, _ = hosted(run)
    settings.hosted_elements = limit
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5)
