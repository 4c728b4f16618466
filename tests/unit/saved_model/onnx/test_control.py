"""Branches and loops of models in ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_branch(agrees: Any, function_model: Any, sign: int) -> None:
    model = function_model(
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - tf.reduce_mean(x))
    )
    agrees(model, np.abs(X) * sign)


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 7])
def test_one_of_several(agrees: Any, function_model: Any, number: int) -> None:
    def chosen(x: Any) -> Any:
        return tf.switch_case(tf.reduce_max(x), [lambda: x, lambda: x * x, lambda: -x])

    agrees(function_model(chosen, dtype="int32"), np.full((2, 4), number, "int32"))


def test_a_loop_whose_turns_depend_on_data(agrees: Any, function_model: Any) -> None:
    def halved(x: Any) -> Any:
        return tf.while_loop(lambda y: tf.reduce_max(tf.abs(y)) > 0.1, lambda y: [y / 2], [x])[0]

    model = function_model(halved)
    agrees(model, X)
    agrees(model, X * 100)
    agrees(model, X * 0)


def test_a_loop_in_a_loop(agrees: Any, function_model: Any) -> None:
    def nested(x: Any) -> Any:
        def outer(i: Any, y: Any) -> Any:
            z = tf.while_loop(lambda j, _: j < i, lambda j, z: (j + 1, z + x), (0, y))[1]
            return i + 1, z * 0.5

        return tf.while_loop(lambda i, _: i < 5, outer, (0, x))[1]

    agrees(function_model(nested), X)


def test_rows_forwards_and_backwards(agrees: Any) -> None:
    x = tf.keras.Input((None, 4))
    results = [L.GRU(3, return_sequences=True, go_backwards=back)(x) for back in (False, True)]
    both = L.Bidirectional(L.LSTM(2, return_sequences=True, return_state=True))(x)
    model = tf.keras.Model(x, [*results, *both])
    for length in (1, 2, 9):
        agrees(model, np.random.default_rng(1).normal(size=(2, length, 4)).astype("float32"))


def test_a_scan_from_the_end(agrees: Any, function_model: Any) -> None:
    def scanned(x: Any) -> Any:
        return tf.transpose(tf.scan(lambda a, b: tf.tanh(a + b), tf.transpose(x), reverse=True))

    agrees(function_model(scanned), X)


def test_a_recurrent_layer_within_a_recurrent_layer(agrees: Any) -> None:
    x = tf.keras.Input((3, 5, 2))
    model = tf.keras.Model(x, L.GRU(2)(L.TimeDistributed(L.LSTM(3))(x)))
    agrees(model, np.random.default_rng(1).normal(size=(2, 3, 5, 2)).astype("float32"))
