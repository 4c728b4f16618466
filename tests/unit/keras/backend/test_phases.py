"""What `keras.backend` does in training and otherwise."""

from __future__ import annotations

import tapeflow as tf
from tapeflow.keras import backend as K


def test_learning_phase() -> None:
    assert K.learning_phase() == 0
    assert K.in_train_phase("train", "test") == "test"
    with K.learning_phase_scope(1):
        assert K.learning_phase() == 1
        assert K.in_train_phase(lambda: "train", "test") == "train"
        assert K.in_test_phase("test", "train") == "train"
    assert K.learning_phase() == 0
    K.set_learning_phase(1)
    K.clear_session()
    assert K.learning_phase() == 0


def test_training_may_be_a_tensor() -> None:
    chosen = K.in_train_phase(tf.constant(1.0), lambda: tf.constant(2.0), training=tf.constant(False))
    assert float(chosen) == 2.0


def test_switch_has_a_gradient() -> None:
    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = K.sum(K.switch(K.greater(x, 0), x * 3.0, lambda: x * 5.0))
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 5.0]
