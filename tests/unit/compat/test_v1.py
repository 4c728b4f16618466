"""The names of TensorFlow 1 that scripts for TensorFlow 2 call, and what the others say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

v1 = tf.compat.v1


def test_what_is_always_on_can_be_turned_on() -> None:
    v1.enable_eager_execution()
    v1.enable_v2_behavior()
    v1.enable_resource_variables()
    v1.reset_default_graph()
    assert v1.executing_eagerly()


def test_seeds_and_logging() -> None:
    v1.set_random_seed(3)
    first = tf.random.normal([2]).numpy().tolist()
    tf.random.set_seed(3)
    assert tf.random.normal([2]).numpy().tolist() == first
    before = v1.logging.get_verbosity()
    v1.logging.set_verbosity(v1.logging.ERROR)
    assert logging.getLogger("tensorflow").level == logging.ERROR
    v1.logging.set_verbosity(before)
    v1.logging.log(v1.logging.DEBUG, "quiet")
    v1.logging.flush()


def test_options_of_a_session_may_be_set() -> None:
    config = v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with v1.Session(config=config) as session, pytest.raises(RuntimeError, match="graph mode"):
        session.run(None)
    assert v1.InteractiveSession(config=config).config is config


@pytest.mark.parametrize(
    "call",
    [
        v1.disable_eager_execution,
        v1.disable_v2_behavior,
        v1.get_default_graph,
        tf.Graph,
        lambda: v1.placeholder(tf.float32),
    ],
    ids=["disable_eager_execution", "disable_v2_behavior", "get_default_graph", "Graph", "placeholder"],
)
def test_what_needs_a_graph_says_what_to_do(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"Remove the call, and use tf\.function"):
        call()


def test_text_and_bytes() -> None:
    assert tf.compat.as_str(b"a") == tf.compat.as_text("a") == tf.compat.as_str_any(b"a") == "a"
    assert tf.compat.as_bytes("a") == tf.compat.as_bytes(b"a") == b"a"
    assert tf.compat.as_str_any(1) == "1"
    with pytest.raises(TypeError, match="expected binary or unicode string"):
        tf.compat.as_bytes(1)


def test_what_is_the_same_in_tensorflow_2_is_that() -> None:
    assert v1.math.log is tf.math.log
    assert v1.global_variables_initializer() is None
    assert v1.keras.backend.set_session(v1.Session(config=v1.ConfigProto())) is None
    assert v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next().numpy() == 0
    assert not v1.gfile.Exists("nowhere")
    assert tf.compat.dimension_value(tf.ones([2]).shape[0]) == 2
    assert tf.compat.dimension_at_index(tf.TensorShape([None, 3]), 1) == 3
    with pytest.raises(AttributeError, match="losses"):
        v1.losses  # noqa: B018
