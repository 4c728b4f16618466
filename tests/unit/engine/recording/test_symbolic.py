"""Public functions hand calls with symbols to them; anything else that asks a symbol for a value says so."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.symbolic import MetSymbolic, Symbolic


class Symbol(Symbolic):
    """Notes the calls it is handed."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Any, Any]] = []

    def keep_call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        self.kept.append((function.__name__, args, kwargs))
        return "kept"

    def __radd__(self, other: Any) -> str:
        return "added"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("reduce_mean", lambda s: tf.reduce_mean(s, axis=1)),
        ("concat", lambda s: tf.concat([tf.ones((2, 2)), s], 0)),
        ("reshape", lambda s: tf.reshape(tf.ones((4,)), (s, 2))),
        ("relu", lambda s: tf.nn.relu(s)),
        ("matmul", lambda s: tf.linalg.matmul(tf.ones((2, 2)), s)),
        ("convert_to_tensor", lambda s: tf.convert_to_tensor(s)),
        ("reduce_sum", lambda s: tf.reduce_sum([s, 1.0])),
    ],
)
def test_functions_hand_the_call_over(name: str, call: Callable[[Any], Any]) -> None:
    symbol = Symbol()
    assert call(symbol) == "kept"
    assert [kept[0] for kept in symbol.kept] == [name]


def test_the_same_function_in_every_namespace() -> None:
    assert tf.math.reduce_mean is tf.reduce_mean
    assert tf.reduce_mean.__doc__


def test_operators_give_the_symbol_its_turn() -> None:
    symbol = Symbol()
    assert tf.ones((2,)) + symbol == "added"
    assert tf.Variable(1.0) + symbol == "added"
    assert np.ones((2,)) + symbol == "added"


@pytest.mark.parametrize("ask", [float, int, bool, np.asarray, lambda s: s.numpy(), lambda s: range(s)])
def test_values_are_refused(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(MetSymbolic, match="has none until the model is called with data.* Lambda layer"):
        ask(Symbol())


@pytest.mark.parametrize(
    ("function", "arguments", "defaults"),
    [
        (tf.reduce_sum, ["input_tensor", "axis", "keepdims", "name"], (None, False, None)),
        (tf.nn.conv2d, ["input", "filters", "strides", "padding", "data_format", "dilations", "name"], None),
        (tf.cast, ["x", "dtype", "name"], (None,)),
        (tf.image.flip_up_down, ["image"], None),
    ],
)
def test_arguments_are_shown(function: Any, arguments: list[str], defaults: Any) -> None:
    found = inspect.getfullargspec(function)
    assert found.args == arguments
    assert defaults is None or found.defaults == defaults
    assert (found.varargs, found.varkw) == (None, None)
