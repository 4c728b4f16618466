"""`tf.variable_creator_scope`: functions between a program and its Variables."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import tapeflow as tf


def test_creators_from_the_inside_out() -> None:
    order: list[str] = []

    def noting(word: str) -> Any:
        def creator(next_creator: Any, **kwargs: Any) -> Any:
            order.append(word)
            return next_creator(**{**kwargs, "name": f"{kwargs['name']}_{word}"})

        return creator

    with tf.variable_creator_scope(noting("outer")), tf.variable_creator_scope(noting("inner")):
        made = tf.Variable([1.0], name="v")
        layer = tf.keras.layers.Dense(1)
        layer.build((None, 2))
    assert order[:2] == ["inner", "outer"]
    assert len(order) == 6
    assert made.name == "v_inner_outer:0"
    assert isinstance(made, tf.Variable)
    assert tf.Variable(1.0, name="v").name == "v:0"


def test_a_creator_may_give_another_variable() -> None:
    shared = tf.Variable(3.0)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: shared):
        assert tf.Variable(1.0) is shared
    assert next(iter(inspect.signature(tf.Variable).parameters)) == "initial_value"


def test_creators_are_of_one_thread() -> None:
    found: list[Any] = []
    with tf.variable_creator_scope(lambda next_creator, **kwargs: None):
        thread = threading.Thread(target=lambda: found.append(tf.Variable(1.0)))
        thread.start()
        thread.join()
    assert isinstance(found[0], tf.Variable)
